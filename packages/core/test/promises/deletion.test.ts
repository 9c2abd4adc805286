import {
  type CompactionState,
  createArchive,
  createCompactor,
  createToolOutputStore,
  encryptedStorage,
  InvalidConfigurationError,
  type Message,
  memoryStorage,
  neutralCodec,
  parseState,
  type StorageDriver,
} from '@precis/core'
import { call, fakeSummarizer, generateHistory, history, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const limits = { contextWindow: 8_000, maxOutput: 1_000 }
const day = 86_400_000
const secret = 'ORCHID-4711'
const saying = (word: string, seed = 1): readonly Message[] => history(user('Begin.'), user(`The password is ${word}.`), generateHistory(seed, { turns: 30 }))

async function bodies(...storages: readonly StorageDriver[]): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {}
  for (const storage of storages) for await (const key of storage.list('')) found[key] = (await storage.get(key))?.body ?? ''
  return found
}
const keysSaying = (found: Readonly<Record<string, string>>, word: string): readonly string[] =>
  Object.entries(found).flatMap(([key, body]) => (body.includes(word) ? [key] : []))
const clockAt = (time: { now: number }) => {
  let ids = 0
  return { now: () => time.now, id: () => `${time.now}-${++ids}` }
}

describe('a conversation that is deleted', () => {
  it('while another process writes its first summary: nothing of it is stored, and the agent goes on', async () => {
    const storage = memoryStorage()
    const archive = createArchive<Message>(storage)
    let goOn = (): void => {}
    const mayGoOn = new Promise<void>((free) => {
      goOn = free
    })
    const asked = new Promise<void>((resolve) => {
      const summarizer = fakeSummarizer()
      const slow = {
        ...summarizer,
        summarize: async (...args: Parameters<typeof summarizer.summarize>) => {
          resolve()
          await mayGoOn
          return summarizer.summarize(...args)
        },
      }
      working = createCompactor({ codec: neutralCodec, limits, storage, archive, summarizer: slow }).session('s').beforeModelCall(saying(secret))
    })
    await asked
    const deleted = await createCompactor({ codec: neutralCodec, storage, archive }).forget('s')
    expect(deleted.keys.length).toBeGreaterThan(1)
    goOn()
    const { messages, report } = await working
    expect(report.outcome).toBe('summarized')
    expect(report.warnings.join()).toContain('deleted')
    expect(messages.length).toBeLessThan(saying(secret).length)
    expect(keysSaying(await bodies(storage), secret)).toEqual([])
  })
  let working: ReturnType<ReturnType<ReturnType<typeof createCompactor<Message>>['session']>['beforeModelCall']>

  it('is deleted in three storages, whichever of them holds something', async () => {
    const [states, records, files] = [memoryStorage(), memoryStorage(), memoryStorage()]
    const archive = createArchive<Message>(records)
    const outputs = createToolOutputStore(files, { keep: 'all' })
    const make = () => createCompactor({ codec: neutralCodec, limits, storage: states, archive, outputs, exporters: [archive.exporter()] })
    const source = history(saying(secret), call('read', 'c', {}), result('c', `${secret}\n`.repeat(40)), user('And?'))
    await make().session('s').beforeModelCall(source)
    for (const storage of [states, records, files]) expect(keysSaying(await bodies(storage), secret)).not.toEqual([])
    const done = await make().forget('s')
    expect(done.outputs.length).toBeGreaterThan(0)
    expect(keysSaying(await bodies(states, records, files), secret)).toEqual([])
    expect(Object.keys(await bodies(records, files))).toEqual([])
  })

  it('is deleted although its key is lost', async () => {
    const plain = memoryStorage()
    const sealed = (id: string) =>
      encryptedStorage(plain, { key: (asked = id) => (asked === id ? { id, key: new Uint8Array(32).fill(id.length) } : undefined) })
    const make = (storage: StorageDriver) => createCompactor({ codec: neutralCodec, limits, storage, archive: createArchive<Message>(storage) })
    await make(sealed('old')).session('s').beforeModelCall(saying(secret))
    const other = make(sealed('newer'))
    expect((await other.forget('s')).keys).toHaveLength(4)
    expect(Object.keys(await bodies(plain))).toEqual(['redaction/salt.json', 'sessions/s/state.json'])
    expect((await other.forget('s')).keys).toEqual([])
  })

  it('names outputs that nobody could look for in time: the next gc takes them, however new they are', async () => {
    const storage = memoryStorage()
    const outputs = createToolOutputStore(storage, { keep: 'all' })
    const compactor = createCompactor({ codec: neutralCodec, limits, storage, outputs })
    for (const id of ['a', 'b'])
      await compactor.session(id).beforeModelCall(history(user(id), call('read', 'c', {}), result('c', `${id} file\n`.repeat(40)), user('And?')))
    await new Promise((resolve) => setTimeout(resolve, 5))
    const slow = {
      ...outputs,
      gc: (texts: Parameters<typeof outputs.gc>[0], options: Parameters<typeof outputs.gc>[1]) =>
        outputs.gc(
          (async function* () {
            await new Promise((resolve) => setTimeout(resolve, 20))
            yield* texts
          })(),
          options,
        ),
    }
    const done = await createCompactor({ codec: neutralCodec, storage, outputs: slow }).forget('a', { deadline: 1 })
    expect([done.outputs, done.left.length]).toEqual([[], 1])
    expect((await compactor.gc()).outputs).toEqual(done.left)
    expect((await compactor.gc()).outputs).toEqual([])
  })

  it('leaves its id free: for a new conversation, and for a fork, which takes nothing along', async () => {
    const storage = memoryStorage()
    const compactor = createCompactor({ codec: neutralCodec, limits, storage })
    await compactor.session('s').beforeModelCall(saying(secret))
    await compactor.session('other').beforeModelCall(saying('LILY-2', 2))
    await compactor.forget('s')
    await compactor.session('s').beforeModelCall(saying(secret))
    await compactor.fork('s', 'copy')
    expect(keysSaying(await bodies(storage), secret)).toEqual([])
    await compactor.forget('to')
    await compactor.fork('other', 'to')
    expect((await compactor.session('to').beforeModelCall(saying('LILY-2', 2))).report.outcome).toBe('projected')
  })

  it('is noticed by a process that was away longer than the note of the deletion lasts', async () => {
    const storage = memoryStorage()
    const time = { now: Date.UTC(2026, 0, 1) }
    const make = () => createCompactor({ codec: neutralCodec, limits, storage, clock: clockAt(time) })
    const there = make().session('s')
    await there.beforeModelCall(saying(secret))
    await make().forget('s')
    time.now += 8 * day
    expect((await make().gc()).tombstones).toBe(1)
    expect(Object.keys(await bodies(storage))).toEqual(['redaction/salt.json']) // nobody's
    await there.schedule()
    expect(keysSaying(await bodies(storage), secret)).toEqual([])
    expect(there.state().checkpoints).toEqual([])
  })
})

describe('retention', () => {
  it.each([0, -1, 30, 3_600_000, Number.NaN, { days: 0 }, { days: 'x' }, { days: '30' }, { days: 30, hours: 1 }, true, null])('%j is refused', (retention) => {
    expect(() => createCompactor({ codec: neutralCodec, retention: retention as never })).toThrow(InvalidConfigurationError)
  })

  it('of half a day is twelve hours', async () => {
    const storage = memoryStorage()
    const time = { now: Date.now() }
    const compactor = createCompactor({ codec: neutralCodec, limits, storage, clock: clockAt(time), retention: { days: 0.5 } })
    await compactor.session('s').beforeModelCall(saying(secret))
    const other = createCompactor({ codec: neutralCodec, limits, storage, clock: clockAt(time), retention: { days: 0.5 } })
    const gone: number[] = []
    for (const hours of [11, 2]) {
      time.now += hours * 3_600_000
      gone.push((await other.gc()).conversations.length)
    }
    expect(gone).toEqual([0, 1])
  })

  it('leaves alone what this process uses, and outputs that the host names', async () => {
    const storage = memoryStorage()
    const time = { now: Date.now() }
    const outputs = createToolOutputStore(storage)
    const compactor = createCompactor({ codec: neutralCodec, limits, storage, outputs, clock: clockAt(time), retention: { days: 10 } })
    const session = compactor.session('s')
    await session.beforeModelCall(saying(secret))
    const text = await compactor.receiveOutput('read', 'a line of a file\n'.repeat(20_000))
    const [id = ''] = /out-[0-9a-f]{16}/.exec(text) ?? []
    for (let at = 0; at < 5; at++) {
      time.now += 9 * day
      await session.view(saying(secret))
      expect((await compactor.gc({ texts: [text] })).conversations).toEqual([])
    }
    expect(await outputs.find(id)).toBeDefined()
    expect((await compactor.gc()).outputs).toEqual([id])
    time.now += 11 * day
    expect((await compactor.gc()).conversations).toEqual(['s'])
    expect(session.state().checkpoints).toEqual([])
  })

  it('a conversation that goes on while it is removed is stored again, whole', async () => {
    const storage = memoryStorage()
    const time = { now: Date.UTC(2026, 0, 1) }
    const make = (over: StorageDriver) => createCompactor({ codec: neutralCodec, limits, storage: over, clock: clockAt(time) })
    await make(storage).session('s').beforeModelCall(saying('ROSE-1'))
    time.now += 31 * day
    const busy: StorageDriver = {
      ...storage,
      async put(key, body, options) {
        if (options?.ifVersion !== undefined && body.includes('"checkpoints":[]')) {
          const found = JSON.parse((await storage.get(key))?.body ?? '') as CompactionState
          await storage.put(key, JSON.stringify({ ...found, pending: { by: 'user' } }))
        }
        return storage.put(key, body, options)
      },
    }
    expect((await make(busy).gc()).conversations).toEqual([])
    expect(keysSaying(await bodies(storage), 'ROSE-1')).toEqual(['sessions/s/state.json'])
  })
})

describe('an old and a new process on one store', () => {
  const key = 'sessions/s/state.json'
  it('a state of before is read; what is written has all that it had, and one field more that is carried along', async () => {
    const storage = memoryStorage()
    const make = () => createCompactor({ codec: neutralCodec, limits, storage })
    const source = saying('ROSE-1')
    const { messages } = await make().session('s').beforeModelCall(source)
    const { written, ...old } = JSON.parse((await storage.get(key))?.body ?? '') as CompactionState
    expect(written?.checkpoint).toBe(old.checkpoints.at(-1)?.id)
    expect(Object.keys(old).sort()).toEqual(['breaker', 'calibration', 'checkpoints', 'format'])
    await storage.put(key, JSON.stringify(old))
    const session = make().session('s')
    expect((await session.beforeModelCall(source)).messages).toEqual(messages)
    await session.schedule()
    const { written: now, pending, ...kept } = JSON.parse((await storage.get(key))?.body ?? '') as CompactionState
    expect([kept, pending, typeof now?.at]).toEqual([old, { by: 'user' }, 'number'])
    expect(parseState(JSON.stringify({ ...old, written: 'damaged', added: 1 }))).toMatchObject(old)
  })

  it('what an old process wrote after a new one is new from the first look: it carries a time along that is not its own', async () => {
    const storage = memoryStorage()
    const time = { now: Date.UTC(2026, 0, 1) }
    const make = () => createCompactor({ codec: neutralCodec, limits, storage, clock: clockAt(time) })
    await make().session('s').beforeModelCall(saying('ROSE-1'))
    const state = JSON.parse((await storage.get(key))?.body ?? '') as CompactionState
    await storage.put(key, JSON.stringify({ ...state, checkpoints: [{ ...state.checkpoints[0], id: 'of-the-old-process' }] }))
    time.now += 31 * day
    expect((await make().gc()).conversations).toEqual([])
    time.now += 31 * day
    expect((await make().gc()).conversations).toEqual(['s'])
  })
})
