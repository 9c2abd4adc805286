import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import type { CompactionReport } from '@precis/core'
import { compaction, withCompaction } from '@precis/langchain'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'

const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const history = Array.from({ length: 41 }, (_, at) => new (at % 2 === 0 ? HumanMessage : AIMessage)(`${at} ${'word '.repeat(300)}`))
const limits = { contextWindow: 8_000, maxOutput: 500 }

/** What one call sends and says, where the model reads more than we were told. */
async function call(way: 'agent' | 'model', modelKwargs: Record<string, unknown>) {
  const provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
  open.push(provider)
  const reports: CompactionReport[] = []
  const options = { limits, onReport: (report: CompactionReport) => reports.push(report) }
  const model = new ChatOpenAI({ model: 'strict', apiKey: 'none', maxRetries: 0, useResponsesApi: true, modelKwargs, configuration: { baseURL: provider.url } })
  if (way === 'agent') await createAgent({ model, tools: [], middleware: [compaction(options)] }).invoke({ messages: history })
  else await withCompaction(model, options).invoke(history)
  const body = JSON.stringify(provider.requests.at(-1))
  return { whole: history.every(({ text }) => body.includes(text.slice(0, 30))), warnings: reports.flatMap(({ warnings }) => warnings).join() }
}

describe.each(['agent', 'model'] as const)('%s: a provider that compacts by itself', (way) => {
  it('is left alone, and the receipt says why', async () => {
    const { whole, warnings } = await call(way, { context_management: [{ type: 'compaction', compact_threshold: 6_000 }] })
    expect(whole).toBe(true)
    expect(warnings).toContain('the provider compacts this conversation itself')
  })
  it('without that setting we compact', async () => {
    const { whole, warnings } = await call(way, {})
    expect(whole).toBe(false)
    expect(warnings).not.toContain('the provider')
  })
})
