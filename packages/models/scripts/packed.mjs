// A published package, unpacked into a folder of its own: what it ships, without installing it or its dependencies.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const work = mkdtempSync(join(tmpdir(), 'precis-models-'))

/** @param {string} spec `name` or `name@version` @returns {{ folder: string, manifest: Record<string, any> }} */
export function unpacked(spec) {
  const folder = join(work, spec.replaceAll(/[^\w.-]/g, '_'))
  mkdirSync(folder, { recursive: true })
  // A bare name could be answered from a range; `latest` is what a user would get.
  const exact = spec.lastIndexOf('@') > 0 ? spec : `${spec}@latest`
  const file = execFileSync('npm', ['pack', exact, '--silent', '--pack-destination', folder], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  execFileSync('tar', ['xzf', join(folder, file), '-C', folder])
  return { folder: join(folder, 'package'), manifest: JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8')) }
}

/** Day on which a version was published, as the registry says. @param {string} name @param {string} version */
export function published(name, version) {
  const times = JSON.parse(execFileSync('npm', ['view', name, 'time', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  return times[version].slice(0, 10)
}
