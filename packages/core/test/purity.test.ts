import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const source = join(import.meta.dirname, '../src')
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const read = (file: string): string => readFileSync(join(source, file), 'utf8')
/** Code without comments and without what stands between quotes. */
const code = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/'(?:\\.|[^'\\\n])*'/g, "''")

describe('core is pure', () => {
  it('has no dependency', () => {
    const manifest = JSON.parse(readFileSync(join(source, '../package.json'), 'utf8')) as Record<string, unknown>
    expect(manifest['dependencies'] ?? {}).toEqual({})
    expect(manifest['peerDependencies'] ?? {}).toEqual({})
  })

  it('imports nothing but itself', () => {
    expect(files.length).toBeGreaterThan(40)
    const foreign = files.flatMap((file) =>
      [...read(file).matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => match[1] ?? '').filter((name) => !name.startsWith('.')),
    )
    expect(foreign).toEqual([])
  })

  it.each(['async', 'await', 'Date', 'Math.random', 'process', 'console', 'setTimeout', 'crypto', 'fetch'])('uses no %s outside runtime/', (word) => {
    const pattern = new RegExp(`(?<![\\w.])${word.replace('.', '\\.')}\\b`)
    const found = files.filter((file) => !file.startsWith('runtime') && pattern.test(code(read(file))))
    // Words may stand in regular expressions of what a provider says.
    expect(found).toEqual([])
  })

  it('loads without node: in the built graph', async () => {
    const core = await import('@precis/core')
    expect(Object.keys(core).length).toBeGreaterThan(30)
  })
})
