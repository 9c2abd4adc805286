import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { configJsonSchema, loadConfig, parseConfig, storageFolder } from '@precis/config'
import { createCompactor, mergePolicy, neutralCodec, type PresetName, presets } from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { afterAll, describe, expect, it } from 'vitest'
import { environmentFields } from '../src/environment.ts'
import { policySchema } from '../src/schema.ts'

const folders: string[] = []
const file = async (name: string, text: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'precis-config-'))
  folders.push(folder)
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

const yaml = `
preset: layered
model:
  contextWindow: 24000
policy:
  trigger:
    hard: { fraction: 0.7 }
    target: { fraction: 0.4 }
    emergency: null
  retain:
    turns: 4
  prune:
    tools:
      "skill*": { keep: always }
`

describe('a configuration file', () => {
  it('in YAML or JSON: a preset and what is different', async () => {
    const fromYaml = await loadConfig({ path: await file('precis.yaml', yaml), env: {} })
    expect(fromYaml.policy).toMatchObject({
      trigger: { hard: { fraction: 0.7 } },
      retain: { turns: 4, toolPairs: 4 },
      prune: { tools: { 'skill*': { keep: 'always' } } },
    })
    expect(fromYaml.limits).toEqual({ contextWindow: 24_000 })
    const json = JSON.stringify({ preset: 'pivot', policy: { trigger: { auto: false } } })
    const fromJson = await loadConfig({ path: await file('precis.json', json), env: {} })
    expect(fromJson.policy).toEqual({ ...presets.pivot, trigger: { ...presets.pivot.trigger, auto: false } })
  })
  it('is all that an agent needs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'precis-config-'))
    folders.push(folder)
    const config = await loadConfig({ path: await file('precis.yaml', `${yaml}storage: { adapter: fs, path: ${folder} }\narchive: true\n`), env: {} })
    const source = generateHistory(3, { turns: 40 })
    const first = await createCompactor({ codec: neutralCodec, ...config })
      .session('s')
      .beforeModelCall(source)
    expect(first.report.outcome).toBe('summarized')
    const again = await createCompactor({ codec: neutralCodec, ...config })
      .session('s')
      .beforeModelCall(source)
    expect(again.report.outcome).toBe('projected')
    expect((await config.archive?.read('s'))?.messages).toHaveLength(source.length)
  })
  it('a path of its storage is relative to it, and one of the environment to the working folder', async () => {
    const path = await file('precis.yaml', 'storage: { adapter: fs, path: ./own/.precis }\n')
    const config = await loadConfig({ path, env: {} })
    expect(storageFolder(config)).toBe(join(dirname(path), 'own/.precis'))
    await config.storage?.put('a', 'text')
    expect(await readFile(join(dirname(path), 'own/.precis/a'), 'utf8')).toBe('text')
    expect(storageFolder(await loadConfig({ path, env: { PRECIS_STORAGE_PATH: 'other' } }))).toBe('other')
    expect(storageFolder(await loadConfig({ env: { PRECIS_STORAGE: 'fs', PRECIS_STORAGE_PATH: 'other' } }))).toBe('other')
    expect(storageFolder(await loadConfig({ env: {} }))).toBeUndefined()
  })
  it('`retention` says how long what is stored is kept', async () => {
    const load = async (text: string) => (await loadConfig({ path: await file('precis.yaml', `${yaml}${text}\n`), env: {} })).retention
    expect([await load('retention: { days: 90 }'), await load('retention: false'), await load('')]).toEqual([{ days: 90 }, false, undefined])
    await expect(load('retention: { days: 0 }')).rejects.toThrow('retention')
    await expect(load('retention: 30')).rejects.toThrow('retention')
  })
  it('`archive: true` records the events of a session too', async () => {
    const config = await loadConfig({ path: await file('precis.yaml', `${yaml}archive: true\n`), env: {} })
    const compactor = createCompactor({ codec: neutralCodec, ...config })
    await compactor.session('s').beforeModelCall(generateHistory(3, { turns: 40 }))
    await compactor.flush()
    const events = (await config.archive?.read('s'))?.events.map(({ event }) => event)
    expect(events).toContain('compact.checkpoint_committed')
    expect(events).toContain('compact.finished')
  })
  it('builds exporters by name, and says when redaction is off', async () => {
    const config = await loadConfig({ path: await file('p.yaml', 'telemetry: { exporter: console }\nredaction: { enabled: false }\n'), env: {} })
    expect(config.exporters.map((exporter) => exporter.name)).toEqual(['console'])
    expect(config.redact).toBe(false)
    expect((await loadConfig({ env: { PRECIS_EXPORTER: 'otlp', PRECIS_OTLP_ENDPOINT: 'http://127.0.0.1:9' } })).exporters[0]?.name).toBe('otlp')
    expect((await loadConfig({ env: { PRECIS_STORAGE: 's3', PRECIS_STORAGE_BUCKET: 'b' } })).storage?.name).toBe('s3')
  })
})

it('the published JSON Schema is that of this version', async () => {
  // vitest -u writes it anew
  await expect(`${JSON.stringify(configJsonSchema(), null, 2)}\n`).toMatchFileSnapshot('../precis.schema.json')
})

it.each([
  ['200k', 200_000],
  ['128_000', 128_000],
  ['128,000', 128_000],
  ['1M', 1_000_000],
  ['24000', 24_000],
])('tokens may be written %s, in the file and in the environment', async (text, contextWindow) => {
  expect(parseConfig(`model: { contextWindow: "${text}" }`).model).toEqual({ contextWindow })
  expect((await loadConfig({ env: { PRECIS_CONTEXT_WINDOW: text } })).limits).toEqual({ contextWindow })
  expect(parseConfig(`policy: { trigger: { hard: { tokens: "${text}" } } }`).policy).toEqual({ trigger: { hard: { tokens: contextWindow } } })
})

describe('the environment', () => {
  it('replaces fields of the file', () => {
    const raw = parseConfig(yaml, {
      env: { PRECIS_TRIGGER: '0.6', PRECIS_KEEP_TURNS: '2', PRECIS_AUTO: 'false', PRECIS_CONTEXT_WINDOW: '32000', PRECIS_PRESET: 'calibrated' },
    })
    expect(raw).toMatchObject({
      preset: 'calibrated',
      model: { contextWindow: 32_000 },
      policy: { trigger: { auto: false, hard: { fraction: 0.6 } }, retain: { turns: 2 } },
    })
  })
  it('is checked like the file', () => {
    expect(() => parseConfig('', { env: { PRECIS_TRIGGER: 'high' } })).toThrow('policy.trigger.hard')
  })
  it('is named by its variable, not by a line of the file', () => {
    const file = 'preset: pivot\nstorage: { adapter: s3, bucket: b }\n'
    const failed =
      (env: Readonly<Record<string, string>>, text = file) =>
      () =>
        parseConfig(text, { source: 'precis.yaml', env })
    expect(failed({ PRECIS_KEEP_TURNS: 'many' })).toThrow(/^PRECIS_KEEP_TURNS: policy\.retain\.turns: expected a number, not "many"$/)
    expect(failed({ PRECIS_TRIGGER: '1.5' })).toThrow(/^PRECIS_TRIGGER: policy\.trigger\.hard\.fraction: expected a number from 0 to 1, not 1\.5/)
    expect(failed({ PRECIS_ARCHIVE: 'yes' })).toThrow(/^PRECIS_ARCHIVE: archive: /)
    expect(failed({ PRECIS_STORAGE_PATH: '/data' }, 'preset: pivot\n')).toThrow(
      /^PRECIS_STORAGE_PATH: storage\.adapter: missing; expected one of memory, fs, s3/,
    )
    expect(failed({ PRECIS_STORAGE: 'fs' })).toThrow(/^PRECIS_STORAGE: storage\.path: /)
    expect(failed({ PRECIS_KEEP_TURNS: '3' }, 'presset: pivot\n')).toThrow(/^precis\.yaml:1: presset: unknown field/)
  })
  it('is read as its field wants it: texts that look like numbers, flags', () => {
    const read = (env: Readonly<Record<string, string>>) => parseConfig('storage: { adapter: s3, bucket: b }\n', { env })
    expect(read({ PRECIS_STORAGE_BUCKET: '2024', PRECIS_STORAGE_PREFIX: 'true' }).storage).toEqual({ adapter: 's3', bucket: '2024', prefix: 'true' })
    expect([read({ PRECIS_ARCHIVE: '1' }).archive, read({ PRECIS_ARCHIVE: '0' }).archive]).toEqual([true, false])
  })
  it('chooses another storage or exporter than the file, without its fields', () => {
    const file = 'storage: { adapter: s3, bucket: b, region: x }\ntelemetry: { exporter: console, format: json }\n'
    const read = (env: Readonly<Record<string, string>>) => parseConfig(file, { env })
    expect(read({ PRECIS_STORAGE: 'fs', PRECIS_STORAGE_PATH: '1' }).storage).toEqual({ adapter: 'fs', path: '1' })
    expect(read({ PRECIS_STORAGE: 's3', PRECIS_STORAGE_PREFIX: 'p' }).storage).toEqual({ adapter: 's3', bucket: 'b', region: 'x', prefix: 'p' })
    expect(read({ PRECIS_EXPORTER: 'otlp' }).telemetry).toEqual({ exporter: 'otlp' })
  })
  it('has no variable that leads nowhere', () => {
    const sample: Record<string, string> = {
      preset: 'pivot',
      'telemetry.endpoint': 'http://127.0.0.1:9',
      'storage.adapter': 'fs',
      'telemetry.exporter': 'console',
      'policy.summary.style': 'brief',
    }
    for (const [variable, path] of Object.entries(environmentFields)) {
      const beside: Record<string, string> =
        path === 'storage.path'
          ? { PRECIS_STORAGE: 'fs' }
          : path.startsWith('storage.') && path !== 'storage.adapter'
            ? { PRECIS_STORAGE: 's3', PRECIS_STORAGE_BUCKET: 'b' }
            : path === 'storage.adapter'
              ? { PRECIS_STORAGE_PATH: '/x' }
              : path === 'telemetry.endpoint'
                ? { PRECIS_EXPORTER: 'otlp' }
                : path === 'model.maxOutput'
                  ? { PRECIS_CONTEXT_WINDOW: '9000' }
                  : {}
      const numeric = /fraction|Window|Output|turns|messages/.test(path)
      const value = sample[path] ?? (numeric ? (path.includes('fraction') ? '0.3' : '7') : /auto|archive|enabled/.test(path) ? 'true' : 'text')
      expect(() => parseConfig('', { env: { ...beside, [variable]: value } }), variable).not.toThrow()
    }
  })
})

describe('the schema', () => {
  it.each(Object.keys(presets) as PresetName[])('holds the preset %s, whole', (name) => {
    expect(policySchema.parse(presets[name])).toEqual(presets[name])
  })
  it('has the fields of a policy, no more and no less', () => {
    const complete = mergePolicy(presets.balanced, {
      trigger: { of: 'usable', emergency: { fraction: 0.9 }, request: { bytes: 9_000, media: 1 } },
      retain: { firm: true, outputTokens: 500, newestRequest: { tokens: 1 }, semantic: { clusters: 1, tokens: { tokens: 1 } } },
      prune: { store: 'all', view: { above: 9_000, bytes: 9_000 } },
      summary: { prompt: { system: 's', instruction: 'i', examples: [] }, retain: { prompt: 'p', directives: [] } },
      cost: { prices: { input: 1, cacheRead: 1, cacheWrite: 1, output: 1 }, payback: 1 },
    })
    const amounts = new Set(['fraction', 'tokens', 'free'])
    const paths = (value: unknown, path: string): readonly string[] => {
      const names = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
      if (names.length === 0 || (names.length === 1 && amounts.has(names[0] ?? ''))) return [path]
      return names.flatMap((name) => paths((value as Record<string, unknown>)[name], `${path}.${name}`))
    }
    const shapes = (schema: unknown, path: string): readonly string[] => {
      const { def, shape } = schema as { def: { type: string; innerType?: unknown }; shape?: Record<string, unknown> }
      if (def.type === 'optional' || def.type === 'nullable') return shapes(def.innerType, path)
      return shape === undefined ? [path] : Object.entries(shape).flatMap(([name, inner]) => shapes(inner, `${path}.${name}`))
    }
    expect([...shapes(policySchema, '')].sort()).toEqual([...paths(complete, '')].sort())
  })
  it('can be published for editors', () => {
    const schema = configJsonSchema() as { properties: { policy: { properties: { trigger: { properties: object } } } } }
    expect(Object.keys(schema.properties.policy.properties.trigger.properties)).toEqual(expect.arrayContaining(['hard', 'target', 'count']))
  })
})
