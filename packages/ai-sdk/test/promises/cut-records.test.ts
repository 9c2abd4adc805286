import { withCompaction } from '@precis/ai-sdk'
import { type CompactionReport, memoryStorage } from '@precis/core'
import { generateText, type ModelMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, it } from 'vitest'

// A route that reads the newest rows of its database, without a model for summaries: the record made by code goes on from the one before.

const facts = ['src/payments/ledger-core.ts', 'ABC-12', 'Never use floats for money', 'E4711: ledger checksum mismatch']
const filler = (seed: number): string =>
  Array.from({ length: 40 }, (_, at) => `${at + 1}: export const value${seed * 31 + at} = load('part${seed}/${(at * seed) % 97}.json')`).join('\n')

/** What stands in the database before each turn: a request, and two calls with their results and an answer for each that is over. */
function conversation(turns: number): readonly (readonly ModelMessage[])[] {
  const messages: ModelMessage[] = []
  return Array.from({ length: turns }, (_, turn) => {
    const planted = turn === 2 ? `${facts[2]}; this is for ticket ${facts[1]}.` : ''
    messages.push({ role: 'user', content: `Request ${turn}: make module ${turn} load lazily. ${planted}` })
    const before = [...messages]
    for (const [at, toolName] of (['read_file', 'edit_file'] as const).entries()) {
      const toolCallId = `t${turn}c${at}`
      const path = turn === 1 ? (facts[0] as string) : `src/module${turn}/part${at}.ts`
      messages.push({ role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: { path, ...(at && { old: 'a', new: 'b' }) } }] })
      const failed = turn === 1 && at === 0
      const value = failed ? `Error: ${facts[3]}` : at === 0 ? filler(turn) : 'ok'
      messages.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: { type: failed ? 'error-text' : 'text', value } }] })
    }
    messages.push({ role: 'assistant', content: `Module ${turn} loads lazily now, start-up reads ${turn + 3} files less.` })
    return before
  })
}

/** The contexts that a model is shown, one a turn, and their reports. */
async function run(cut: (messages: readonly ModelMessage[]) => ModelMessage[], alone: boolean, turns = 50) {
  const storage = memoryStorage()
  const shown: string[] = []
  const reports: CompactionReport[] = []
  const inner = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      shown.push(
        prompt.map(({ content }) => (typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('\n'))).join('\n\n'),
      )
      const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined, text: undefined, reasoning: undefined }
      return {
        content: [{ type: 'text', text: 'ok' }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: { inputTokens: none, outputTokens: none },
        warnings: [],
      }
    },
  })
  const wrapped = () => withCompaction(inner, { limits: { contextWindow: 5_000, maxOutput: 300 }, storage, onReport: (report) => void reports.push(report) })
  let model = wrapped()
  for (const messages of conversation(turns)) {
    if (alone) model = wrapped()
    await generateText({ model, messages: cut(messages), maxRetries: 0, providerOptions: { precis: { session: 'chat' } } })
  }
  return { shown, reports }
}

type Cut = (messages: readonly ModelMessage[]) => ModelMessage[]
const newest: Cut = (messages) => messages.slice(-39)
const firstAndNewest: Cut = (messages) => [...messages.slice(0, 1), ...messages.slice(1).slice(-39)]

describe.each([false, true])('each turn in another process: %s', (alone) => {
  it.each<[string, Cut]>([
    ['the newest messages', newest],
    ['the first message and the newest', firstAndNewest],
  ])('%s: what the first turns said stays in the record, under the numbers that it had', async (_, cut) => {
    const { shown, reports } = await run(cut, alone)
    expect(reports.filter(({ outcome }) => outcome === 'summarized').length).toBeGreaterThan(10)
    for (const text of shown.slice(7)) expect(facts.filter((one) => !text.includes(one))).toEqual([])
    expect(shown.at(-1)).toMatch(/^\[12\] user: .*ticket ABC-12\.$/m)
  })
})
