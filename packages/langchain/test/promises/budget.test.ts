import { ChatAnthropic } from '@langchain/anthropic'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import type { CompactionReport } from '@precis/core'
import { type CompactionOptions, compactionMiddleware } from '@precis/langchain'
import { createRandom, recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import { createAgent, tool } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

let open: StrictProvider | undefined
afterEach(async () => {
  await open?.close()
  open = undefined
})
const text = (name: string, words: number): string => {
  const random = createRandom(name.length * 31 + words)
  return Array.from({ length: words }, () => `${name}${random.between(100, 9_999)}`).join(' ')
}
const read = tool(async ({ path }: { path: string }) => text(path.slice(4, 7), 900), {
  name: 'read_file',
  description: 'Reads a file.',
  schema: z.object({ path: z.string() }),
})
const reading = recallModel({
  steps: Array.from({ length: 40 }, (_, at) => ({ tool: 'read_file', input: () => ({ path: `src/m${at}.ts` }) })),
  final: 'All read.',
})
const provider = async (options: Partial<StrictProviderOptions> & { readonly window: number }): Promise<StrictProvider> => {
  open = await strictProvider({ model: reading, ...options })
  return open
}
const refused = () => open?.requests.filter((request) => request.status !== 200).map(({ inputTokens }) => inputTokens)
const anthropic = ({ url }: StrictProvider, more: object = {}) =>
  new ChatAnthropic({ model: 'claude-sonnet-4-5', apiKey: 'none', anthropicApiUrl: url.replace(/\/v1$/, ''), maxRetries: 0, streaming: false, ...more })
const invoke = async (model: unknown, messages: BaseMessage[], options: CompactionOptions = {}): Promise<BaseMessage[]> => {
  const agent = createAgent({ model: model as never, tools: [read], middleware: [compactionMiddleware(options)] })
  return (await agent.invoke({ messages }, { recursionLimit: 200 })).messages
}

describe('the reply that the client asks for is kept free in full', () => {
  it('what ChatAnthropic asks for by itself', async () => {
    const model = anthropic(await provider({ window: 40_000 }))
    expect(model.maxTokens).toBeGreaterThan(16_000)
    const messages = await invoke(model, [new HumanMessage('Read all.')], { limits: { contextWindow: 40_000, maxOutput: 4_000 } })
    expect(messages.at(-1)?.text).toBe('All read.')
    expect(refused()).toEqual([])
  })
  it.each([
    ['of the model', (url: string) => new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: url }, maxRetries: 0, maxTokens: 40_000 })],
    [
      'beside a profile',
      (url: string) =>
        Object.defineProperty(
          new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: url }, maxRetries: 0, maxTokens: 40_000 }),
          'profile',
          { value: { maxInputTokens: 80_000, maxOutputTokens: 40_000 } },
        ),
    ],
  ])('the setting %s', async (title, make) => {
    const { url } = await provider({ window: 80_000 })
    const messages = await invoke(
      make(url),
      [new HumanMessage('Read all.')],
      title === 'beside a profile' ? {} : { limits: { contextWindow: 80_000, maxInput: 80_000 } },
    )
    expect(messages.at(-1)?.text).toBe('All read.')
    expect(refused()).toEqual([])
  })
  it('a profile’s input is the window that the reply shares', async () => {
    const { url } = await provider({ window: 50_000, maxOutput: 10_000 })
    const model = Object.defineProperty(new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: url }, maxRetries: 0 }), 'profile', {
      value: { maxInputTokens: 50_000, maxOutputTokens: 10_000 },
    })
    const reports: CompactionReport[] = []
    await invoke(model, [new HumanMessage('Read all.')], { onReport: (report) => reports.push(report) })
    expect(reports.at(-1)?.tokens.budget).toBe(40_000)
    expect(refused()).toEqual([])
  })
  it('a published limit of the prompt, smaller than the window, is kept beside a profile, which has none', async () => {
    const { url } = await provider({ window: 400_000, model: () => ({ text: 'All read.', calls: [] }) })
    const model = new ChatOpenAI({ model: 'gpt-5.2', apiKey: 'none', configuration: { baseURL: url }, maxRetries: 0 })
    expect(model.profile.maxInputTokens).toBe(400_000)
    const reports: CompactionReport[] = []
    await invoke(model, [new HumanMessage('Read all.')], { onReport: (report) => reports.push(report) })
    expect(reports.at(-1)?.tokens.budget).toBe(272_000)
  })
})

it('a prompt of five windows survives a refusal without a number', async () => {
  const { url, requests } = await provider({ window: 6_000, model: () => ({ text: 'done', calls: [] }) })
  const model = new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: url }, maxRetries: 0, useResponsesApi: true, maxTokens: 500 })
  const history = Array.from({ length: 24 }, (_, at) => [
    new AIMessage({ content: '', tool_calls: [{ id: `c${at}`, name: 'read_file', args: { path: `src/${at}` } }] }),
    new ToolMessage({ content: text(`m${at}`, 400), tool_call_id: `c${at}`, name: 'read_file' }),
  ]).flat()
  const messages = await invoke(model, [new HumanMessage('go'), ...history, new AIMessage('Read.'), new HumanMessage('now?')])
  expect(messages.at(-1)?.text).toBe('done')
  expect(requests[0]?.inputTokens).toBeGreaterThan(24_000)
  expect(requests.length).toBeLessThanOrEqual(4)
})
