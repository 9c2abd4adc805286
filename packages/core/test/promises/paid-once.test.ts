import { type Compactor, createCompactor, type Message, memoryStorage, neutralCodec, type Summarizer } from '@precis/core'
import { fakeSummarizer, generateHistory } from '@precis/testkit'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { after, late, virtually } from './virtual-time.ts'

// Several processes serve one conversation: whatever they do while one of them has a summary written, what was paid for is on a receipt, and all end alike.

const limits = { contextWindow: 5_000, maxOutput: 300 }
const trigger = { soft: { fraction: 0.5 }, hard: { fraction: 0.8 }, target: { fraction: 0.4 } }
/** Tokens that the model says it has read for one request. */
const price = 1_000

it.each([
  ['', false],
  [', and summaries beside the agent', true],
])(
  'turns at once, requests for a compaction, takings back, new processes, a model slower than anybody waits%s',
  async (_, background) => {
    const totals = { read: 0, standIns: 0 }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 1_000_000 }),
          fc.integer({ min: 2, max: 4 }),
          fc.infiniteStream(fc.nat(9_999)),
          async (seed, count, chances) => {
            const chance = (below: number): number => (chances.next().value as number) % below
            const history = generateHistory(seed, { turns: 10 })
            const storage = late(memoryStorage(), () => chance(40))
            let [read, onReceipts] = [0, 0]
            const inner = fakeSummarizer()
            const summarizer: Summarizer = {
              ...inner,
              async summarize(...given) {
                await after(chance(8_000))
                const reply = await inner.summarize(...given)
                read += price
                return { ...reply, usage: { input: price, cacheRead: 0, cacheWrite: 0, output: 10 } }
              },
            }
            const begun = (): Compactor<Message> =>
              createCompactor<Message>({
                codec: neutralCodec,
                limits,
                policy: { trigger: { ...trigger, background } },
                storage,
                summarizer,
                onReport(report) {
                  onReceipts += report.spent.prompt
                  if (report.warnings.join().includes('stands in')) totals.standIns++
                },
              })
            const processes = Array.from({ length: count }, begun)
            for (let end = 6; end < history.length; end += 1 + chance(4)) {
              if (chance(8) === 0) processes[chance(count)] = begun()
              const work: Promise<unknown>[] = []
              const soon = (act: () => Promise<unknown>): number => work.push(after(chance(3_000)).then(act))
              for (const one of processes) {
                const session = one.session('s')
                if (chance(2) === 0) soon(() => session.beforeModelCall(structuredClone(history.slice(0, end)) as Message[]))
                if (chance(12) === 0) soon(() => session.schedule({ focus: 'the tests' }))
                if (chance(40) === 0) soon(() => session.rewind())
              }
              await virtually(Promise.all(work))
            }
            expect(onReceipts).toBe(read)
            totals.read += read
            const shown = async (): Promise<ReadonlySet<string>> => {
              const contexts = new Set<string>()
              for (const one of processes) contexts.add(JSON.stringify((await virtually(one.session('s').beforeModelCall(history))).messages))
              return contexts
            }
            // A stand-in is stored when its time is over, two and a half minutes, and others look once a minute; what one finds too long another may still shorten: until nobody pays any more.
            let before = Number.NaN
            for (let round = 0; round < 6 || (round < 10 && read !== before); round++) {
              before = read
              await shown()
              await vi.advanceTimersByTimeAsync(61_000)
            }
            expect(read).toBe(before)
            expect((await shown()).size).toBe(1)
          },
        ),
        { numRuns: Number(process.env['LAW_RUNS'] ?? 60) },
      )
    } finally {
      vi.useRealTimers()
    }
    expect(totals.read).toBeGreaterThan(100 * price)
    expect(totals.standIns).toBeGreaterThan(10)
  },
  400_000,
)
