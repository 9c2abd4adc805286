import {
  createArchive,
  createCompactor,
  createToolOutputStore,
  type Message,
  memoryStorage,
  neutralCodec,
  type StorageDriver,
  type Summarizer,
} from '@precis/core'
import { assistant, call, fakeSummarizer, history, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const limits = { contextWindow: 8_000, maxOutput: 1_000 }
const secret = 'ORCHID-4711'
const deleted = 'this conversation was deleted'

function made(storage: StorageDriver) {
  const outputs = createToolOutputStore(storage, { keep: 'all' })
  return createCompactor<Message>({ codec: neutralCodec, limits, storage, archive: createArchive<Message>(storage), outputs })
}
async function keysSaying(storage: StorageDriver, word: string): Promise<readonly string[]> {
  const found: string[] = []
  for await (const key of storage.list('')) if ((await storage.get(key))?.body.includes(word) === true) found.push(key)
  return found
}
/** So many exchanges, and what the user says after them. */
const exchanges = (count: number, word = secret) =>
  Array.from({ length: count }, (_, at) => history(user(`Request ${at}: ${word}.`), assistant(`Answer ${at}. ${'word '.repeat(500)}`))).flat()

/** How hosts change the end of a prompt from call to call. */
const ends: Readonly<Record<string, (at: number) => readonly Message[]>> = {
  'nothing more': (at) => history(user(`Request ${at}: ${secret}.`)),
  'a reminder behind it': (at) => history(user(`Request ${at}: ${secret}.`), user(`It is ${at} o'clock.`)),
  'two of them': (at) => history(user(`Request ${at}: ${secret}.`), user(`It is ${at} o'clock.`), user(`${at} to do.`)),
  'a list in the message itself': (at) => history(user(`Request ${at}: ${secret}. ${9 - at} to do.`)),
}

describe.each(['the same process', 'another one'])('deleted by %s before the first compaction', (who) => {
  it.each(Object.keys(ends))('the agent goes on with %s: nothing of before is stored again', async (end) => {
    const storage = memoryStorage()
    const there = made(storage)
    const prompt = (at: number) => [...exchanges(at), ...(ends[end] as (at: number) => readonly Message[])(at)]
    for (let at = 1; at < 5; at++) await there.session('s').beforeModelCall(prompt(at))
    await (who === 'another one' ? made(storage) : there).forget('s')
    await new Promise((resolve) => setTimeout(resolve, 5))
    const warnings: string[] = []
    for (let at = 5; at < 20; at++) warnings.push(...(await there.session('s').beforeModelCall(prompt(at))).report.warnings)
    expect(warnings.join()).toContain(deleted)
    expect(await keysSaying(storage, secret)).toEqual([])
  })
})

it('another conversation under the same id, which begins with the same words, is stored', async () => {
  const storage = memoryStorage()
  const compactor = made(storage)
  const greeting = history(user('Hello.'), assistant('Hello! What can I do?'))
  for (let at = 1; at < 5; at++) await compactor.session('s').beforeModelCall([...greeting, ...exchanges(at), user('Go on.')])
  await compactor.forget('s')
  const { report } = await compactor.session('s').beforeModelCall([...greeting, ...exchanges(20, 'LILY-2'), user('Go on.')])
  expect(report.outcome).toBe('summarized')
  expect(report.warnings).toEqual([])
  expect(await keysSaying(storage, 'LILY-2')).not.toEqual([])
})

it('outputs that a process kept before it found the deletion go with the next gc, but for those that others name', async () => {
  const storage = memoryStorage()
  const there = made(storage)
  const read = (id: string, word: string) => [call('read', id, {}), result(id, `${word} ${'word '.repeat(900)}`)].flat()
  const shared = 'LILY-2'
  await made(storage)
    .session('other')
    .beforeModelCall([user('Read.'), ...read('x', shared)])
  await there.session('s').beforeModelCall([user('Begin.'), ...read('a', 'first')])
  await made(storage).forget('s')
  const said = [user('Begin.'), ...read('a', 'first'), ...read('b', secret), ...read('c', shared), ...exchanges(20, 'more')]
  expect((await there.session('s').beforeModelCall(said)).report.warnings.join()).toContain(deleted)
  expect(await storage.get('sessions/s/outputs.json')).toBeUndefined()
  expect((await made(storage).gc()).failed).toEqual([])
  expect(await keysSaying(storage, secret)).toEqual([])
  expect((await keysSaying(storage, shared)).join()).toContain('outputs/')
})

it('events of a conversation that another process deleted are not put on record again', async () => {
  const storage = memoryStorage()
  const many = exchanges(40, 'word')
  const make = () => {
    const archive = createArchive(storage)
    return createCompactor({ codec: neutralCodec, limits, storage, archive, exporters: [archive.exporter()] })
  }
  const [serving, other] = [make(), make()]
  await serving.session('a').beforeModelCall(many)
  await serving.flush()
  await other.forget('a')
  const more = [...many, ...exchanges(40, 'another')]
  await serving.session('a').beforeModelCall(more)
  await serving.flush()
  const events: string[] = []
  for await (const key of storage.list('sessions/a/')) if (key.includes('/events/')) events.push(key)
  expect(events).toEqual([])
})

it('a worker that is asked for what was deleted pays nobody, and sends nothing of it', async () => {
  const storage = memoryStorage()
  const sent: string[] = []
  const inner = fakeSummarizer()
  const summarizer: Summarizer = {
    name: 'counting',
    summarize(request, context) {
      sent.push(JSON.stringify(request))
      return inner.summarize(request, context)
    },
  }
  const policy = { trigger: { soft: { fraction: 0.3 }, hard: { fraction: 0.95 }, target: { fraction: 0.2 }, background: true } }
  const make = () => createCompactor<Message>({ codec: neutralCodec, limits, policy, storage, archive: createArchive<Message>(storage), summarizer })
  expect(await make().session('a').compactAhead(exchanges(6))).toBe('done')
  expect(sent.join()).toContain(secret)
  await make().forget('a')
  sent.length = 0
  expect(await make().session('a').compactAhead(exchanges(7))).toBe('stale')
  expect(sent).toEqual([])
  expect(await storage.get('sessions/a/lease.json')).toBeUndefined()
})
