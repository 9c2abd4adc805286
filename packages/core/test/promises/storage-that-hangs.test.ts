import { createArchive, createCompactor, encryptedStorage, memoryStorage, neutralCodec, rotateEncryption, type StorageDriver, StorageError } from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { expect, it } from 'vitest'

const limits = { contextWindow: 16_000, maxOutput: 1_000 }
const history = generateHistory(1, { turns: 40 })
const never = () => new Promise<never>(() => {})

it.each(['get', 'list', 'delete'] as const)(
  'a deletion is not kept by a storage whose %s says nothing',
  async (which) => {
    const inner = memoryStorage()
    let hangs = false
    const storage: StorageDriver = {
      ...inner,
      get: (key, options) => (hangs && which === 'get' ? never() : inner.get(key, options)),
      delete: (key) => (hangs && which === 'delete' ? never() : inner.delete(key)),
      async *list(prefix) {
        if (hangs && which === 'list') await never()
        yield* inner.list(prefix)
      },
    }
    const time = { now: Date.UTC(2026, 0, 1) }
    const make = () => createCompactor({ codec: neutralCodec, limits, storage, clock: { now: () => time.now, id: () => crypto.randomUUID() } })
    await make().session('a').beforeModelCall(history)
    hangs = true
    time.now += 400 * 86_400_000
    const collected = await make()
      .gc({ deadline: 1 })
      .catch((error: unknown) => error)
    expect(StorageError.isInstance(collected) || (collected as { readonly failed: readonly unknown[] }).failed.length > 0).toBe(true)
    await expect(make().forget('a', { deadline: 1 })).rejects.toSatisfy((error) => StorageError.isInstance(error))
  },
  20_000,
)

it('what somebody writes under an older key while keys are rotated is rotated too', async () => {
  const ring = (current: string) => ({ key: (id = current) => ({ id, key: new Uint8Array(32).fill(id.charCodeAt(1)) }) })
  const inner = memoryStorage()
  const older = encryptedStorage(inner, ring('k1'))
  await older.put('sessions/a/state.json', 'before')
  let late = 2
  const busy: StorageDriver = {
    ...inner,
    async put(key, body, options) {
      if (late-- > 0) await older.put('sessions/a/state.json', `meanwhile ${late}`)
      return inner.put(key, body, options)
    },
  }
  expect(await rotateEncryption(busy, ring('k2'))).toEqual({ written: 1, failed: [] })
  const onlyNew = encryptedStorage(inner, { key: (id = 'k2') => (id === 'k2' ? { id, key: new Uint8Array(32).fill('2'.charCodeAt(0)) } : undefined) })
  expect((await onlyNew.get('sessions/a/state.json'))?.body).toBe('meanwhile 0')
})

it('a text that could not be rotated is said to be left', async () => {
  const ring = (current: string) => ({ key: (id = current) => ({ id, key: new Uint8Array(32).fill(id.charCodeAt(1)) }) })
  const inner = memoryStorage()
  const older = encryptedStorage(inner, ring('k1'))
  await older.put('a', 'text')
  const busy: StorageDriver = {
    ...inner,
    async put(key, body, options) {
      await older.put('a', crypto.randomUUID())
      return inner.put(key, body, options)
    },
  }
  const { written, failed } = await rotateEncryption(busy, ring('k2'))
  expect([written, failed.map(({ key }) => key)]).toEqual([0, ['a']])
})

it('events of a conversation that another process deleted are not put on record again', async () => {
  const storage = memoryStorage()
  const make = () => {
    const archive = createArchive(storage)
    return createCompactor({ codec: neutralCodec, limits, storage, archive, exporters: [archive.exporter()] })
  }
  const [serving, other] = [make(), make()]
  await serving.session('a').beforeModelCall(history)
  await serving.flush()
  await other.forget('a')
  const more = [...history, ...generateHistory(2, { turns: 40 })]
  await serving.session('a').beforeModelCall(more)
  await serving.flush()
  const events: string[] = []
  for await (const key of storage.list('sessions/a/')) if (key.includes('/events/')) events.push(key)
  expect(events).toEqual([])
})

it('a deletion does not wait for an exporter that hangs and puts nothing on record', async () => {
  const compactor = createCompactor({ codec: neutralCodec, limits, storage: memoryStorage(), exporters: [{ name: 'hangs', export: never }] })
  await compactor.session('a').beforeModelCall(history)
  expect((await compactor.forget('a')).keys).not.toEqual([])
}, 3_000)
