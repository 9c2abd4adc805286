import {
  ConflictError,
  createArchive,
  createCompactor,
  createToolOutputStore,
  type Message,
  memoryStorage,
  neutralCodec,
  type StorageDriver,
} from '@precis/core'
import { assistant, call, fakeStorage, fakeSummarizer, generateHistory, history, result, user } from '@precis/testkit'
import { expect, it } from 'vitest'

const limits = { contextWindow: 8_000, maxOutput: 1_000 }
const secret = 'ORCHID-4711'
const later = 'LILY-2'

async function keysSaying(storage: StorageDriver, word: string): Promise<readonly string[]> {
  const found: string[] = []
  for await (const key of storage.list('')) if ((await storage.get(key))?.body.includes(word) === true) found.push(key)
  return found
}

it.each(['the same process', 'another one'])(
  'a conversation that is deleted while its outputs are stored, before its first summary, by %s: nothing of it is stored',
  async (who) => {
    const storage = memoryStorage()
    let keeping = (): void => {}
    const isKeeping = new Promise<void>((resolve) => {
      keeping = resolve
    })
    const slow: StorageDriver = {
      ...storage,
      async put(key, body, options) {
        if (key.startsWith('outputs/')) {
          keeping()
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
        return storage.put(key, body, options)
      },
    }
    const made = (on: StorageDriver) =>
      createCompactor({ codec: neutralCodec, limits, storage: on, archive: createArchive<Message>(on), outputs: createToolOutputStore(on, { keep: 'all' }) })
    const there = made(slow)
    const said = history(
      user(`The password is ${secret}.`),
      ...Array.from({ length: 12 }, (_, at) => [call('read', `c${at}`, {}), result(`c${at}`, `line ${at} `.repeat(900))]).flat(),
    )
    const working = there.session('s').beforeModelCall(said)
    await isKeeping
    await (who === 'another one' ? made(storage) : there).forget('s')
    expect((await working).report.warnings.join()).toContain('deleted')
    await there.flush()
    expect(await keysSaying(storage, secret)).toEqual([])
    // Its id is free for what is said from then on.
    const anew = history(user('Begin.'), user(`The password is ${later}.`), generateHistory(2, { turns: 30 }))
    expect((await there.session('s').beforeModelCall(anew)).report.warnings).toEqual([])
    expect(await keysSaying(storage, later)).not.toEqual([])
  },
)

it.each(['the same process', 'another one'])('an unnamed conversation that has another id since its summary was stored, by %s', async (who) => {
  const storage = memoryStorage()
  const made = () => createCompactor({ codec: neutralCodec, limits, storage, archive: createArchive<Message>(storage) })
  const short = history(user(`The password is ${secret}.`), assistant('word '.repeat(7_000)), user('and now?'))
  const there = made()
  const { report } = await there.conversation(short).beforeModelCall(short)
  expect(report.outcome).not.toBe('unchanged')
  expect(await keysSaying(storage, secret)).not.toEqual([])
  const long = history(short, assistant('yes'), user('go on'), assistant('done'), user('and now?'))
  const here = who === 'another one' ? made() : there
  const { id } = here.conversation(long)
  expect(id).not.toBe(there.conversation(short).id)
  const would = await here.forget(id, { dryRun: true })
  expect(await keysSaying(storage, secret)).not.toEqual([])
  const { keys } = await here.forget(id)
  expect(keys).toEqual(would.keys)
  expect(keys.length).toBeGreaterThan(0)
  expect(await keysSaying(storage, secret)).toEqual([])
  expect(await here.forget(id)).toEqual({ keys: [], outputs: [], left: [] })
  // Nothing of it comes back.
  await here.conversation(long).beforeModelCall(long)
  expect(await keysSaying(storage, secret)).toEqual([])
})

it.each(['the same process', 'another one'])(
  'a conversation that is deleted before anything left its context is not stored when it goes on, by %s',
  async (who) => {
    const storage = memoryStorage()
    const made = () => createCompactor({ codec: neutralCodec, limits, storage, archive: createArchive<Message>(storage) })
    const there = made()
    const said = history(user(`The password is ${secret}.`), assistant('I see.'))
    await there.session('s').beforeModelCall(said)
    await (who === 'another one' ? made() : there).forget('s')
    const { report } = await there.session('s').beforeModelCall(history(said, generateHistory(3, { turns: 30 })))
    expect(report.warnings.join()).toContain('deleted')
    await there.flush()
    expect(await keysSaying(storage, secret)).toEqual([])
  },
)

it('what an aborted call put on record in the moment of the deletion goes with its next one', async () => {
  const storage = memoryStorage()
  let [atPut, go] = [(): void => {}, (): void => {}]
  const isAt = new Promise<void>((resolve) => {
    atPut = resolve
  })
  const open = new Promise<void>((resolve) => {
    go = resolve
  })
  const slow: StorageDriver = {
    ...storage,
    async put(key, ...more) {
      if (key.includes('/transcript/')) {
        atPut()
        await open
      }
      return storage.put(key, ...more)
    },
  }
  const there = createCompactor({ codec: neutralCodec, limits, storage: slow, archive: createArchive<Message>(slow), summarizer: fakeSummarizer('hangs') })
  const stop = new AbortController()
  const said = history(user(`The password is ${secret}.`), generateHistory(3, { turns: 30 }))
  const working = there.session('s').beforeModelCall(said, { signal: stop.signal })
  await isAt
  await createCompactor({ codec: neutralCodec, limits, storage, archive: createArchive<Message>(storage) }).forget('s')
  go()
  await expect.poll(() => keysSaying(storage, secret)).not.toEqual([])
  stop.abort(new Error('enough'))
  await expect(working).rejects.toThrow('enough')
  await there.session('s').schedule()
  expect(await keysSaying(storage, secret)).toEqual([])
})

it('forget ends where a storage does not answer, or is always written by others', async () => {
  const storage = memoryStorage()
  let isAway = false
  const partly: StorageDriver = {
    ...storage,
    get: (key, ...more) => (isAway && key.startsWith('sessions/other/') ? new Promise(() => {}) : storage.get(key, ...more)),
  }
  const compactor = createCompactor({ codec: neutralCodec, limits, storage: partly, outputs: createToolOutputStore(partly, { keep: 'all' }) })
  for (const id of ['other', 's']) await compactor.session(id).beforeModelCall(generateHistory(3, { turns: 30 }))
  isAway = true
  expect((await compactor.forget('s', { deadline: 20 })).left.length).toBeGreaterThan(0)
  await expect(createCompactor({ codec: neutralCodec, limits, storage: fakeStorage('conflicts') }).forget('s')).rejects.toThrow(ConflictError)
}, 60_000)
