import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const packages = join(import.meta.dirname, '../../..')
const manifests = new Map(
  readdirSync(packages)
    .map((folder) => JSON.parse(readFileSync(join(packages, folder, 'package.json'), 'utf8')) as Manifest)
    .map((manifest) => [manifest.name, manifest]),
)

/** Everything that npm installs with a package of ours: its dependencies, and peers that are not optional. */
function installedWith(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found
  found.add(name)
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifests.get(name) ?? {}
  for (const one of Object.keys(dependencies)) installedWith(one, found)
  for (const one of Object.keys(peerDependencies)) if (peerDependenciesMeta[one]?.optional !== true) installedWith(one, found)
  return found
}

it('compactctl installs no agent SDK: reading a file needs none', () => {
  const installed = [...installedWith('@precis/cli')]
  expect(installed).toContain('@precis/wire')
  expect(installed.filter((name) => /^(?:ai|langchain|zod-to|openai)$|^@(?:ai-sdk|openai|langchain)\//.test(name))).toEqual([])
})
