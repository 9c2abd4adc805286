import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import { createCompactor, sealedTokens } from '@precis/core'
import { type AgentItem, createCodec, withCompaction } from '@precis/openai-agents'
import { recallModel, strictProvider } from '@precis/testkit'
import { expect, it } from 'vitest'
import { z } from 'zod'

it('sealed reasoning counts by its length', () => {
  const sized = (more: readonly AgentItem[]): number => {
    const session = createCompactor({ codec: createCodec(), limits: { contextWindow: 100_000 } }).session('s')
    const items = [{ role: 'user', content: 'go' }, ...more, { role: 'user', content: 'on' }]
    return session.plan(items).decision.used
  }
  const reasoning = (encrypted: string): AgentItem => ({ type: 'reasoning', id: 'rs_1', content: [], providerData: { encrypted_content: encrypted } })
  expect(sized([reasoning('Q'.repeat(20_000))]) - sized([reasoning('')])).toBe(sealedTokens(20_000))
})

it.each([false, true])('replies that think, say something and call: none is cut in the middle; streamed: %s', async (stream) => {
  const steps = Array.from({ length: 8 }, (_, page) => ({ tool: 'read_page', input: () => ({ page }), say: `Page ${page} is next.` }))
  const provider = await strictProvider({ window: 12_000, model: recallModel({ steps, final: 'All pages are read.' }, { thinks: true }) })
  const read = tool({
    name: 'read_page',
    description: 'Reads a page.',
    parameters: z.object({ page: z.number() }),
    execute: async ({ page }) => Array.from({ length: 800 }, (_, line) => `line ${line} of page ${page}`).join('\n'),
  })
  const inner = new OpenAIProvider({ baseURL: provider.url, apiKey: 'none', useResponses: true })
  const runner = new Runner({ tracingDisabled: true, modelProvider: withCompaction(inner, { limits: { contextWindow: 12_000, maxOutput: 500 } }) })
  const agent = new Agent({ name: 'reader', model: 'strict', tools: [read], modelSettings: { maxTokens: 500 } })
  const result = stream
    ? await runner.run(agent, 'Read all pages.', { maxTurns: 20, stream: true })
    : await runner.run(agent, 'Read all pages.', { maxTurns: 20 })
  if ('completed' in result) await result.completed
  await provider.close()
  expect(provider.requests.flatMap(({ violations }) => violations)).toEqual([])
  expect(result.finalOutput).toBe('All pages are read.')
})
