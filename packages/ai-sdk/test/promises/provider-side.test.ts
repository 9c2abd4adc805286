import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import type { CompactionReport } from '@precis/core'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type LanguageModel, type ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { majors, sdkOf } from '../majors.ts'

type Model = Exclude<LanguageModel, string>
const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.close()))
})
const wires = {
  anthropic: ({ url }: StrictProvider) => createAnthropic({ baseURL: url, apiKey: 'none' })('strict'),
  openai: ({ url }: StrictProvider) => createOpenAI({ baseURL: url, apiKey: 'none' }).responses('strict'),
} as const
const history: readonly ModelMessage[] = Array.from({ length: 41 }, (_, at) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content: `${at} ${'word '.repeat(300)}`,
}))

/** What one call sends and says, where the model reads more than we were told. */
async function call(wire: keyof typeof wires, providerOptions: Parameters<typeof generateText>[0]['providerOptions']) {
  const provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
  open.push(provider)
  const reports: CompactionReport[] = []
  const model = withCompaction(wires[wire](provider) as never, {
    limits: { contextWindow: 8_000, maxOutput: 500 },
    onReport: (report) => reports.push(report),
  }) as Model
  await generateText({ model, messages: [...history], maxRetries: 0, ...(providerOptions !== undefined && { providerOptions }) })
  const body = JSON.stringify(provider.requests.at(-1))
  return { whole: history.every(({ content }) => body.includes(String(content).slice(0, 30))), warnings: reports.flatMap(({ warnings }) => warnings).join() }
}

describe('a client that does not send the setting', () => {
  const setting = { openai: { contextManagement: [{ type: 'compaction', compactThreshold: 6_000 }] } }

  it.each(majors)('%s: compaction is done where the provider is not asked for it', async (major) => {
    const sdk = await sdkOf(major)
    const provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
    open.push(provider)
    const model = withCompaction(sdk.modelAt('openai-responses', provider.url) as never, { limits: { contextWindow: 8_000, maxOutput: 500 } })
    await sdk.generateText({ model, messages: [...history], maxRetries: 0, providerOptions: setting })
    // The OpenAI packages of 5 and 6 do not know it.
    expect((provider.requests[0]?.inputTokens ?? 0) > 8_000).toBe(major === 'AI SDK 7')
  })
})

describe('a provider that compacts by itself', () => {
  it.each<readonly [keyof typeof wires, Parameters<typeof generateText>[0]['providerOptions']]>([
    ['anthropic', { anthropic: { contextManagement: { edits: [{ type: 'compact_20260112' }] } } }],
    ['openai', { openai: { contextManagement: [{ type: 'compaction', compactThreshold: 6_000 }] } }],
  ])('%s, %j: the request goes out whole, and the receipt says why', async (wire, options) => {
    const { whole, warnings } = await call(wire, options)
    expect(whole).toBe(true)
    expect(warnings).toMatch(/the provider (?:compacts|keeps) this conversation/)
  })
  it('a conversation that is named in the metadata of a request is none that the provider keeps', async () => {
    const { whole, warnings } = await call('openai', { openai: { metadata: { conversation: 'abc', conversationId: 'abc' } } })
    expect(whole).toBe(false)
    expect(warnings).not.toContain('the provider')
  })
  it('behind a gateway, whose client sends the options as they are, it is left to it', async () => {
    const sent: unknown[] = []
    const gateway = {
      specificationVersion: 'v3',
      provider: 'gateway',
      modelId: 'anthropic/strict',
      supportedUrls: {},
      getArgs: async ({ prompt, providerOptions }: { readonly prompt: unknown; readonly providerOptions: unknown }) => ({ args: { prompt, providerOptions } }),
      async doGenerate({ prompt }: { readonly prompt: unknown }) {
        sent.push(prompt)
        const usage = { inputTokens: { total: 10 }, outputTokens: { total: 1 } }
        return { content: [{ type: 'text', text: 'ok' }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }
      },
    }
    const model = withCompaction(gateway as never, { limits: { contextWindow: 8_000, maxOutput: 500 } }) as Model
    const providerOptions = { anthropic: { contextManagement: { edits: [{ type: 'compact_20260112' }] } } }
    await generateText({ model, messages: [...history], maxRetries: 0, providerOptions })
    await generateText({ model, messages: [...history], maxRetries: 0 })
    expect(sent.map((prompt) => (prompt as readonly unknown[]).length === history.length)).toEqual([true, false])
  })
  it.each(['anthropic', 'openai'] as const)('%s without such a setting is compacted', async (wire) => {
    const { whole, warnings } = await call(wire, undefined)
    expect(whole).toBe(false)
    expect(warnings).not.toContain('the provider')
  })
})

describe('tools that the provider runs itself', () => {
  it('what they returned goes back whole or not at all: a client drops it in another form, and its call alone is refused', async () => {
    const bodies: string[] = []
    const fetch = async (_url: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
      bodies.push(String(init?.body))
      const usage = { input_tokens: Math.ceil(String(init?.body).length / 3), output_tokens: 1 }
      return Response.json({
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'strict',
        content: [{ type: 'text', text: 'ok' }],
        stop_reason: 'end_turn',
        usage,
      })
    }
    const anthropic = createAnthropic({ apiKey: 'none', fetch: fetch as typeof globalThis.fetch })
    const model = withCompaction(anthropic('strict'), { limits: { contextWindow: 32_000, maxOutput: 500 } })
    const searched = (turn: number): readonly ModelMessage[] => {
      const own = { toolCallId: `search-${turn}`, toolName: 'web_search' }
      const found = Array.from({ length: 4 }, (_, at) => ({
        type: 'web_search_result',
        url: `https://example.com/${turn}/${at}`,
        title: `Finding ${turn}-${at}`,
        pageAge: null,
        encryptedContent: 'EqRfYmxhY2sgYm94'.repeat(turn % 3 === 0 ? 300 : 20),
      }))
      return [
        { role: 'user', content: `Question ${turn}` },
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', ...own, input: { query: `query ${turn}` }, providerExecuted: true },
            { type: 'tool-result', ...own, output: { type: 'json', value: found } },
            { type: 'text', text: `Answer ${turn}` },
          ],
        },
      ]
    }
    const messages: ModelMessage[] = []
    for (let turn = 0; turn < 24; turn++) {
      messages.push(...searched(turn))
      await generateText({
        model,
        tools: { web_search: anthropic.tools.webSearch_20250305({}) },
        messages: [...messages, { role: 'user', content: 'Go on.' }],
        maxRetries: 0,
      })
      const sent = bodies.at(-1) ?? ''
      const ids = (pattern: RegExp) => [...sent.matchAll(pattern)].map(([, id]) => id)
      expect(ids(/"type":"web_search_tool_result","tool_use_id":"(search-\d+)"/g)).toEqual(ids(/"type":"server_tool_use","id":"(search-\d+)"/g))
    }
    expect(bodies.at(-1)).not.toContain('"search-0"')
    // What left is in the record all the same.
    expect(bodies.at(-1)).toContain('Finding 3-')
  })
})

describe('a provider that keeps the conversation', () => {
  it('a request that carries nothing but the result of a call goes out as it came', async () => {
    const inputs: unknown[] = []
    const openai = createOpenAI({
      apiKey: 'none',
      fetch(_url, init) {
        inputs.push((JSON.parse(String(init?.body)) as { readonly input: unknown }).input)
        const message = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Done.', annotations: [] }] }
        return Promise.resolve(Response.json({ id: 'r', created_at: 0, model: 'm', output: [message], usage: { input_tokens: 10, output_tokens: 1 } }))
      },
    })
    const model = withCompaction(openai.responses('strict'), { limits: { contextWindow: 8_000, maxOutput: 500 } })
    const output = { type: 'text', value: 'the port is 8123' } as const
    const messages: ModelMessage[] = [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'read', output }] }]
    await generateText({ model, messages, maxRetries: 0, providerOptions: { openai: { previousResponseId: 'r0' } } })
    expect(inputs).toEqual([[{ type: 'function_call_output', call_id: 'c1', output: 'the port is 8123' }]])
  })
})
