import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import type { CompactionReport, PolicyOverrides } from '@precis/core'
import { recallModel, strictProvider } from '@precis/testkit'
import { generateText, type ModelMessage } from 'ai'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

// Whoever tests an agent under timers that stand still is kept waiting by none of ours.

// Those of the provider, which stands in for a server, run.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it.each<[string, PolicyOverrides]>([
  ['a record', {}],
  ['a summary', { summary: { author: 'model' } }],
  ['a summary ahead of need', { trigger: { background: true }, summary: { author: 'model' } }],
])('%s is made while no timer ends', async (name, policy) => {
  const provider = await strictProvider({ window: 16_000, model: recallModel({ steps: [], final: 'Noted.' }) })
  const reports: CompactionReport[] = []
  const model = withCompaction(createOpenAICompatible({ name: 'own', baseURL: provider.url, apiKey: 'none' })('m'), {
    limits: { contextWindow: 16_000, maxOutput: 500 },
    policy,
    summarizer: { name: 'writes', summarize: async () => ({ finish: 'stop', text: 'The parser builds slowly, as was said in each turn. '.repeat(12) }) },
    onReport: (report) => void reports.push(report),
  })
  const messages: ModelMessage[] = []
  for (let turn = 0; turn < 20; turn++) {
    messages.push({ role: 'user', content: `For ${name}, turn ${turn}. ${'The build of the parser is slow again. '.repeat(120)}` })
    const { text } = await generateText({ model, messages, maxRetries: 0 })
    messages.push({ role: 'assistant', content: text })
  }
  await provider.close()
  expect(reports.filter(({ outcome }) => outcome === 'summarized').length).toBeGreaterThan(0)
})
