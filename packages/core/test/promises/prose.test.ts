import { type CompactionReport, createCompactor, type Message, neutralCodec, type SummaryRequest } from '@precis/core'
import { assistant, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

// A summarizer of one's own follows its own prompt: it may write prose where headings were asked for.

const words = (seed: number, count = 160): string => Array.from({ length: count }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const account = `The user asked many questions about words, one after another, and each of them was answered in the reply that followed. ${'Nothing of it is open. '.repeat(8)}`

async function run(write: (request: SummaryRequest) => string) {
  const reports: CompactionReport[] = []
  let calls = 0
  const summarizer = {
    name: 'own',
    window: 100_000,
    summarize: async (request: SummaryRequest) => {
      calls++
      return { text: write(request), finish: 'stop' as const }
    },
  }
  const options = {
    codec: neutralCodec,
    limits: { contextWindow: 16_000, maxOutput: 500 },
    summarizer,
    onReport: (report: CompactionReport) => reports.push(report),
  }
  const session = createCompactor(options).session('s')
  const history: Message[] = []
  let sent: readonly Message[] = []
  for (let turn = 0; turn < 120; turn++) {
    history.push(user(`${turn} src/part-${turn % 7}.ts ${words(turn + 3)}`))
    ;({ messages: sent } = await session.beforeModelCall([...history]))
    history.push(assistant(words(turn + 7)))
  }
  const compactions = reports.filter(({ outcome }) => outcome !== 'unchanged' && outcome !== 'projected')
  return { calls, compactions, outcomes: new Set(compactions.map(({ outcome }) => outcome)), context: JSON.stringify(sent) }
}

describe('a summarizer that writes no headings', () => {
  it('is asked once more, and then believed: one call is lost in all', async () => {
    const { calls, compactions, outcomes, context } = await run(() => account)
    expect(outcomes).toEqual(new Set(['summarized']))
    expect(calls).toBe(compactions.length + 1)
    expect(context).toContain('Nothing of it is open.')
  })
  it('is not believed when it chats, and not asked twice for each summary', async () => {
    const { outcomes, calls, compactions } = await run(() => 'Sure, what shall I do next?')
    expect(outcomes).toEqual(new Set(['degraded']))
    expect(compactions.length).toBeGreaterThan(3)
    // Twice, then once for each, until it is left alone for a minute.
    expect(calls).toBe(4)
  })
  it('is believed in short where it names what was said', async () => {
    const { outcomes, calls, compactions, context } = await run(() => 'They asked about src/part-3.ts and src/part-5.ts; all is answered.')
    expect(outcomes).toEqual(new Set(['summarized']))
    expect(calls).toBe(compactions.length + 1)
    expect(context).toContain('They asked about src/part-3.ts')
  })
  it('and writes them again later is held to them again', async () => {
    let asked = 0
    const { outcomes, calls, compactions } = await run(({ requiredSections }) =>
      ++asked <= 2 ? account : requiredSections.map((section, at) => (asked === 4 && at === 0 ? '' : `## ${section}\n${account}`)).join('\n'),
    )
    expect(outcomes).toEqual(new Set(['summarized']))
    expect(calls).toBe(compactions.length + 2)
  })
})

it('a style that there is not is refused at construction', () => {
  for (const field of ['style', 'fallbackStyle'])
    expect(() => createCompactor({ codec: neutralCodec, policy: { summary: { [field]: 'sections' as never } } })).toThrow(
      `summary.${field} is "sections"; expected one of structured`,
    )
})
