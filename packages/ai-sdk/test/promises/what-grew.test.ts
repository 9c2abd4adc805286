import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createCompaction, withCompaction } from '@precis/ai-sdk'
import type { CompactionReport } from '@precis/core'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, jsonSchema, type ModelMessage, type ToolSet, tool } from 'ai'
import { afterEach, expect, it } from 'vitest'

// A system prompt or tools that grow between two calls: the call that is too large with them is compacted first.

const window = 8_000
const limits = { contextWindow: window, maxOutput: 300 }
let provider: StrictProvider
afterEach(() => provider.close())

const words = (seed: number, count: number): string => Array.from({ length: count }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const turns = 14

it.each(['system', 'tools'] as const)('%s, through a wrapped model and through prepareStep', async (what) => {
  for (const door of ['model', 'prepareStep'] as const) {
    provider = await strictProvider({ window, maxOutput: 300, model: () => ({ text: 'ok', calls: [] }) })
    const reports: CompactionReport[] = []
    const options = { limits, onReport: (report: CompactionReport) => void reports.push(report) }
    const plain = createOpenAICompatible({ baseURL: provider.url, apiKey: 'none', name: 'strict', includeUsage: true })('strict')
    const model = door === 'model' ? withCompaction(plain, options) : plain
    const compaction = createCompaction(options)
    const messages: ModelMessage[] = []
    for (let turn = 1; turn <= turns; turn++) {
      messages.push({ role: 'user', content: `Turn ${turn}. ${words(turn + 3, 140)}` })
      const more = turn === turns ? words(5, 1_600) : ''
      const look = { description: `Looks. ${what === 'tools' ? more : ''}`, inputSchema: jsonSchema({ type: 'object', properties: {} }) }
      const tools = { look: tool(look) } as unknown as ToolSet
      const system = `You are helpful. ${what === 'system' ? more : ''}`
      const { text } = await generateText({
        model,
        messages,
        system,
        tools,
        maxOutputTokens: 300,
        maxRetries: 0,
        ...(door === 'prepareStep' && { prepareStep: compaction.prepareStep({ session: 's', tools }) }),
      })
      expect(text).toBe('ok')
      messages.push({ role: 'assistant', content: `Noted. ${words(turn + 5, 60)}` })
    }
    expect(provider.requests.map(({ status }) => status)).toEqual(Array(turns).fill(200))
    const { outcome, tokens } = reports.at(-1) as CompactionReport
    expect(outcome).toBe('summarized')
    expect(tokens.before).toBeGreaterThan(window)
    // The receipt says what was sent, give or take a twentieth.
    const billed = provider.requests.at(-1)?.inputTokens ?? 0
    expect(Math.abs(tokens.after - billed)).toBeLessThan(billed / 20)
    await provider.close()
  }
})
