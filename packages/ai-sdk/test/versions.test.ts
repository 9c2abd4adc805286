import { createArchive, memoryStorage } from '@precis/core'
import { recallModel, strictProvider } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { compactionTools, createCompaction } from '../src/index.ts'
import { fileText, firstRequest, type Setup, scenario, steps } from './scenario.ts'

const window = 12_000
const limits = { contextWindow: window, maxOutput: 500 }

/** What a test uses of one major: looked at structurally, as our users' code is. */
interface Major {
  readonly ai: {
    readonly generateText: (
      options: unknown,
    ) => Promise<{ readonly text: string; readonly steps: readonly unknown[]; readonly response: { readonly messages: readonly ModelMessage[] } }>
    readonly streamText: (options: unknown) => { readonly text: Promise<string>; consumeStream(): Promise<void> }
    readonly wrapLanguageModel: (options: unknown) => unknown
    readonly stepCountIs?: (count: number) => unknown
    readonly isStepCount?: (count: number) => unknown
    readonly jsonSchema: (schema: unknown) => unknown
  }
  readonly openai: (options: {
    readonly name: string
    readonly baseURL: string
    readonly apiKey: string
    readonly includeUsage: boolean
  }) => (model: string) => unknown
  readonly anthropic: (options: { readonly baseURL: string; readonly apiKey: string }) => (model: string) => unknown
}

const majors: Readonly<Record<string, () => Promise<Major>>> = {
  'AI SDK 5': async () => ({
    ai: (await import('ai-v5')) as never,
    openai: (await import('openai-compatible-v5')).createOpenAICompatible as never,
    anthropic: (await import('anthropic-v5')).createAnthropic as never,
  }),
  'AI SDK 6': async () => ({
    ai: (await import('ai-v6')) as never,
    openai: (await import('openai-compatible-v6')).createOpenAICompatible as never,
    anthropic: (await import('anthropic-v6')).createAnthropic as never,
  }),
  'AI SDK 7': async () => ({
    ai: (await import('ai')) as never,
    openai: (await import('@ai-sdk/openai-compatible')).createOpenAICompatible as never,
    anthropic: (await import('@ai-sdk/anthropic')).createAnthropic as never,
  }),
}

let open: Pick<Setup, 'provider'> | undefined
afterEach(async () => {
  await open?.provider.close()
  open = undefined
})

describe.each(Object.keys(majors))('%s', (name) => {
  const setUp = async (shape: 'openai' | 'anthropic') => {
    const major = await (majors[name] as () => Promise<Major>)()
    const provider = await strictProvider({ window, model: recallModel(scenario), maxOutput: 500 })
    open = { provider }
    const model =
      shape === 'openai'
        ? major.openai({ name: 'strict', baseURL: provider.url, apiKey: 'none', includeUsage: true })('strict')
        : major.anthropic({ baseURL: provider.url, apiKey: 'none' })('strict')
    const stop = major.ai.isStepCount ?? major.ai.stepCountIs
    const tools = {
      read_file: {
        description: 'Reads a file of the project.',
        inputSchema: major.ai.jsonSchema({ type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }),
        execute: async ({ path }: { readonly path: string }) => fileText(path),
      },
    }
    return { ...major.ai, provider, model, tools, stopWhen: stop?.(100) }
  }

  it.each(['openai', 'anthropic'] as const)('an agent over %s finishes with prepareStep, every request valid', async (shape) => {
    const { generateText, provider, ...rest } = await setUp(shape)
    const compaction = createCompaction({ limits })
    const { tools, model, stopWhen } = rest
    const run = await generateText({
      model,
      tools,
      stopWhen,
      messages: [{ role: 'user', content: firstRequest }],
      prepareStep: compaction.prepareStep({ tools, session: 's' }),
      maxOutputTokens: 500,
      maxRetries: 0,
    })
    expect(run.text).toBe(scenario.final)
    expect(run.steps).toHaveLength(steps + 2)
    expect(provider.requests.filter((request) => request.status !== 200)).toEqual([])
    // The next turn brings the whole history again.
    const history = [
      { role: 'user', content: firstRequest },
      ...run.response.messages,
      { role: 'user', content: 'And for which ticket is this, which ticket?' },
    ]
    const next = await generateText({
      model,
      tools,
      stopWhen,
      messages: history,
      prepareStep: compaction.prepareStep({ tools, session: 's' }),
      maxOutputTokens: 500,
      maxRetries: 0,
    })
    expect(next.text).toBe('PRE-205')
    expect(provider.requests.filter((request) => request.status !== 200)).toEqual([])
  })

  it('streams', async () => {
    const { streamText, provider, tools, model, stopWhen } = await setUp('openai')
    const result = streamText({
      model,
      tools,
      stopWhen,
      prompt: firstRequest,
      prepareStep: createCompaction({ limits }).prepareStep({ tools }),
      maxOutputTokens: 500,
      maxRetries: 0,
    })
    await result.consumeStream()
    expect(await result.text).toBe(scenario.final)
    expect(provider.requests.filter((request) => request.status !== 200)).toEqual([])
  })

  it('the middleware recovers from a refusal whose window nobody knew', async () => {
    const { generateText, wrapLanguageModel, provider, tools, model, stopWhen } = await setUp('anthropic')
    const guarded = wrapLanguageModel({ model, middleware: createCompaction().middleware() })
    const run = await generateText({ model: guarded, tools, stopWhen, prompt: firstRequest, maxOutputTokens: 500, maxRetries: 0 })
    expect(run.text).toBe(scenario.final)
    expect(provider.requests.filter((request) => request.status !== 200).length).toBeLessThanOrEqual(2)
    expect(provider.requests.flatMap((request) => request.violations)).toEqual([])
  })

  it('takes our tools', async () => {
    const { generateText, model, tools, stopWhen, provider } = await setUp('openai')
    const compaction = createCompaction({ limits, archive: createArchive<ModelMessage>(memoryStorage()) })
    const all = { ...tools, ...compactionTools(compaction.session('s')) }
    const run = await generateText({
      model,
      tools: all,
      stopWhen,
      prompt: firstRequest,
      prepareStep: compaction.prepareStep({ tools: all, session: 's' }),
      maxRetries: 0,
    })
    expect(run.text).toBe(scenario.final)
    expect(provider.requests.flatMap((request) => request.violations)).toEqual([])
  })
})
