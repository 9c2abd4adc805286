import {
  createArchive,
  createCompactor,
  createToolOutputStore,
  type Message,
  memoryStorage,
  neutralCodec,
  type StorageDriver,
  StorageError,
} from '@precis/core'
import { generateHistory, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const limits = { contextWindow: 8_000, maxOutput: 1_000 }
const day = 86_400_000
const secret = 'ORCHID-4711'
const source = history(user('Begin.'), user(`The password is ${secret}.`), generateHistory(1, { turns: 30 }))
const stateKey = 'sessions/s/state.json'

/** A storage with room for so many characters more than it holds; a text that takes another's place needs room of its own first. `deletions` are done before it breaks. */
function withRoom(inner: StorageDriver, room: number, deletions = Infinity): StorageDriver {
  let left = room
  let deleted = 0
  return {
    ...inner,
    async put(key, body, options) {
      if (body.length > left) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      const before = (await inner.get(key))?.body.length ?? 0
      const done = await inner.put(key, body, options)
      left += before - body.length
      return done
    },
    async delete(key) {
      if (deleted++ >= deletions) throw new Error('killed')
      left += (await inner.get(key))?.body.length ?? 0
      await inner.delete(key)
    },
  }
}
const compactorOn = (storage: StorageDriver, now = Date.now()) =>
  createCompactor<Message>({
    codec: neutralCodec,
    limits,
    storage,
    archive: createArchive<Message>(storage),
    clock: { now: () => now, id: () => crypto.randomUUID() },
  })
async function stored(): Promise<StorageDriver> {
  const storage = memoryStorage()
  expect((await compactorOn(storage).session('s').beforeModelCall(source)).report.outcome).toBe('summarized')
  return storage
}
async function saying(storage: StorageDriver): Promise<readonly string[]> {
  const found: string[] = []
  for await (const key of storage.list('')) if ((await storage.get(key))?.body.includes(secret) === true) found.push(key)
  return found
}

describe('a storage without room', () => {
  it('forget: what is on record makes room for the note, and nothing is left', async () => {
    const storage = await stored()
    const done = await compactorOn(withRoom(storage, 0)).forget('s')
    expect(done.keys).toContain(stateKey)
    expect(done.keys.length).toBeGreaterThan(3)
    expect(await saying(storage)).toEqual([])
    expect((await storage.get(stateKey))?.body).toContain('"forgotten"')
  })

  it('forget: an archive with a storage of its own on the same disk makes room too', async () => {
    const [states, records] = [memoryStorage(), memoryStorage()]
    const on = (one: StorageDriver, other: StorageDriver) =>
      createCompactor<Message>({ codec: neutralCodec, limits, storage: one, archive: createArchive<Message>(other) })
    await on(states, records).session('s').beforeModelCall(source)
    let full = true
    const put: StorageDriver['put'] = async (...args) => {
      if (full) throw new Error('SQLITE_FULL: database or disk is full')
      return states.put(...args)
    }
    const frees: StorageDriver['delete'] = async (key) => {
      await records.delete(key)
      full = false
    }
    await on({ ...states, put }, { ...records, delete: frees }).forget('s')
    expect([...(await saying(states)), ...(await saying(records))]).toEqual([])
  })

  it('forget: killed at any step, the state is there or the note of its deletion, and the next call finishes', async () => {
    for (let deletions = 0; ; deletions++) {
      const storage = await stored()
      const ended = await compactorOn(withRoom(storage, 0, deletions))
        .forget('s')
        .catch((error: unknown) => error)
      expect(await storage.get(stateKey)).toBeDefined()
      if (!(ended instanceof Error)) break
      await compactorOn(storage).forget('s')
      expect(await saying(storage)).toEqual([])
    }
  })

  it('forget: where nothing makes room, the error says what could not be written, and the state stays', async () => {
    const storage = memoryStorage()
    await createCompactor({ codec: neutralCodec, limits, storage }).session('s').beforeModelCall(source)
    for await (const key of storage.list('sessions/')) if (key !== stateKey) await storage.delete(key)
    const error = await compactorOn(withRoom(storage, 0))
      .forget('s')
      .catch((thrown: unknown) => thrown)
    expect(StorageError.isInstance(error)).toBe(true)
    expect(String(error)).toContain(`could not put "${stateKey}": ENOSPC`)
    expect(await saying(storage)).toEqual([stateKey])
  })

  it('gc: what is old goes', async () => {
    const storage = await stored()
    const { conversations, failed } = await compactorOn(withRoom(storage, 0), Date.now() + 60 * day).gc()
    expect([conversations, failed]).toEqual([['s'], []])
    const left: string[] = []
    for await (const key of storage.list('sessions/')) left.push(key)
    expect(left).toEqual([])
  })
})

it('gc: an output of which nothing can be noted keeps no other one from being removed, and is reported', async () => {
  const inner = memoryStorage()
  const outputs = createToolOutputStore(inner)
  const ids: string[] = []
  for (const text of ['first', 'second', 'third']) ids.push((await outputs.save(text)).id)
  const [half = '', ...whole] = ids.sort()
  await inner.delete(`outputs/${half}/manifest.json`)
  const storage = withRoom(inner, 0)
  const compactor = createCompactor<Message>({
    codec: neutralCodec,
    storage,
    outputs: createToolOutputStore(storage),
    clock: { now: () => Date.now() + 40 * day, id: () => crypto.randomUUID() },
  })
  const done = await compactor.gc()
  expect(done.outputs).toEqual(whole)
  expect(done.failed).toEqual([{ key: `outputs/${half}/gc.json`, reason: expect.stringContaining('ENOSPC') }])
})
