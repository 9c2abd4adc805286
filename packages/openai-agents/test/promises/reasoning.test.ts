import { createCompactor, sealedTokens } from '@precis/core'
import { type AgentItem, createCodec } from '@precis/openai-agents'
import { expect, it } from 'vitest'

it('sealed reasoning counts by its length', () => {
  const sized = (more: readonly AgentItem[]): number => {
    const session = createCompactor({ codec: createCodec(), limits: { contextWindow: 100_000 } }).session('s')
    const items = [{ role: 'user', content: 'go' }, ...more, { role: 'user', content: 'on' }]
    return session.plan(items).decision.used
  }
  const reasoning = (encrypted: string): AgentItem => ({ type: 'reasoning', id: 'rs_1', content: [], providerData: { encrypted_content: encrypted } })
  expect(sized([reasoning('Q'.repeat(20_000))]) - sized([reasoning('')])).toBe(sealedTokens(20_000))
})
