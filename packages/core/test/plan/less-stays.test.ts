import { createCompactor, type Message } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import { expect, it } from 'vitest'

/** Steps of an agent that reads files of so many lines, behind one request. */
const steps = (count: number, lines: number): Message[] => [
  { role: 'user', parts: [{ type: 'text', text: 'Read every file and say what is wrong.' }] },
  ...Array.from({ length: count }, (_, at): Message[] => [
    { role: 'assistant', parts: [{ type: 'tool-call', callId: `c${at}`, tool: 'read', input: `{"path":"src/file-${at}.ts"}` }] },
    { role: 'tool', parts: [{ type: 'tool-result', callId: `c${at}`, tool: 'read', output: `const value${at} = ${at} // of this file\n`.repeat(lines) }] },
  ]).flat(),
]

/** The newest messages that stay, and what the receipt says. */
async function compacted(retain: { messages: number; tokens: { tokens: number }; firm?: boolean }, lines = 60) {
  const history = steps(30, lines)
  const { report } = await createCompactor<Message>({
    codec: neutralCodec,
    limits: { contextWindow: 14_000, maxOutput: 1_000 },
    policy: { retain: { turns: 0, toolPairs: 0, firm: true, ...retain } },
  })
    .session('s')
    .beforeModelCall(history)
  return { kept: report.plan.keep.filter((index) => index >= history.length - retain.messages).length, report }
}

it('fewer messages of a firm tail than `retain` says are said on the receipt', async () => {
  const { kept, report } = await compacted({ messages: 16, tokens: { tokens: 20_000 } }, 150)
  expect(report.outcome).toBe('summarized')
  expect(kept).toBeLessThan(16)
  expect(report.warnings).toContain('less stays than `retain`')
})

it('of a tail that is not firm, `retain` says the most: less is as it was meant', async () => {
  const { kept, report } = await compacted({ messages: 16, tokens: { tokens: 20_000 }, firm: false })
  expect(kept).toBeLessThan(16)
  expect(report.warnings).toEqual([])
})

it('where all of them stay, nothing is said', async () => {
  const { kept, report } = await compacted({ messages: 4, tokens: { tokens: 20_000 } })
  expect(report.outcome).toBe('summarized')
  expect(kept).toBe(4)
  expect(report.warnings).toEqual([])
})
