import { ConflictError, createArchive, createCompactor, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { expect, it } from 'vitest'

const limits = { contextWindow: 16_000, maxOutput: 1_000 }
const history = [...generateHistory(1, { turns: 40 }), ...generateHistory(3, { turns: 15 })]

/** A storage behind a proxy that says the versions of what is there in its own way: no condition ever holds. */
function weak(storage: StorageDriver): { readonly driver: StorageDriver; readonly puts: string[] } {
  const puts: string[] = []
  const driver: StorageDriver = {
    ...storage,
    async get(key, options) {
      const found = await storage.get(key, options)
      return found && { ...found, version: `W/${found.version}` }
    },
    put(key, body, options) {
      puts.push(key)
      return storage.put(key, body, options)
    },
  }
  return { driver, puts }
}

it('a storage in which no condition holds is asked a few times and no more', async () => {
  const storage = memoryStorage()
  const { driver, puts } = weak(storage)
  const make = () => createCompactor({ codec: neutralCodec, limits, storage: driver, archive: createArchive(driver) })
  await make().session('s').beforeModelCall(history.slice(0, 200))
  puts.length = 0
  const { report } = await make().session('s').beforeModelCall(history)
  expect(report.outcome).toBe('summarized')
  expect(report.warnings).toContain('the checkpoint could not be stored; it holds in this process only')
  expect(puts.filter((key) => key.endsWith('state.json')).length).toBeLessThanOrEqual(3)
  expect(puts.filter((key) => key.includes('transcript/')).length).toBeLessThanOrEqual(6)
})

it('nor one that refuses whatever has a condition', async () => {
  const storage = memoryStorage()
  let puts = 0
  const driver: StorageDriver = {
    ...storage,
    async put(key, body, options) {
      puts++
      if (options?.ifVersion !== undefined) throw new ConflictError(key)
      return storage.put(key, body, options)
    },
  }
  const { report } = await createCompactor({ codec: neutralCodec, limits, storage: driver, archive: createArchive(driver) })
    .session('s')
    .beforeModelCall(history)
  expect(report.outcome).toBe('summarized')
  expect(puts).toBeLessThanOrEqual(20)
})
