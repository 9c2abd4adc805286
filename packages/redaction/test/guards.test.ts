import {
  createArchive,
  createCompactor,
  createToolOutputStore,
  type Message,
  memoryStorage,
  neutralCodec,
  type StorageDriver,
  type Summarizer,
  type SummaryRequest,
} from '@precis/core'
import { guardedStorage, guardedSummarizer, type RedactionService } from '@precis/redaction'
import { call, fakeSummarizer, generateHistory, result } from '@precis/testkit'
import { expect, it } from 'vitest'

const service: RedactionService = async (texts) => texts.map((text) => text.replaceAll('Zeta', '[project]'))
const away: RedactionService = async () => {
  throw new Error('the service is away')
}
const history: readonly Message[] = [{ role: 'user', parts: [{ type: 'text', text: 'Keep Zeta secret.' }] }, ...generateHistory(3, { turns: 40 })]

function session(guard: RedactionService) {
  const [storage, summarizer] = [memoryStorage(), fakeSummarizer()]
  const compactor = createCompactor({
    codec: neutralCodec,
    limits: { contextWindow: 8_000, maxOutput: 500 },
    policy: { summary: { author: 'model' } },
    summarizer: guardedSummarizer(summarizer, guard),
    archive: createArchive<Message>(guardedStorage(storage, guard)),
  })
  return { session: compactor.session('s'), storage, summarizer }
}

it('a service at the doors sees every request and every write, and the agent goes on', async () => {
  const { session: own, storage, summarizer } = session(service)
  await own.beforeModelCall(history)
  let stored = ''
  for await (const key of storage.list('')) stored += (await storage.get(key))?.body
  expect(stored).toContain('Keep [project] secret.')
  expect(stored).not.toContain('Zeta')
  expect(summarizer.requests.length).toBeGreaterThan(0)
  expect(JSON.stringify(summarizer.requests)).not.toContain('Zeta')
})

it('while the service is away nothing passes, and the agent goes on', async () => {
  const { session: own, storage, summarizer } = session(away)
  const { messages, report } = await own.beforeModelCall(history)
  expect(messages.length).toBeLessThan(history.length)
  expect(report.warnings.join()).toContain('could not be archived')
  expect(summarizer.requests).toEqual([])
  for await (const key of storage.list('')) expect.unreachable(key)
})

/** Everything that a storage holds, by key. */
async function dumped(storage: StorageDriver): Promise<Readonly<Record<string, string>>> {
  const all: Record<string, string> = {}
  for await (const key of storage.list('')) all[key] = (await storage.get(key))?.body ?? ''
  return all
}

it('arguments and outputs of tools are shown to the service whatever their fields are called, and the names of those too', async () => {
  const storage = memoryStorage()
  const guarded = guardedStorage(storage, service)
  const compactor = createCompactor<Message>({
    codec: neutralCodec,
    limits: { contextWindow: 8_000, maxOutput: 500 },
    storage: guarded,
    archive: createArchive<Message>(guarded),
    outputs: createToolOutputStore(guarded, { keep: 'all' }),
  })
  const fields = ['id', 'key', 'parent', 'callId', 'checkpoint', 'path', 'Zeta of mine']
  const told = Object.fromEntries(fields.map((field) => [field, `Zeta-${field}`]))
  const called = Array.from({ length: 12 }, (_, at) => [
    call('get', `c${at}`, { key: `Zeta ${at}`, deep: [told] }),
    result(`c${at}`, JSON.stringify({ ...told, at, text: 'word '.repeat(600) })),
  ])
  await compactor.session('s').beforeModelCall([...history, ...called.flat()])
  const stored = await dumped(storage)
  expect(Object.keys(stored).filter((key) => key.startsWith('outputs/')).length).toBeGreaterThan(12)
  expect(Object.entries(stored).filter(([, body]) => body.includes('Zeta'))).toEqual([])
  expect(Object.values(stored).join()).toContain('[project] of mine')
})

it('what objects are found by stays, whatever the service makes of it', async () => {
  const storage = memoryStorage()
  const masks: RedactionService = async (texts) => texts.map((text) => text.replaceAll(/[\w-]{16,}|\bc\d+\b/g, '[secret]'))
  const made = (): ReturnType<typeof createCompactor<Message>> => {
    const guarded = guardedStorage(storage, masks)
    return createCompactor<Message>({
      codec: neutralCodec,
      limits: { contextWindow: 8_000, maxOutput: 500 },
      storage: guarded,
      archive: createArchive<Message>(guarded),
      outputs: createToolOutputStore(guarded),
    })
  }
  const called = Array.from({ length: 12 }, (_, at) => [call('get', `c${at}`, {}), result(`c${at}`, 'word '.repeat(600))])
  const said = [...history, ...called.flat()]
  const run = () => made().session('s').beforeModelCall(said)
  const first = await run()
  const again = await run()
  expect(again.report.outcome).toBe('projected')
  expect(again.report.checkpoint).toBe(first.report.checkpoint)
  const stated = JSON.parse((await storage.get('sessions/s/state.json'))?.body ?? '{}') as { checkpoints: { began: unknown; fingerprint: string }[] }
  const digits = /^[0-9a-f]+$/
  expect(stated.checkpoints).toMatchObject([
    { fingerprint: expect.stringMatching(digits), began: { behind: expect.stringMatching(digits), sketch: expect.stringMatching(digits) } },
  ])
  const record = await createArchive<Message>(storage).read('s')
  expect(record.damaged).toBeUndefined()
  expect(record.messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])))).toContain('c0')
  await made().forget('s')
  expect((await run()).report.warnings.join()).toContain('was deleted')
})

it('two names that the service makes one keep a value each', async () => {
  const storage = memoryStorage()
  await guardedStorage(storage, async (texts) => texts.map((text) => text.replace(/^Zeta.*/, '[gone]'))).put(
    'mine/a.json',
    JSON.stringify({ Zeta1: 1, Zeta2: 2 }),
  )
  expect(JSON.parse((await storage.get('mine/a.json'))?.body ?? '')).toEqual({ '[gone]': 1, '[gone] 2': 2 })
})

it('a storage and a summarizer may be classes, and a prompt goes without messages that the service has not seen', async () => {
  class Mine implements StorageDriver {
    readonly name = 'mine'
    readonly remote = true
    readonly #inner = memoryStorage()
    get(...given: Parameters<StorageDriver['get']>) {
      return this.#inner.get(...given)
    }
    put(...given: Parameters<StorageDriver['put']>) {
      return this.#inner.put(...given)
    }
    delete(key: string) {
      return this.#inner.delete(key)
    }
    list(prefix: string) {
      return this.#inner.list(prefix)
    }
  }
  const guarded = guardedStorage(new Mine(), service)
  expect(guarded.remote).toBe(true)
  const { version } = await guarded.put('a/b', 'Zeta')
  expect(await guarded.get('a/b')).toEqual({ body: '[project]', version })
  expect(Object.keys(await dumped(guarded))).toEqual(['a/b'])
  await guarded.delete('a/b')
  expect(await guarded.get('a/b')).toBeUndefined()

  const asked: SummaryRequest[] = []
  class Writes implements Summarizer {
    readonly name = 'writes'
    readonly window = 1_000
    readonly ridesPrefix = true
    async summarize(request: SummaryRequest): ReturnType<Summarizer['summarize']> {
      asked.push(request)
      return { text: '', finish: 'stop' }
    }
  }
  const summarizer = guardedSummarizer(new Writes(), service)
  expect([summarizer.name, summarizer.window, summarizer.ridesPrefix]).toEqual(['writes', 1_000, undefined])
  const request = { prompt: 'Zeta', facts: [], prefix: ['Zeta'] } as unknown as SummaryRequest
  await summarizer.summarize(request, new AbortController().signal)
  expect(JSON.stringify(asked)).toBe('[{"prompt":"[project]","facts":[]}]')
})
it('a door without a service, or with nothing behind it, is refused', () => {
  expect(() => guardedStorage(memoryStorage(), undefined as never)).toThrow('service is undefined; write async (texts, signal) => texts')
  expect(() => guardedStorage(undefined as never, service)).toThrow('driver is undefined; write fsStorage({ root }), say')
  expect(() => guardedSummarizer({ doGenerate() {} } as never, service)).toThrow(
    'summarizer is an object with doGenerate; write modelSummarizer({ model }), say',
  )
})
