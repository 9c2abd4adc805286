import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { type CompactionReport, defaultMediaCost } from '@precis/core'
import { createPreModelHook } from '@precis/langchain'
import { createRandom } from '@precis/testkit'
import { expect, it } from 'vitest'

// Pictures count as pictures, wherever LangChain keeps them.

const random = createRandom(5)
const png = (bytes: number): string =>
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Array.from({ length: bytes }, () => random.between(0, 255))]).toString('base64')

async function shown(messages: BaseMessage[]): Promise<{ readonly tokens: number; readonly messages: readonly BaseMessage[] }> {
  const reports: CompactionReport[] = []
  const hook = createPreModelHook({ limits: { contextWindow: 1_000_000, maxOutput: 500 }, onReport: (report) => reports.push(report) })
  const { llmInputMessages } = await hook({ messages })
  return { tokens: reports[0]?.tokens.before ?? 0, messages: llmInputMessages }
}
const asked = new HumanMessage('Draw a sea.')
const call = new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 'draw', args: {} }] })

it.each<readonly [string, BaseMessage[]]>([
  ['a generated image', [new AIMessage({ content: [{ type: 'image_generation_call', id: 'ig_1', result: png(1_500_000) }] as never })]],
  [
    'an image in a result',
    [call, new ToolMessage({ tool_call_id: 'c', name: 'draw', content: [{ type: 'image', mimeType: 'image/png', data: png(100_000) }] as never })],
  ],
  ['an image in a message', [new HumanMessage({ content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png(100_000)}` } }] })]],
])('%s counts by its kind', async (_name, messages) => {
  const more = (await shown([asked, ...messages])).tokens - (await shown([asked])).tokens
  expect(more).toBeGreaterThanOrEqual(defaultMediaCost.image)
  expect(more).toBeLessThan(defaultMediaCost.image + 120)
})
it('a CSV file counts as its text', async () => {
  const csv = Array.from({ length: 3_000 }, (_, at) => `${at},customer-${at * 7919},open`).join('\n')
  const file = { type: 'file', mimeType: 'text/csv', data: Buffer.from(csv).toString('base64') }
  const [inFile, inText] = await Promise.all([shown([new HumanMessage({ content: [file] as never })]), shown([new HumanMessage(csv)])])
  expect(Math.abs(inFile.tokens - inText.tokens)).toBeLessThan(20)
})
it('a screenshot that a tool returns as text is named by type and size', async () => {
  const { messages, tokens } = await shown([asked, call, new ToolMessage({ tool_call_id: 'c', name: 'draw', content: JSON.stringify({ png: png(100_000) }) })])
  expect(messages.at(-1)?.content).toBe('{"png":"[image/png, 100008 bytes, not shown as text]"}')
  expect(tokens).toBeLessThan(200)
})
