import { builtInEstimator, createCompactor, type Message, neutralCodec } from '@precis/core'
import { fakeSummarizer } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const kinds: Readonly<Record<string, (characters: number) => string>> = {
  log: (characters) => lines(characters, (at) => `12:00:${at % 60} worker-${at % 17} handled /api/v1/items/${at} in ${at % 300} ms`),
  'words without a name': (characters) => 'word another thing '.repeat(characters / 19),
  'one line of prose': (characters) => lines(characters, (at) => `Sentence ${at} says that the matter of ${at * 7} was closed.`).replaceAll('\n', ' '),
  JSON: (characters) => `[${lines(characters, (at) => `{"id":"item-${at}","price":${at * 1.5}},`).replaceAll('\n', '')}{}]`,
  'no blank at all': (characters) => '港口网关的端口是八千一百二十三。'.repeat(characters / 16),
}
const lines = (characters: number, line: (at: number) => string): string => Array.from({ length: characters / 50 }, (_, at) => line(at)).join('\n')

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })
const read = (id: string, ...outputs: readonly string[]): Message[] => [
  { role: 'assistant', parts: outputs.map((_, at) => ({ type: 'tool-call', callId: `${id}-${at}`, tool: 'read', input: '{}' })) },
  ...outputs.map((output, at): Message => ({ role: 'tool', parts: [{ type: 'tool-result', callId: `${id}-${at}`, tool: 'read', output }] })),
]

/** One call on a window of 16k, and how many characters were counted for each that the history holds. */
async function callWith(messages: readonly Message[]) {
  const summarizer = fakeSummarizer()
  let counted = 0
  const count = (text: string): number => {
    counted += text.length
    return builtInEstimator.count(text)
  }
  const options = { codec: neutralCodec, limits: { contextWindow: 16_000, maxOutput: 1_000 }, summarizer, estimator: { ...builtInEstimator, count } }
  const { messages: shown, report } = await createCompactor(options).session('s').beforeModelCall(messages)
  const size = messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0)
  return { shown, report, paid: summarizer.requests.length, counted: counted / size }
}

describe.each(Object.entries(kinds))('an output many times the window: %s', (_, textOfSize) => {
  it('the first thing that an agent reads: shortened, its call beside it, no summary paid for', async () => {
    const { shown, report, paid, counted } = await callWith([user('Look at it.'), ...read('a', 'ok'), ...read('b', textOfSize(400_000))])
    expect([report.outcome, paid, shown.map(({ role }) => role).join()]).toEqual(['pruned', 0, 'user,assistant,tool,assistant,tool'])
    expect(JSON.stringify(shown.at(-1))).toMatch(/characters left out/)
    expect(report.tokens.after).toBeGreaterThan(15_000 * 0.4)
    expect(report.tokens.after).toBeLessThan(15_000)
    expect(counted).toBeLessThan(8)
  })
  it('five at once: each has its place', async () => {
    const outputs = [1, 2, 3, 4, 5].map((at) => textOfSize(80_000 + at * 400))
    const { shown, report, paid, counted } = await callWith([user('Look at them.'), ...read('a', ...outputs)])
    expect([report.outcome, paid, shown.length]).toEqual(['pruned', 0, 7])
    expect(report.tokens.after).toBeLessThan(15_000)
    expect(counted).toBeLessThan(8)
  })
  it('behind a long session: the session becomes a summary, the output stays', async () => {
    const before = Array.from({ length: 40 }, (_, at) => [user(`Question ${at}? ${'words '.repeat(150)}`), ...read(`q${at}`, 'ok')]).flat()
    const { shown, report, paid } = await callWith([...before, user('Look at it.'), ...read('b', textOfSize(400_000))])
    expect([report.outcome, paid]).toEqual(['summarized', 1])
    expect(shown.slice(-2).map(({ role }) => role)).toEqual(['assistant', 'tool'])
    expect(report.tokens.after).toBeLessThan(15_000)
  })
})

it('an output of twelve megabytes is read at both ends, and not in its middle', async () => {
  const half = kinds['words without a name']?.(6_000_000) ?? ''
  const { shown, report, counted } = await callWith([user('Look at it.'), ...read('a', `KX-10007 ${half} KX-20007 ${half} KX-30007`)])
  expect([report.outcome, report.tokens.after < 15_000, counted < 4]).toEqual(['pruned', true, true])
  expect(JSON.stringify(shown.at(-1)).match(/KX-\d+/g)).toEqual(['KX-10007', 'KX-30007'])
})
