import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, loadConfig, parseConfig } from '@precis/config'
import { describe, expect, it } from 'vitest'

/** Nine lists, each of nine times the one before: 387 million entries. */
const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefghi'.split('').map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]}, `.repeat(8)}*${'abcdefgh'[at]}]`),
]
const hostile: Readonly<Record<string, string>> = {
  'aliases that multiply': bomb.join('\n'),
  'aliases that multiply in a known field': `${bomb.slice(0, 8).join('\n')}\npolicy: *h`,
  'a value inside itself': 'policy: &p\n  trigger: *p',
  'lists a hundred thousand deep': '['.repeat(100_000),
  'lists a hundred thousand deep, closed': `policy: ${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'blocks ten thousand deep': Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
  'an alias to nothing': 'policy: *nobody',
  'more than a configuration holds': `# ${'x'.repeat(2_000_000)}`,
}

describe('a configuration that means harm', () => {
  it.each(Object.keys(hostile))('%s: a ConfigError that names the file', async (name) => {
    const folder = await mkdtemp(join(tmpdir(), 'precis-config-'))
    const path = join(folder, 'precis.yaml')
    await writeFile(path, hostile[name] ?? '')
    const error = await loadConfig({ path, env: {} }).catch((one: unknown) => one)
    await rm(folder, { recursive: true })
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).message).toContain(path)
    expect(() => parseConfig(hostile[name] ?? '')).toThrow(ConfigError)
  })
  it('a few aliases are fine', () => {
    expect(parseConfig('policy:\n  retain: &r { turns: 3 }\n  summary: { style: brief }').policy?.retain?.turns).toBe(3)
    expect(parseConfig('policy:\n  trigger:\n    hard: &h { fraction: 0.8 }\n    emergency: *h').policy?.trigger?.emergency).toEqual({ fraction: 0.8 })
  })
})

describe('a call that says something else than its options', () => {
  it.each([
    ['a path', 'precis.yaml', 'write loadConfig({ path: "precis.yaml" })'],
    ['nothing', null, "write loadConfig({ path: 'precis.yaml' })"],
    ['a wrong name', { file: 'precis.yaml' }, 'has no option "file"'],
    ['a path that is none', { path: 5 }, 'expected path to be a text'],
  ])('%s', async (_name, options, expected) => {
    const error = await loadConfig(options as never).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).message).toContain(expected)
  })
  it('a text that is none', () => {
    expect(() => parseConfig(undefined as never)).toThrow(ConfigError)
  })
})
