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
