import {
  type Compactor,
  createCompactor,
  fingerprint,
  type Message,
  memoryStorage,
  neutralCodec,
  newestValid,
  type Part,
  type StorageDriver,
} from '@precis/core'
import { fakeSummarizer, generateHistory } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { after, late, virtually } from './virtual-time.ts'

// A conversation is what it says. Whoever sees it, in whatever process, finds what was summarized of it; whoever says something else does not.

const limits = { contextWindow: 5_000, maxOutput: 300 }
const policy = { trigger: { hard: { fraction: 0.8 }, target: { fraction: 0.4 } } }
const processOn = (storage: StorageDriver, summarizer = fakeSummarizer()): Compactor<Message> =>
  createCompactor({ codec: neutralCodec, limits, policy, storage, summarizer })

const histories = fc
  .record({ seed: fc.integer({ min: 1, max: 1_000_000 }), turns: fc.integer({ min: 6, max: 14 }) })
  .map(({ seed, turns }) => generateHistory(seed, { turns }))
/** Ends of requests: behind each of them a model was called. */
const ends = (history: readonly Message[]): readonly number[] =>
  history.flatMap((message, at) => (message.role === 'assistant' || at === history.length - 1 ? [] : history[at + 1]?.role === 'assistant' ? [at + 1] : []))
const runs = { numRuns: Number(process.env['LAW_RUNS'] ?? 60) }
/** Milliseconds after which a law counts as hanging. */
const patience = 60_000 + 2_000 * runs.numRuns

/** What hosts change without changing what is said. */
function retold(history: readonly Message[], seed: number): readonly Message[] {
  let next = seed
  const chance = (share: number): boolean => {
    next = (next * 48_271) % 2_147_483_647
    return next % 100 < share * 100
  }
  const renamed = chance(0.5)
  const id = (callId: string): string => (renamed ? `new-${callId}` : callId)
  const part = (one: Part): Part => ('callId' in one ? { ...one, callId: id(one.callId) } : { ...one })
  return history.flatMap((message): readonly Message[] => {
    const parts = message.parts.filter((one) => one.type !== 'reasoning' || chance(0.5)).map(part)
    const told = { ...message, parts, ...(chance(0.3) && { id: `id-${next}` }) }
    return message.role === 'user' && chance(0.3) ? [{ role: 'system', parts: [{ type: 'text', text: `It is ${next}.` }] }, told] : [told]
  })
}
const said = (messages: readonly Message[]): string =>
  JSON.stringify(
    messages
      .filter(({ role }) => role !== 'system' && role !== 'developer')
      .map(({ role, parts }) => ({ role, parts: parts.filter((one) => one.type !== 'reasoning').map((one) => ({ ...one, callId: '' })) }))
      .filter(({ parts }) => parts.length > 0),
  )

describe('a conversation', () => {
  it(
    'is shown the same in every process, whoever wrote its summaries and in whatever turn',
    async () => {
      await fc.assert(
        fc.asyncProperty(histories, fc.integer({ min: 2, max: 4 }), fc.infiniteStream(fc.nat(3)), async (history, count, picks) => {
          const alone = processOn(memoryStorage()).session('s')
          const storage = memoryStorage()
          const summarizer = fakeSummarizer()
          const processes = Array.from({ length: count }, () => processOn(storage, summarizer))
          for (const end of ends(history)) {
            const prompt = history.slice(0, end)
            const expected = await alone.beforeModelCall(prompt)
            const session = (processes[(picks.next().value as number) % count] as Compactor<Message>).session('s')
            expect((await session.beforeModelCall(structuredClone(prompt) as Message[])).messages).toEqual(expected.messages)
          }
        }),
        { numRuns: Math.ceil(runs.numRuns / 4) },
      )
    },
    patience,
  )

  it(
    'is shown the same by all who are asked at once, whatever takes how long and whoever begins anew, and is paid for once',
    async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
      let paid = 0
      try {
        await fc.assert(
          fc.asyncProperty(histories, fc.integer({ min: 2, max: 4 }), fc.infiniteStream(fc.nat(399)), async (history, count, chances) => {
            const chance = (below: number): number => (chances.next().value as number) % below
            const own = fakeSummarizer()
            const alone = processOn(memoryStorage(), own).session('s')
            const [storage, summarizer] = [late(memoryStorage(), () => chance(40)), fakeSummarizer()]
            const begun = () => processOn(storage, { ...summarizer, summarize: (...given) => after(chance(400)).then(() => summarizer.summarize(...given)) })
            const processes = Array.from({ length: count }, begun)
            for (const end of ends(history)) {
              const prompt = history.slice(0, end)
              const { messages } = await virtually(alone.beforeModelCall(prompt))
              if (chance(5) === 0) processes[chance(count)] = begun()
              const first = chance(count)
              const asked = processes.filter((_, at) => at === first || chance(2) === 0)
              const shown = asked.map((one) => one.session('s').beforeModelCall(structuredClone(prompt) as Message[]))
              for (const one of await virtually(Promise.all(shown))) expect(one.messages).toEqual(messages)
            }
            expect(summarizer.requests.length).toBe(own.requests.length)
            paid += own.requests.length
          }),
          { numRuns: 2 * runs.numRuns },
        )
      } finally {
        vi.useRealTimers()
      }
      expect(paid).toBeGreaterThan(2 * runs.numRuns)
    },
    patience,
  )

  it(
    'retold with other ids, without reasoning, under another system prompt keeps its summary, and shows the same',
    async () => {
      let summarized = 0
      await fc.assert(
        fc.asyncProperty(histories, fc.integer({ min: 1, max: 1_000_000 }), async (history, seed) => {
          const storage = memoryStorage()
          const first = await processOn(storage).session('s').beforeModelCall(history)
          const told = retold(history, seed)
          expect(fingerprint(told)).toBe(fingerprint(history))
          const session = processOn(storage).session('s')
          const shown = await session.view(told)
          if (session.state().checkpoints.length === 0) return
          summarized++
          expect(said(shown)).toBe(said(first.messages))
        }),
        runs,
      )
      expect(summarized).toBeGreaterThan(30)
    },
    patience,
  )

  it(
    'that differs in what a checkpoint covers never shares it',
    async () => {
      let covering = 0
      await fc.assert(
        fc.asyncProperty(histories, fc.nat(), async (history, pick) => {
          const session = processOn(memoryStorage()).session('s')
          await session.beforeModelCall(history)
          const { checkpoints } = session.state()
          const covered = checkpoints.at(-1)?.covered ?? 0
          const spoken = history.flatMap((message, at) =>
            at < covered && message.parts.some((part) => part.type === 'text' && part.text !== '') && message.role !== 'system' ? [at] : [],
          )
          if (spoken.length === 0) return
          covering++
          const place = spoken[pick % spoken.length] as number
          const changed = history.map((message, at) =>
            at === place
              ? { ...message, parts: message.parts.map((part) => (part.type === 'text' && part.text !== '' ? { ...part, text: `${part.text}!` } : part)) }
              : message,
          )
          expect(newestValid(checkpoints, changed)?.covered ?? 0).toBeLessThanOrEqual(place)
        }),
        runs,
      )
      expect(covering).toBeGreaterThan(30)
    },
    patience,
  )
})
