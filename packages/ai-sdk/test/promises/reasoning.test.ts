import { createCompaction } from '@precis/ai-sdk'
import { sealedTokens } from '@precis/core'
import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'

const seal = 'Q'.repeat(20_000)
const bare = createCompaction({ limits: { contextWindow: 100_000 } })
const sized = (content: unknown): number => {
  const messages = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content },
    { role: 'user', content: 'on' },
  ] as ModelMessage[]
  return bare.session(crypto.randomUUID()).plan(messages).decision.used
}
const text = { type: 'text', text: 'Done.' }
const empty = sized([text])

describe('reasoning that is sent back sealed counts by its length', () => {
  it.each([
    ['OpenAI, encrypted', { openai: { itemId: 'rs_1', reasoningEncryptedContent: seal } }],
    ['Anthropic, redacted', { anthropic: { redactedData: seal } }],
    ['Anthropic, signed', { anthropic: { signature: seal } }],
    ['a provider that speaks like it', { bedrock: { signature: seal } }],
  ])('%s', (_, providerOptions) => {
    expect(sized([{ type: 'reasoning', text: '', providerOptions }, text]) - empty).toBe(sealedTokens(20_000))
    expect(sealedTokens(20_000)).toBe(3_588)
  })
  it('once, where one item is several parts', () => {
    const part = { type: 'reasoning', text: '', providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: seal } } }
    expect(sized([part, part, part, text]) - empty).toBe(sealedTokens(20_000))
  })
  it('not beside its own words, and a mere signature is none', () => {
    const words = 'The cache is stale because the key lacks the locale. '.repeat(60)
    const said = sized([{ type: 'reasoning', text: words }, text])
    expect(sized([{ type: 'reasoning', text: words, providerOptions: { anthropic: { signature: 'Q'.repeat(400) } } }, text])).toBe(said)
  })
})
