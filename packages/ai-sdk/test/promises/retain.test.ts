import { createCompaction } from '@precis/ai-sdk'
import type { CompactionReport, PolicyOverrides, Summary } from '@precis/core'
import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'

// What a model writes into <retain> is a part of its summary: asked for or not, it is counted, capped and checked like one.

const window = 8_000
const filler = (seed: number): string => Array.from({ length: 120 }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const history: ModelMessage[] = [
  ...Array.from({ length: 18 }, (_, at): ModelMessage[] => [
    { role: 'user', content: `Question ${at}: ${filler(at + 3)}` },
    { role: 'assistant', content: `Answer ${at} about src/module-${at}.ts: ${filler(at + 20)}` },
  ]).flat(),
  { role: 'user', content: 'Go on.' },
]

interface Result {
  readonly report: CompactionReport
  readonly summary: Summary | undefined
  readonly chars: number
}

async function compacted(reply: string, policy: PolicyOverrides = {}): Promise<Result> {
  const reports: CompactionReport[] = []
  const compaction = createCompaction({
    limits: { contextWindow: window, maxOutput: 500 },
    policy: { ...policy, summary: { style: 'narrative', ...policy.summary } },
    summarizer: { name: 'model', window: 100_000, summarize: async () => ({ text: reply, finish: 'stop' }) },
    onReport: (report) => reports.push(report),
  })
  const own = (await compaction.prepareStep({ session: 's' })({ messages: history, steps: [] })) as { messages?: ModelMessage[] } | undefined
  return {
    report: reports[0] as CompactionReport,
    summary: compaction.session('s').state().checkpoints.at(-1)?.summary,
    chars: JSON.stringify(own?.messages ?? history).length,
  }
}
const asked = { summary: { retain: { prompt: 'References and decisions, word for word.', directives: [] } } }
const good = 'The user asked about modules, and src/module-3.ts was explained in detail.'

describe('<retain>', () => {
  it('that nobody asked for does not escape the checks: 37 kB do not get in', async () => {
    const { report, summary, chars } = await compacted(`<retain>${filler(7).repeat(50)}</retain>\n${good}`)
    expect(summary?.retained).toBeUndefined()
    expect(report.tokens.after).toBeLessThan(report.tokens.before)
    expect(report.tokens.after).toBeLessThanOrEqual(window * 0.5)
    expect(chars).toBeLessThan(window * 3)
    expect(report.warnings.join()).toContain('too-large')
  })
  it('that was asked for is capped with the summary', async () => {
    const { report, summary } = await compacted(`<retain>${filler(7).repeat(50)}</retain><summary>${good}</summary>`, asked)
    expect(summary?.retained).toBeUndefined()
    expect(report.tokens.after).toBeLessThanOrEqual(window * 0.5)
    expect(report.warnings.join()).toContain('too-large')
  })
  it('that was asked for is kept beside the summary, and what the conversation does not say is marked', async () => {
    const { report, summary } = await compacted(`<retain>See src/module-3.ts and src/invented-9.ts.</retain><summary>${good}</summary>`, asked)
    expect(summary?.retained).toBe('See src/module-3.ts and src/invented-9.ts [unverified].')
    expect(summary?.quality.unsupported).toContain('src/invented-9.ts')
    expect(report.outcome).toBe('summarized')
  })
})

it('no summary that was accepted makes a context larger than its budget, however it is written', async () => {
  for (const words of [10, 100, 300, 400, 500, 700, 1_000, 3_000, 20_000]) {
    for (const policy of [{}, asked]) {
      const text = Array.from({ length: words }, (_, at) => `word${at % 89}`).join(' ')
      for (const reply of [text, `<retain>${text}</retain><summary>${good}</summary>`, `<retain>${text}</retain><summary>${text}</summary>`]) {
        const { report } = await compacted(reply, policy)
        expect(report.tokens.after).toBeLessThanOrEqual(report.plan.decision.target)
      }
    }
  }
})
