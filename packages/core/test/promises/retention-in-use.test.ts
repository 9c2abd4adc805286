import {
  createArchive,
  createCompactor,
  createToolOutputStore,
  encryptedStorage,
  InvalidConfigurationError,
  type Message,
  memoryStorage,
  neutralCodec,
  rotateEncryption,
  type StorageDriver,
} from '@precis/core'
import { generateHistory, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

// What is in use stays, whoever else rewrites or copies what is stored; and however large a store is, each look through it gets on.

const limits = { contextWindow: 8_000, maxOutput: 1_000 }
const day = 86_400_000
const saying = (word: string): readonly Message[] => history(user('Begin.'), user(`The code is ${word}.`), generateHistory(1, { turns: 30 }))
const make = (storage: StorageDriver, time: { readonly now: number }, ids = { count: 0 }) =>
  createCompactor({
    codec: neutralCodec,
    limits,
    storage,
    archive: createArchive<Message>(storage),
    outputs: createToolOutputStore(storage),
    clock: { now: () => time.now, id: () => `${time.now}-${++ids.count}` },
  })

/** A conversation that was compacted once and is in use since, without anything to write. */
async function inUse(storage: StorageDriver, time: { now: number }): Promise<void> {
  await make(storage, time).session('used').beforeModelCall(saying('ROSE-1'))
  time.now += 25 * day
  expect((await make(storage, time).session('used').beforeModelCall(saying('ROSE-1'))).report.outcome).toBe('projected')
  expect(await storage.get('sessions/used/used.json')).toBeDefined()
}

describe('a conversation in use stays', () => {
  it('when keys are rotated before gc looks', async () => {
    const inner = memoryStorage()
    const ring = (current: string) => ({ key: (id = current) => ({ id, key: new Uint8Array(32).fill(id.charCodeAt(1)) }) })
    const time = { now: Date.UTC(2026, 0, 1) }
    await inUse(encryptedStorage(inner, ring('k1')), time)
    expect((await rotateEncryption(inner, ring('k2'))).failed).toEqual([])
    time.now += 10 * day
    expect((await make(encryptedStorage(inner, ring('k2')), time).gc()).conversations).toEqual([])
    time.now += 21 * day
    expect((await make(encryptedStorage(inner, ring('k2')), time).gc()).conversations).toEqual(['used'])
  })

  it('when a day is all that it may rest', async () => {
    const storage = memoryStorage()
    const time = { now: Date.UTC(2026, 0, 1) }
    const session = make(storage, time).session('used')
    for (let step = 0; step < 24 * 4; step++, time.now += day / 96) await session.beforeModelCall(saying('ROSE-1'))
    expect((await make(storage, time).gc({ retention: { days: 1 } })).conversations).toEqual([])
    time.now += day * 1.1
    expect((await make(storage, time).gc({ retention: { days: 1 } })).conversations).toEqual(['used'])
  })

  it('when the store was copied, and every version with it is another', async () => {
    const [before, copy] = [memoryStorage(), memoryStorage()]
    const time = { now: Date.UTC(2026, 0, 1) }
    await inUse(before, time)
    // So that versions differ.
    for (let at = 0; at < 50; at++) await copy.put('another/key', `${at}`)
    for await (const key of before.list('')) await copy.put(key, (await before.get(key))?.body ?? '')
    time.now += 10 * day
    expect((await make(copy, time).gc()).conversations).toEqual([])
  })

  it('when the archive is pruned: the state and the transcript of one that was used since are left, and of others the state', async () => {
    const storage = memoryStorage()
    const time = { now: Date.UTC(2026, 0, 1) }
    await make(storage, time).session('idle').beforeModelCall(saying('TULIP-2'))
    await inUse(storage, time)
    const archive = createArchive<Message>(storage)
    await archive.prune(time.now - day)
    const keys: string[] = []
    for await (const key of storage.list('sessions/')) keys.push(key)
    expect(keys).toContain('sessions/used/state.json')
    expect(keys).toContain('sessions/used/used.json')
    expect((await archive.read('used')).messages).toEqual(saying('ROSE-1'))
    expect(keys.filter((key) => key.startsWith('sessions/idle/') && !key.endsWith('outputs.json'))).toEqual(['sessions/idle/state.json'])
  })
})

describe('gc of a large store', () => {
  /** A storage whose list takes longer than a call has. */
  const slow = (inner: StorageDriver): StorageDriver => ({
    ...inner,
    async *list(prefix) {
      for await (const key of inner.list(prefix)) {
        await new Promise((resolve) => setTimeout(resolve, 3))
        yield key
      }
    },
  })

  it('ends in the documented loop, however slow its list is', async () => {
    const storage = memoryStorage()
    const time = { now: Date.UTC(2026, 0, 1) }
    for (let at = 0; at < 4; at++)
      await make(storage, time)
        .session(`old-${at}`)
        .beforeModelCall(saying(`OLD-${at}`))
    time.now += 31 * day
    const nightly = make(slow(storage), time)
    const gone: string[] = []
    let [from, calls]: [string | undefined, number] = [undefined, 0]
    do {
      const { conversations, next } = await nightly.gc({ from, deadline: 1 })
      gone.push(...conversations)
      from = next
    } while (from !== undefined && ++calls < 20)
    expect(from).toBeUndefined()
    expect(gone).toEqual(['old-0', 'old-1', 'old-2', 'old-3'])
  })

  it('goes on with outputs without another look at conversations', async () => {
    const storage = memoryStorage()
    const time = { now: Date.UTC(2026, 0, 1) }
    await make(storage, time).session('s').beforeModelCall(saying('ROSE-1'))
    const listed: string[] = []
    const watched: StorageDriver = {
      ...storage,
      list(prefix) {
        listed.push(prefix)
        return storage.list(prefix)
      },
    }
    expect((await make(watched, time).gc({ from: 'outputs' })).next).toBeUndefined()
    expect(listed).toEqual(['outputs/'])
    expect((await make(storage, time).gc({ from: 'outputs', deadline: 0 })).next).toBeUndefined()
  })

  it.each([0, -1, Number.NaN])('a limit of %j, with which nothing would get on, is refused', async (limit) => {
    await expect(make(memoryStorage(), { now: 0 }).gc({ limit })).rejects.toSatisfy((error) => InvalidConfigurationError.isInstance(error))
  })
})

it('a look through outputs ends with its deadline, however many there are', async () => {
  const inner = memoryStorage()
  let reads = 0
  const storage: StorageDriver = {
    ...inner,
    get: (key, options) => {
      reads++
      return new Promise((resolve) => setTimeout(resolve, 20)).then(() => inner.get(key, options))
    },
  }
  const outputs = createToolOutputStore(inner)
  for (let at = 0; at < 400; at++) await outputs.save(`output ${at}`)
  const compactor = createCompactor({ codec: neutralCodec, limits, storage, outputs: createToolOutputStore(storage) })
  const { outputs: gone, failed } = await compactor.gc({ deadline: 60, from: 'outputs', retention: { days: 1 } })
  expect([gone, failed[0]?.reason]).toEqual([[], 'not everything could be read within 60 ms (deadline)'])
  expect(reads).toBeLessThan(300)
})
