import { createCompactor, memoryStorage, neutralCodec, type StorageDriver, StorageError } from '@precis/core'
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

it('a deletion does not wait for an exporter that hangs and puts nothing on record', async () => {
  const compactor = createCompactor({ codec: neutralCodec, limits, storage: memoryStorage(), exporters: [{ name: 'hangs', export: never }] })
  await compactor.session('a').beforeModelCall(history)
  expect((await compactor.forget('a')).keys).not.toEqual([])
}, 3_000)
