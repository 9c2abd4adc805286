import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeConfig, loadConfig, parseConfig } from '@precis/config'
import { createCompactor, neutralCodec } from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { afterAll, describe, expect, it } from 'vitest'

const folders: string[] = []
afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true, force: true }))))

/** Files of one folder; the first is the configuration. */
async function load(yaml: string, modules: Readonly<Record<string, string>> = {}, env: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'precis-own-'))
  folders.push(folder)
  for (const [name, text] of Object.entries({ 'precis.yaml': yaml, ...modules })) await writeFile(join(folder, name), text.replaceAll('FOLDER', folder))
  return loadConfig({ path: join(folder, 'precis.yaml'), env })
}
const limits = 'model: { contextWindow: 8000, maxOutput: 1000 }\n'
const source = generateHistory(3, { turns: 20 })

const storageModule = `
const seen = globalThis.precisSeen = new Map()
const make = async (options) => ({
  name: options.name,
  async get(key) { const body = seen.get(key); return body === undefined ? undefined : { body, version: String(body.length) } },
  async put(key, body) { seen.set(key, body); return { version: String(body.length) } },
  async delete(key) { seen.delete(key) },
  async *list(prefix) { for (const key of seen.keys()) if (key.startsWith(prefix)) yield key },
})
`

describe('a storage of one’s own, from a file', () => {
  it.each([
    ['default', 'export default make'],
    ['createTable', 'export const other = 1\nexport { make as createTable }'],
  ])('exported as %s, with its options', async (_, exported) => {
    const yaml = `${limits}storage: { adapter: custom, module: ./own.mjs, options: { name: mine }, variables: { url: DATABASE_URL } }\narchive: true\n`
    const config = await load(yaml, { 'own.mjs': storageModule + exported }, { DATABASE_URL: 'db://x' })
    expect(config.storage?.name).toBe('mine')
    await createCompactor({ codec: neutralCodec, ...config })
      .session('s')
      .beforeModelCall(source)
    expect((globalThis as unknown as { precisSeen: Map<string, string> }).precisSeen.size).toBeGreaterThan(1)
  })
  it('a variable’s value stands among the options, at its path', async () => {
    const own = 'export default (options) => ({ name: JSON.stringify(options), get() {}, put() {}, delete() {}, list() {} })'
    const yaml = 'storage: { adapter: custom, module: ./own.mjs, options: { pool: { size: 2 } }, variables: { pool.url: DATABASE_URL } }\n'
    expect((await load(yaml, { 'own.mjs': own }, { DATABASE_URL: 'db://x' })).storage?.name).toBe('{"pool":{"size":2,"url":"db://x"}}')
  })
  it.each([
    ['a module that is not there', './none.mjs', {}, 'storage.module: ./none.mjs cannot be loaded'],
    ['a package, not a path', 'some-package', {}, 'precis.yaml:1: storage.module: expected a path that begins with ./'],
    ['no function', './own.mjs', { 'own.mjs': 'export const a = 1' }, 'storage.module: ./own.mjs exports a; export one function as default or as create…'],
    ['two functions', './own.mjs', { 'own.mjs': 'export const createA = () => {}, createB = () => {}' }, 'several such functions (createA, createB)'],
    ['one that throws', './own.mjs', { 'own.mjs': 'export default () => { throw new Error("no table") }' }, 'storage.module: ./own.mjs failed: no table'],
    ['something else', './own.mjs', { 'own.mjs': 'export default () => ({ get() {}, put() {} })' }, 'missing: delete, list'],
  ])('%s is named', async (_, module, files, expected) => {
    await expect(load(`storage: { adapter: custom, module: ${module} }\n`, files)).rejects.toThrow(expected)
  })
  it('no module, a variable that is not set, an unknown adapter', async () => {
    await expect(load('storage: { adapter: custom }\n')).rejects.toThrow('storage.module')
    const own = { 'own.mjs': `${storageModule}export default make` }
    await expect(load('storage: { adapter: custom, module: ./own.mjs, variables: { url: NOT_SET } }\n', own)).rejects.toThrow(
      'storage.variables.url: the variable NOT_SET is not set',
    )
    await expect(load('storage: { adapter: postgress }\n')).rejects.toThrow('storage.adapter')
  })
  it('is closed with its configuration, once nobody uses it', async () => {
    const own = 'export default () => ({ get() {}, put() {}, delete() {}, list() {}, close() { globalThis.precisClosed = true } })'
    const config = await load('storage: { adapter: custom, module: ./own.mjs }\n', { 'own.mjs': own })
    expect(globalThis).not.toHaveProperty('precisClosed')
    await closeConfig(config)
    expect(globalThis).toHaveProperty('precisClosed', true)
    await closeConfig(await load('storage: { adapter: memory }\n'))
  })
  it('reading a file runs nothing: only loading it does', () => {
    expect(parseConfig('storage: { adapter: custom, module: ./never.mjs }\n')).toEqual({ storage: { adapter: 'custom', module: './never.mjs' } })
  })
})

describe('an exporter of one’s own, from a file', () => {
  it('gets its options and the events', async () => {
    const own =
      'export const createCounts = ({ into }) => ({ name: "counts", export(events) { (globalThis[into] ??= []).push(...events.map((one) => one.event)) } })'
    const config = await load(`${limits}telemetry: { exporter: custom, module: ./counts.mjs, options: { into: precisCounts } }\n`, { 'counts.mjs': own })
    const compactor = createCompactor({ codec: neutralCodec, ...config })
    await compactor.session('s').beforeModelCall(source)
    await compactor.shutdown()
    expect((globalThis as unknown as { precisCounts: string[] }).precisCounts).toContain('compact.finished')
  })
  it('one that exports nothing is named', async () => {
    const yaml = 'telemetry: { exporter: custom, module: ./own.mjs }\n'
    await expect(load(yaml, { 'own.mjs': 'export default () => ({ name: "x" })' })).rejects.toThrow(
      'telemetry.module: ./own.mjs made no exporter: an exporter has export; missing: export',
    )
  })
})

describe('a driver of unstorage, from a file', () => {
  it('in memory', async () => {
    const { storage } = await load('storage: { adapter: unstorage, driver: memory }\n')
    expect(storage?.name).toBe('unstorage memory')
    await storage?.put('a/b', 'text')
    expect((await storage?.get('a/b'))?.body).toBe('text')
  })
  it('redis, its address from the environment; nothing is connected before it is used', async () => {
    const yaml = 'storage: { adapter: unstorage, driver: redis, options: { base: precis, lazyConnect: true }, variables: { url: REDIS_URL } }\n'
    const { storage } = await load(yaml, {}, { REDIS_URL: 'redis://127.0.0.1:1' })
    expect([storage?.name, storage?.remote]).toEqual(['unstorage redis', true])
  })
  it('a database, over db0', async () => {
    const options = '{ database: { connector: node-sqlite, options: { path: FOLDER/own.db } }, tableName: precis }'
    const config = await load(`${limits}storage: { adapter: unstorage, driver: db0, options: ${options} }\n`)
    const { report } = await createCompactor({ codec: neutralCodec, ...config })
      .session('s')
      .beforeModelCall(source)
    expect(report.outcome).toBe('summarized')
    const keys: string[] = []
    for await (const key of config.storage?.list('') ?? []) keys.push(key)
    expect(keys.length).toBeGreaterThan(0)
  })
  it.each([
    ['a driver nobody knows', '{ adapter: unstorage, driver: rediss-x }', 'storage.driver: needs unstorage’s driver rediss-x'],
    ['a path for a driver', '{ adapter: unstorage, driver: ../x }', 'storage.driver: expected the name of a driver of unstorage'],
    ['no driver', '{ adapter: unstorage }', 'storage.driver'],
    [
      'a database that is none',
      '{ adapter: unstorage, driver: db0, options: { database: postgres } }',
      'storage.options.database: expected { connector, options }',
    ],
    [
      'a connector nobody knows',
      '{ adapter: unstorage, driver: db0, options: { database: { connector: nosuch } } }',
      'storage.options.database.connector: needs db0’s connector',
    ],
  ])('%s is named', async (_, storage, expected) => {
    await expect(load(`storage: ${storage}\n`)).rejects.toThrow(expected)
  })
})
