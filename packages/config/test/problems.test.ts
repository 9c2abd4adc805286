import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, loadConfig } from '@precis/config'
import { CompactionError } from '@precis/core'
import { afterAll, describe, expect, it } from 'vitest'

const folders: string[] = []
const file = async (name: string, text: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'precis-config-'))
  folders.push(folder)
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

describe('what is wrong', () => {
  it.each([
    ['an unknown field', 'policy:\n  triger:\n    auto: true\n', 'precis.yaml:2: policy.triger: unknown field; did you mean "trigger"?'],
    ['an unknown field at the top', 'presset: pivot\n', 'precis.yaml:1: presset: unknown field; did you mean "preset"?'],
    ['a comma in an amount within { }', 'model: { contextWindow: 200,000 }\n', 'precis.yaml:1: model.0: unknown field; write 200000, 200k or "200,000"'],
    ['a wrong type', 'policy:\n  retain:\n    turns: many\n', 'precis.yaml:3: policy.retain.turns: expected a number, not "many"'],
    [
      'an unknown preset',
      '\n\npreset: pivott\n',
      'precis.yaml:3: preset: "pivott" is none of balanced, pivot, cacheAware, layered, outputCache, calibrated, calibratedLongRun, calibratedInteractive; did you mean "pivot"?',
    ],
    [
      'a misspelled storage',
      'storage:\n  adapter: FS\n  path: x\n',
      'precis.yaml:2: storage.adapter: "FS" is none of memory, fs, s3, unstorage, custom; did you mean "fs"?',
    ],
    ['a storage without a kind', 'storage:\n  path: x\n', 'storage.adapter: missing; expected one of memory, fs, s3, unstorage, custom'],
    ['a fraction of two', 'policy: { trigger: { hard: { fraction: 2 } } }\n', 'precis.yaml:1: policy.trigger.hard'],
    ['a target above its trigger', 'policy: { trigger: { target: { fraction: 0.9 } } }\n', 'policy.trigger.target'],
    ['YAML that is none', 'policy: [\n', 'precis.yaml:2: '],
    [
      'a rung nobody knows',
      'policy:\n  prune:\n    ladder: [views]\n',
      'precis.yaml:3: policy.prune.ladder.0: "views" is none of superseded, errors, arguments, aged, output-budget, media, view, condensed; did you mean "view"?',
    ],
    [
      'a wrong type under prune',
      'policy:\n  prune:\n    view: { tokens: some }\n',
      'precis.yaml:3: policy.prune.view.tokens: expected whole tokens: 128000, 128,000, 200k or 1M, not "some"',
    ],
    [
      'an unknown field deep under prune',
      'policy: { prune: { view: { tokns: 1 }, media: { keep: no } } }\n',
      'policy.prune.view.tokns: unknown field; did you mean "tokens"?',
    ],
    ['something else than prune', 'policy: { prune: true }\n', 'policy.prune: expected fields, or false, not true'],
    [
      'a bare threshold',
      'policy: { trigger: { hard: 0.8 } }\n',
      'policy.trigger.hard: expected { fraction } (0 to 1), { tokens } or { free }, not 0.8; write { fraction: 0.8 }',
    ],
    [
      'a bare amount',
      'policy: { retain: { tokens: 4000 } }\n',
      'policy.retain.tokens: expected { fraction } (0 to 1) or { tokens }, not 4000; write { tokens: 4000 }',
    ],
    [
      'two amounts',
      'policy: { retain: { tokens: { fraction: 0.5, tokens: 3 } } }\n',
      'policy.retain.tokens: expected { fraction } (0 to 1) or { tokens }, not {"f',
    ],
    ['a fraction that is none', 'policy: { retain: { tokens: { fraction: x } } }\n', 'policy.retain.tokens.fraction: expected a number from 0 to 1, not "x"'],
    ['seconds', 'policy: { summary: { deadline: 30 } }\n', 'precis.yaml:1: policy.summary.deadline: expected milliseconds: 30_000 for 30 seconds'],
    ['a bare retention', 'retention: 30\n', 'precis.yaml:1: retention: expected { days } or false, not 30; write retention: { days: 30 }'],
    ['some of the prices', 'policy: { cost: { prices: { input: 3 } } }\n', 'policy.cost.prices.cacheRead: missing; expected a number'],
    [
      'a negative price',
      'policy: { cost: { prices: { input: -3, cacheRead: 0, cacheWrite: 0, output: 0 } } }\n',
      'policy.cost.prices.input: expected 0 or more, not -3',
    ],
    [
      'an address without its scheme',
      'telemetry: { exporter: otlp, endpoint: "localhost:4318" }\n',
      'telemetry.endpoint: expected an address that begins with http',
    ],
    ['no folder', 'storage: { adapter: fs, path: "" }\n', 'storage.path: expected a folder'],
    ['no bucket', 'storage: { adapter: s3, bucket: "" }\n', 'storage.bucket: expected the name of a bucket'],
    ['a tool rule nobody knows', 'policy: { prune: { tools: { read: { keeps: always } } } }\n', 'policy.prune.tools.read.keeps: unknown field'],
    ['a field that the preset leaves out', 'policy: { trigger: { emergancy: null } }\n', 'emergancy: unknown field; did you mean "emergency"?'],
    ['a field of an object that the preset leaves out', 'policy: { trigger: { request: { byte: 5 } } }\n', 'byte: unknown field; did you mean "bytes"?'],
    ['a field of a tool rule', 'policy: { prune: { tools: { read: { kep: always } } } }\n', 'kep: unknown field; did you mean "keep"?'],
    ['a field of the model', 'model:\n  contextwindow: 24000\n', 'precis.yaml:2: model.contextwindow: unknown field; did you mean "contextWindow"?'],
    ['a field of the storage', 'storage: { adapter: fs, path: a, pth: b }\n', 'storage.pth: unknown field; did you mean "path"?'],
    ['a field of another storage', 'storage: { adapter: fs, path: a, region: b }\n', 'storage.region: unknown field; known here: adapter, path'],
    ['a field of telemetry', 'telemetry: { exporter: otlp, endpont: "http://a" }\n', 'telemetry.endpont: unknown field; did you mean "endpoint"?'],
    ['a field of a pattern', 'redaction: { patterns: [{ tag: a, pattern: b, ignorecase: true }] }\n', 'unknown field; did you mean "ignoreCase"?'],
    ['a word for true', 'archive: yes\n', 'precis.yaml:1: archive: expected true or false, not "yes"; write true'],
    ['a word for false', 'telemetry: { exporter: otlp, metrics: off }\n', 'telemetry.metrics: expected true or false, not "off"; write false'],
    ['a storage by its name', 'storage: fs\n', 'precis.yaml:1: storage: expected fields, not "fs"; write storage: { adapter: fs, path: ./.precis }'],
    ['an exporter by its name', 'telemetry: console\n', 'telemetry: expected fields, not "console"; write telemetry: { exporter: console }'],
    ['a preset under policy', 'policy: layered\n', 'policy: expected fields (trigger, retain, prune, summary, cost), not "layered"; write preset: layered'],
    [
      'the name of a model',
      'model: gpt-5.2\n',
      'model: expected fields (contextWindow, maxInput, maxOutput, maxMedia), not "gpt-5.2"; write model: { contextWindow: 200k }',
    ],
    ['redaction by a word', 'redaction: off\n', 'not "off"; write redaction: { enabled: false }'],
    ['encryption by a word', 'encryption: on\n', 'write encryption: { keyId: k1, keyVariable: PRECIS_KEY }'],
    ['what others call a path', 'storage: { adapter: fs, root: ./x }\n', 'storage.root: unknown field; write path'],
    ['what code calls the model', 'limits: { contextWindow: 8000 }\n', 'precis.yaml:1: limits: unknown field; write model'],
    ['a field of the model at the top', 'contextWindow: 8000\n', 'contextWindow: unknown field; write model: { contextWindow: … }'],
    ['a field of the policy at the top', 'trigger: { auto: true }\n', 'trigger: unknown field; write policy: { trigger: … }'],
    [
      'a driver by another name',
      'storage:\n  adapter: unstorage\n  driver: reddis\n',
      'precis.yaml:3: storage.driver: unstorage has no driver "reddis"; did you mean "redis"?',
    ],
    [
      'a key that is not there',
      'encryption:\n  keyId: k1\n  keyVariable: PRECIS_KEY\n',
      'precis.yaml:3: encryption.keyVariable: expected 32 bytes as base64 in the variable PRECIS_KEY',
    ],
    [
      'a pattern that cannot be read',
      'redaction:\n  patterns:\n    - { tag: a, pattern: b }\n    - { tag: a, pattern: "(" }\n',
      'precis.yaml:4: redaction.patterns.1.pattern: cannot be used',
    ],
    [
      'a trigger below the target of the preset',
      'policy:\n  trigger:\n    hard: { fraction: 0.4 }\n',
      'precis.yaml:3: policy.trigger.hard: Invalid configuration: trigger.hard is {"fraction":0.4}; expected more than trigger.target, which is {"fraction":0.45}.',
    ],
    [
      'an emergency below the trigger',
      'policy:\n  trigger:\n    emergency: { fraction: 0.1 }\n',
      'precis.yaml:3: policy.trigger.emergency: Invalid configuration: trigger.emergency is {"fraction":0.1}; expected more than trigger.hard',
    ],
    [
      'a soft level above the trigger',
      'policy: { trigger: { soft: { fraction: 0.95 } } }\n',
      'trigger.soft is {"fraction":0.95}; expected less than trigger.hard',
    ],
    [
      'a window in another unit',
      'preset: pivot\nmodel:\n  contextWindow: 100\n',
      'precis.yaml:3: model.contextWindow: Invalid configuration: model.contextWindow is 100; expected at least 256 tokens, or 0 for unlimited.',
    ],
    [
      'a reply of nothing',
      'model: { contextWindow: 8000, maxOutput: 0 }\n',
      'precis.yaml:1: model.maxOutput: Invalid configuration: model.maxOutput is 0; expected tokens',
    ],
  ])('%s is named with its line', async (_, text, expected) => {
    const path = await file('precis.yaml', text)
    const failed = await loadConfig({ path, env: {} }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ConfigError)
    expect((failed as Error).message).toContain(expected)
  })
  it.each([
    [
      'a key in place of its variable',
      'encryption: { keyId: k1, keyVariable: "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0MTI=" }',
      /keyVariable: expected the name of the variable/,
      'c2Vjc',
    ],
    ['an address with a password', 'telemetry: { exporter: otlp, endpoint: "user:s3cr3t-pw@localhost" }', /endpoint: expected an address/, 's3cr3t'],
    ['a database by its address', 'storage: "postgres://user:s3cr3t-pw@localhost/db"', /storage: expected fields/, 's3cr3t'],
  ])('%s is not shown', async (_, text, expected, secret) => {
    const failed = (await loadConfig({ path: await file('precis.yaml', text), env: {} }).catch((error: unknown) => error)) as Error
    expect(failed.message).toMatch(expected)
    expect(failed.message).not.toContain(secret)
  })
  it('all of it at once, and a file that is not there', async () => {
    const path = await file('p.yaml', 'a: 1\nb: 2\n')
    const failed = (await loadConfig({ path, env: {} }).catch((error: unknown) => error)) as ConfigError
    expect(failed.problems.map((problem) => [problem.path, problem.line])).toEqual([
      ['a', 1],
      ['b', 2],
    ])
    await expect(loadConfig({ path: '/nowhere/precis.yaml', env: {} })).rejects.toThrow('/nowhere/precis.yaml: cannot be read')
  })
})

describe('a variable', () => {
  it('is named where it is misspelt, unless the file has a use for it', async () => {
    const failed = loadConfig({ env: { PRECIS_CONTEXTWINDOW: '8000', PRECIS_TRIGER: '0.7', PRECIS_RECALL: 'off', PRECIS_DISABLED: '1', PRECIS_KEY: 'x' } })
    await expect(failed).rejects.toThrow(
      /^PRECIS_CONTEXTWINDOW: unknown variable; did you mean "PRECIS_CONTEXT_WINDOW"\?\nPRECIS_TRIGER: .*"PRECIS_TRIGGER"\?$/,
    )
    const path = await file('precis.yaml', 'encryption: { keyId: k1, keyVariable: PRECIS_ARCHVE }')
    expect(await loadConfig({ path, env: { PRECIS_ARCHVE: Buffer.alloc(32).toString('base64') } })).toHaveProperty('storage')
    await expect(loadConfig({ env: 'x' as never })).rejects.toThrow('expected env to hold variables, not string; write loadConfig({ env: process.env })')
  })
  it.each(['PRECIS_STORAGE_PASS', 'PRECIS_STORAGE_PATH_2', 'PRECIS_ARCHIVED', 'PRECIS_OTEL_ENDPOINT', 'PRECIS_API_KEY'])(
    'of somebody else is let be: %s',
    async (variable) => {
      await expect(loadConfig({ env: { [variable]: 'x' } })).resolves.toHaveProperty('policy')
    },
  )
  it('is named where it contradicts the file or the preset', async () => {
    const failed = async (text: string, env: Readonly<Record<string, string>>): Promise<string> =>
      loadConfig({ path: await file('precis.yaml', text), env }).then(
        () => 'nothing',
        (error: Error) => error.message,
      )
    const between = 'Invalid configuration: trigger.hard is {"fraction":0.4}; expected more than trigger.target, which is {"fraction":0.45}.'
    expect(await failed('preset: balanced\n', { PRECIS_TRIGGER: '0.4' })).toBe(`PRECIS_TRIGGER: policy.trigger.hard: ${between}`)
    const ofFile = 'policy: { trigger: { target: { fraction: 0.5 } } }\n'
    expect(await failed(ofFile, { PRECIS_TRIGGER: '0.4' })).toMatch(
      /^PRECIS_TRIGGER: policy\.trigger\.hard: .*trigger\.target is \{"fraction":0\.5\}; expected less/,
    )
    expect(await failed(ofFile, { PRECIS_TRIGGER: '0.6', PRECIS_TARGET: '0.7' })).toMatch(/^PRECIS_TARGET: policy\.trigger\.target: /)
    expect(await failed(ofFile, { PRECIS_TRIGGER: '0.6' })).toBe('nothing')
    expect(await failed('', { PRECIS_CONTEXT_WINDOW: '5' })).toMatch(/^PRECIS_CONTEXT_WINDOW: model\.contextWindow: .*expected at least 256 tokens/)
    expect(await failed('', { PRECIS_CONTEXT_WINDOW: '0' })).toBe('nothing')
  })
})

it('a ConfigError is one of ours, also of another copy of the package', async () => {
  const error: unknown = await loadConfig({ path: '/nowhere/precis.yaml', env: {} }).catch((one: unknown) => one)
  expect([CompactionError.isInstance(error), ConfigError.isInstance(error), (error as Error).name]).toEqual([true, true, 'ConfigError'])
  expect(ConfigError.isInstance(Object.defineProperty(new Error(), Symbol.for('precis.error.ConfigError'), { value: true }))).toBe(true)
  expect(ConfigError.isInstance(new CompactionError('other'))).toBe(false)
})
