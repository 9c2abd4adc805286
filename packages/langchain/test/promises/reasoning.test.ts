import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { createCompactor, sealedTokens } from '@precis/core'
import { messageCodec } from '@precis/langchain'
import { expect, it } from 'vitest'

const seal = 'Q'.repeat(20_000)
const sized = (content: unknown, more: object = {}): number => {
  const session = createCompactor({ codec: messageCodec, limits: { contextWindow: 100_000 } }).session('s')
  return session.plan([new HumanMessage('go'), new AIMessage({ content: content as never, ...more }), new HumanMessage('on')]).decision.used
}
const text = { type: 'text', text: 'Done.' }

it.each([
  ['OpenAI, beside the content', [text], { additional_kwargs: { reasoning: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: seal } } }],
  ['OpenAI, as a block', [{ type: 'reasoning', reasoning: '', encrypted_content: seal }, text], {}],
  ['Anthropic, redacted', [{ type: 'redacted_thinking', data: seal }, text], {}],
  ['Anthropic, signed', [{ type: 'thinking', thinking: '', signature: seal }, text], {}],
])('sealed reasoning counts by its length: %s', (_, content, more) => {
  expect(sized(content, more) - sized([text])).toBe(sealedTokens(20_000))
})
