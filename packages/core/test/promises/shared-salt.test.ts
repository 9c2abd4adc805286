import { createArchive, encryptedStorage, type Message, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { assistant, call, fakeExporter, fakeSummarizer, history, result, user } from '@precis/testkit'
import { describe, expect, it, vi } from 'vitest'

// A secret is named by the same tag in every process that shares a storage, so that all of them write, and show, the same bytes.

const token = `gh${'p'}_${'a1B2'.repeat(9)}`
const password = 'correct-horse-battery'
const limits = { contextWindow: 6_000, maxOutput: 500 }
const key = 'redaction/salt.json'
const filler = (of: string): string => Array.from({ length: 120 }, (_, at) => `${of}: line ${at} says nothing new of the build`).join('\n')
const told: readonly Message[] = history(
  user(`Deploy it with ${token}. Mail to ann@example.com.`),
  ...Array.from({ length: 6 }, (_, at) => [
    call('bash', `c${at}`, { command: `deploy --step ${at} --password ${password}` }),
    result(`c${at}`, `${filler(`step ${at}`)}\nDB_PASSWORD=${password}\nused ${token}\n`),
    assistant(`Step ${at} is done: the token ${token} works.`),
  ]).flat(),
  user('And the tests?'),
)

/** The library as another process has it: nothing is shared but the storage. */
async function process(): Promise<typeof import('@precis/core')> {
  vi.resetModules()
  return import('@precis/core')
}
type Options = Partial<Parameters<typeof import('@precis/core')['createCompactor']>[0]>
const compactorOf = async (storage: StorageDriver | undefined, options: Options = {}) =>
  (await process()).createCompactor<Message>({ codec: neutralCodec, limits, ...(storage && { storage }), ...(options as object) })
async function shownBy(storage: StorageDriver | undefined, session: string, options?: Options): Promise<string> {
  return JSON.stringify((await (await compactorOf(storage, options)).session(session).beforeModelCall(told)).messages)
}
const tagsIn = (text: string): readonly string[] => [...new Set(text.match(/\[[a-z-]+:[0-9a-f]{6}\]/g))].sort()
async function bodies(storage: StorageDriver): Promise<Readonly<Record<string, string>>> {
  const all: Record<string, string> = {}
  for await (const one of storage.list('')) all[one] = (await storage.get(one))?.body ?? ''
  return all
}

describe('processes that share a storage', () => {
  it('show the same bytes, where each of them redacts by itself', async () => {
    const storage = memoryStorage()
    const [one, other] = [await shownBy(storage, 'a'), await shownBy(storage, 'b')]
    expect(tagsIn(one).length).toBeGreaterThan(0)
    expect(other).toBe(one)
  })

  it('do not share one where there is none to share', async () => {
    const [one, other] = [await shownBy(undefined, 'a'), await shownBy(undefined, 'a')]
    expect(tagsIn(one).length).toBeGreaterThan(0)
    expect(tagsIn(other)).not.toEqual(tagsIn(one))
  })

  it('agree on one salt when they begin at the same moment', async () => {
    const storage = memoryStorage()
    const compactors = await Promise.all(Array.from({ length: 4 }, () => process())).then((cores) =>
      cores.map((core) => core.createCompactor<Message>({ codec: neutralCodec, limits, storage })),
    )
    const shown = await Promise.all(compactors.map((one, at) => one.session(`s${at}`).beforeModelCall(told)))
    expect(new Set(shown.map(({ messages }) => JSON.stringify(messages))).size).toBe(1)
  })

  it('an old store, which has none, gets one and keeps what it has', async () => {
    const storage = memoryStorage()
    const before = await shownBy(storage, 'a')
    await storage.delete(key)
    // What is stored keeps its tags; what is new is named by the new salt, in every process.
    expect(await shownBy(storage, 'a')).toBe(before)
    const [one, other] = [await shownBy(storage, 'b'), await shownBy(storage, 'c')]
    expect(other).toBe(one)
    expect(one).not.toBe(before)
  })

  it('an encrypted storage holds it encrypted', async () => {
    const inner = memoryStorage()
    const storage = encryptedStorage(inner, { key: () => ({ id: 'k', key: new Uint8Array(32).fill(7) }) })
    expect(await shownBy(storage, 'b')).toBe(await shownBy(storage, 'a'))
    expect((await inner.get(key))?.body).toMatch(/^precis-aes-256-gcm-1:/)
  })

  it('a summary that a model writes is asked for in the same words', async () => {
    const storage = memoryStorage()
    const prompts: string[][] = []
    for (const session of ['a', 'b']) {
      const summarizer = fakeSummarizer()
      await shownBy(storage, session, { summarizer })
      prompts.push(summarizer.requests.map(({ prompt }) => prompt))
    }
    expect(tagsIn(prompts[0]?.join('') ?? '').length).toBeGreaterThan(0)
    expect(prompts[1]).toEqual(prompts[0])
  })

  it('a plan that was looked at before anything was read leaves no tag of this process behind', async () => {
    const storage = memoryStorage()
    const expected = await shownBy(storage, 'a')
    const session = (await compactorOf(storage)).session('b')
    session.plan(told)
    expect(JSON.stringify((await session.beforeModelCall(told)).messages)).toBe(expected)
  })

  it('archives name a secret as the context does, also by rules of their own', async () => {
    const storage = memoryStorage()
    for (const session of ['a', 'b']) {
      const core = await process()
      const archive = core.createArchive<Message>(storage, { redact: core.createRedactor() })
      const prepared = await core.createCompactor<Message>({ codec: neutralCodec, limits, storage, archive }).session(session).beforeModelCall(told)
      const transcript = Object.entries(await bodies(storage)).filter(([name]) => name.includes('/transcript/'))
      expect(transcript.length).toBeGreaterThan(0)
      expect(tagsIn(JSON.stringify(transcript))).toEqual(tagsIn(JSON.stringify(prepared.messages)))
    }
  })
})

describe('the salt', () => {
  it('that the user gives wins, and no other is asked for', async () => {
    const storage = memoryStorage()
    const redact = (await process()).createRedactor(undefined, { salt: 'mine' })
    const one = await shownBy(storage, 'a', { redact, personalData: 'keep' })
    expect(await shownBy(undefined, 'a', { redact: (await process()).createRedactor(undefined, { salt: 'mine' }) })).toBe(one)
    expect(Object.keys(await bodies(storage))).not.toContain(key)
  })

  it('is in nothing but its own place: no prompt, event, state or archive', async () => {
    const storage = memoryStorage()
    const events = fakeExporter()
    const summarizer = fakeSummarizer()
    const compactor = await compactorOf(storage, { exporters: [events], summarizer, archive: createArchive<Message>(storage) as never })
    const { messages, report } = await compactor.session('s').beforeModelCall(told)
    await compactor.flush()
    const { [key]: body = '', ...rest } = await bodies(storage)
    const { key: salt } = JSON.parse(body) as { key: string }
    expect(salt.length).toBeGreaterThan(30)
    expect(JSON.stringify([rest, events.events, summarizer.requests, messages, report])).not.toContain(salt)
  })

  it('outlives the conversations, and is none', async () => {
    const storage = memoryStorage()
    const time = { now: Date.UTC(2026, 0, 1) }
    const clock = { now: () => time.now, id: () => crypto.randomUUID() }
    const compactor = await compactorOf(storage, { clock, archive: createArchive<Message>(storage) as never })
    const shown = JSON.stringify((await compactor.session('a').beforeModelCall(told)).messages)
    const salt = (await storage.get(key))?.body
    await compactor.forget('a')
    time.now += 90 * 86_400_000
    for (let rounds = 0; rounds < 3; rounds++) await compactor.gc()
    expect(await bodies(storage)).toEqual({ [key]: salt })
    for await (const session of createArchive<Message>(storage).sessions()) expect(session).toBe('nothing')
    expect(await shownBy(storage, 'b', { clock })).toBe(shown)
  })

  it.each([
    ['fails', () => Promise.reject(new Error('down'))],
    ['never answers', () => new Promise<never>(() => {})],
  ])('of a storage that %s is done without, and asked for again a minute later', async (_, answer) => {
    const inner = memoryStorage()
    const expected = await shownBy(inner, 'a')
    let down = true
    const storage: StorageDriver = { ...inner, get: (...given) => (down ? answer() : inner.get(...given)) }
    const time = { now: Date.UTC(2026, 0, 1) }
    const compactor = await compactorOf(storage, { effectDeadline: 50, clock: { now: () => time.now, id: () => crypto.randomUUID() } })
    const started = performance.now()
    const first = JSON.stringify((await compactor.session('b').beforeModelCall(told)).messages)
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(tagsIn(first)).not.toEqual(tagsIn(expected))
    down = false
    time.now += 60_000
    expect(tagsIn(JSON.stringify((await compactor.session('c').beforeModelCall(told)).messages))).toEqual(tagsIn(expected))
  })
})
