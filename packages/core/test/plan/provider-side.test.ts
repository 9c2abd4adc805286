import { assistant, neutralCodec, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { createCompactor, providerSide } from '../../src/index.ts'

describe('what a provider does by itself', () => {
  it.each<readonly [unknown, string | undefined]>([
    [{ openai: { previousResponseId: 'resp_1' } }, 'keeps'],
    [{ previous_response_id: 'resp_1' }, 'keeps'],
    [{ openai: { conversation: { id: 'conv_1' } } }, 'keeps'],
    [{ openai: { previousResponseId: null } }, undefined],
    [{ openai: { contextManagement: [{ type: 'compaction', compactThreshold: 50_000 }] } }, 'compacts'],
    [{ context_management: [{ type: 'compaction', compact_threshold: 50_000 }] }, 'compacts'],
    [{ openai: { compactionTrigger: true } }, 'compacts'],
    [{ anthropic: { contextManagement: { edits: [{ type: 'compact_20260112' }] } } }, 'compacts'],
    [{ anthropic: { contextManagement: { edits: [{ type: 'clear_tool_uses_20250919' }] } } }, 'compacts'],
    [{ anthropic: { contextManagement: { edits: [{ type: 'clear_thinking_20251015' }] } } }, undefined],
    [{ anthropic: { compaction: { type: 'summarize' } } }, 'compacts'],
    [{ openai: { reasoningEffort: 'low' } }, undefined],
    [undefined, undefined],
    ['compaction', undefined],
  ])('%j: %s', (settings, expected) => {
    expect(providerSide(settings)).toBe(expected)
  })
})

describe('a provider that acts by itself', () => {
  const history = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? user : assistant)(`${at} ${'word '.repeat(100)}`))
  const open = () => createCompactor({ codec: neutralCodec, limits: { contextWindow: 4_000, maxOutput: 500 } }).conversation(history)

  it.each(['keeps', 'compacts'] as const)('%s: nothing is compacted, and the receipt says why', async (provider) => {
    const { messages, report } = await open().beforeModelCall(history, { provider })
    expect(messages).toBe(history)
    expect(report.warnings.join()).toContain(provider === 'keeps' ? 'keeps this conversation' : 'compacts this conversation itself')
  })
  it('it is said once, and again when it changes', async () => {
    const session = open()
    const told: number[] = []
    for (const provider of ['compacts', 'compacts', 'keeps', 'keeps'] as const) {
      const { report } = await session.beforeModelCall(history, { provider })
      told.push(report.warnings.filter((warning) => warning.startsWith('the provider')).length)
    }
    expect(told).toEqual([1, 0, 1, 0])
  })
  it('a refusal is answered all the same', async () => {
    const session = open()
    await session.beforeModelCall(history, { provider: 'compacts' })
    const again = await session.recover(history, new Error('maximum context length is 4000 tokens, however you requested 6000 tokens'), {
      provider: 'compacts',
    })
    expect(again?.messages.length).toBeLessThan(history.length)
  })
  it('without it the same call is compacted', async () => {
    expect((await open().beforeModelCall(history)).messages.length).toBeLessThan(history.length)
  })
})
