import { type CompactionReport, createCompactor, type Message, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { assistant, fakeSummarizer, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

// A canned greeting, a first question that everybody asks: conversations that begin alike are not one.

const limits = { contextWindow: 4_000, maxOutput: 500 }
const words = (seed: number, count = 160): string => Array.from({ length: count }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const chat = (of: number, messages: number): readonly Message[] => [
  user('Hello.'),
  assistant('How can I help?'),
  ...Array.from({ length: messages - 2 }, (_, at) => (at % 2 === 0 ? user : assistant)(`chat ${of}, ${at}: ${words(of + at + 3)}`)),
]
const open = (storage: StorageDriver) => {
  const [summarizer, reports] = [fakeSummarizer(), [] as CompactionReport[]]
  const compactor = createCompactor({ codec: neutralCodec, limits, storage, summarizer, onReport: (report) => reports.push(report) })
  return { compactor, summarizer, reports, outcomes: () => reports.map(({ outcome }) => outcome) }
}
const folders = async (storage: StorageDriver): Promise<number> => {
  const found = new Set<string | undefined>()
  for await (const key of storage.list('sessions/')) found.add(key.split('/')[1])
  return found.size
}

describe('conversations that begin alike', () => {
  it('two hundred of them do not take one another’s summaries away, in this process or the next', async () => {
    const storage = memoryStorage()
    const first = open(storage)
    for (let of = 0; of < 200; of++) await first.compactor.conversation(chat(of, 21)).beforeModelCall(chat(of, 21))
    expect(first.outcomes().filter((outcome) => outcome === 'summarized')).toHaveLength(200)
    for (const { compactor, summarizer, outcomes } of [first, open(storage)]) {
      const [paid, before] = [summarizer.requests.length, outcomes().length]
      for (let of = 0; of < 200; of++) await compactor.conversation(chat(of, 23)).beforeModelCall(chat(of, 23).with(22, user('And?')))
      expect([summarizer.requests.length, new Set(outcomes().slice(before))]).toEqual([paid, new Set(['projected'])])
    }
  })
  it('one is deleted, the others stay', async () => {
    const storage = memoryStorage()
    const { compactor } = open(storage)
    for (let of = 0; of < 3; of++) await compactor.conversation(chat(of, 21)).beforeModelCall(chat(of, 21))
    const { id } = compactor.conversation(chat(1, 21))
    expect((await compactor.forget(id)).keys).not.toEqual([])
    const next = open(storage)
    for (let of = 0; of < 3; of++) await next.compactor.conversation(chat(of, 23)).beforeModelCall([...chat(of, 21), user('And?')])
    expect(next.outcomes()).toEqual(['projected', 'summarized', 'projected'])
  })
  it('what one shall dwell on is never asked of another’s summary', async () => {
    const storage = memoryStorage()
    const menu = ['1', 'Fine.', '2', 'Fine.', '3', 'Fine.'].map((text, at) => (at % 2 === 0 ? user : assistant)(text))
    const [one, other] = [1, 2].map((of) => [...menu, ...chat(of, 9), user('Go on.')]) as [Message[], Message[]]
    const [first, second] = [open(storage), open(storage)]
    const session = first.compactor.conversation(one)
    await session.beforeModelCall(one)
    await session.schedule({ by: 'user', focus: 'the merger' })
    await second.compactor.conversation(other).beforeModelCall(other)
    await first.compactor.conversation(other).beforeModelCall(other)
    expect(JSON.stringify([first, second].map(({ summarizer }) => summarizer.requests))).not.toContain('merger')
    // The words are for whoever asked, in this process or the next.
    await session.schedule({ by: 'user', focus: 'the merger' })
    const third = open(storage)
    await third.compactor.conversation(one).beforeModelCall([...one.slice(0, -1), user('Something else.')])
    expect(JSON.stringify(third.summarizer.requests)).toContain('merger')
  })
  it('processes that serve them at the same moment pay once for each', async () => {
    const storage = memoryStorage()
    const processes = Array.from({ length: 8 }, () => open(storage))
    await Promise.all(processes.map(({ compactor }, of) => compactor.conversation(chat(of, 21)).beforeModelCall(chat(of, 21))))
    expect(processes.map(({ summarizer }) => summarizer.requests.length)).toEqual(processes.map(() => processes[0]?.summarizer.requests.length))
    expect(await folders(storage)).toBe(8)
  })
})

describe('a conversation that was compacted when it said little', () => {
  const long = [user(`Hello. ${words(3, 1_500)}`), assistant('I see.'), user(`And this: ${words(5, 1_500)}`), assistant('I see.'), user('Go on.')]
  const later = [...long, assistant('Yes.'), user('Go on.'), assistant('Yes.'), user('Go on.')]

  it('is gone on with when it says more, in another process', async () => {
    const storage = memoryStorage()
    await open(storage).compactor.conversation(long).beforeModelCall(long)
    const { compactor, outcomes, summarizer } = open(storage)
    await compactor.conversation(later).beforeModelCall(later)
    expect([outcomes(), summarizer.requests.length]).toEqual([['projected'], 0])
  })
  it('is deleted whole, by the id that it has now', async () => {
    const storage = memoryStorage()
    const { compactor } = open(storage)
    await compactor.conversation(long).beforeModelCall(long)
    const grown = [...later, ...Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? assistant : user)(words(at + 7)))]
    await compactor.conversation(grown).beforeModelCall(grown)
    expect(await folders(storage)).toBe(2)
    await compactor.forget(compactor.conversation(grown).id)
    for await (const key of storage.list('sessions/')) expect((await storage.get(key))?.body).toContain('"checkpoints":[]')
  })
  it('and then deleted is not stored again when it says more', async () => {
    const storage = memoryStorage()
    await open(storage).compactor.conversation(long).beforeModelCall(long)
    const { compactor, reports } = open(storage)
    await compactor.forget(compactor.conversation(long).id)
    const grown = [...later, ...Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? assistant : user)(words(at + 7)))]
    await compactor.conversation(grown).beforeModelCall(grown)
    expect(reports.at(-1)?.warnings.join()).toContain('deleted')
  })
})
