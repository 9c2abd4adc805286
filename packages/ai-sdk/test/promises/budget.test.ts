import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type CompactionOptions, createCompaction, withCompaction } from '@precis/ai-sdk'
import { builtInEstimator, type CompactionReport, presets } from '@precis/core'
import { recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, type LanguageModel, type ModelMessage, streamText, wrapLanguageModel } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { majors, sdkOf } from '../majors.ts'
import { fileText, firstRequest, scenario, tools } from '../scenario.ts'

const stopWhen = isStepCount(100)
let open: StrictProvider | undefined
afterEach(async () => {
  await open?.close()
  open = undefined
})
const provider = async (options: Partial<StrictProviderOptions> & { readonly window: number }): Promise<StrictProvider> => {
  open = await strictProvider({ model: recallModel(scenario), ...options })
  return open
}
const refused = () => open?.requests.filter((request) => request.status !== 200).map(({ inputTokens }) => inputTokens)
type Model = Exclude<LanguageModel, string>
const compatible = ({ url }: StrictProvider): Model => createOpenAICompatible({ baseURL: url, apiKey: 'none', name: 'strict', includeUsage: true })('strict')
/** Forty files with three texts each: about 100,000 tokens. */
const large: Record<string, unknown> = {
  ...tools,
  read_file: { ...tools['read_file'], execute: async ({ path }: { path: string }) => [0, 1].map((at) => fileText(`${path}${at === 0 ? '' : at}`)).join('\n') },
}

/** Through the middleware, or through prepareStep: what a user writes. */
const run = (door: 'middleware' | 'prepareStep', model: Model, options: CompactionOptions, more: { readonly maxOutputTokens?: number } = {}) => {
  const compaction = createCompaction(options)
  const own =
    door === 'middleware'
      ? { model: wrapLanguageModel({ model: model as never, middleware: compaction.middleware() as never }) }
      : { model, prepareStep: compaction.prepareStep({ tools: large, ...more }) }
  return generateText({ ...own, tools: large as never, prompt: firstRequest, stopWhen, maxRetries: 0, ...more } as Parameters<typeof generateText>[0])
}

describe.each(['middleware', 'prepareStep'] as const)('the reply that is asked for is kept free in full: %s', (door) => {
  it.each(['balanced', 'calibrated'] as const)('64,000 of 128,000, with %s', async (preset) => {
    const model = compatible(await provider({ window: 128_000 }))
    const limits = { contextWindow: 128_000, maxOutput: 64_000 }
    const { text } = await run(door, model, { limits, policy: presets[preset] }, { maxOutputTokens: 64_000 })
    expect(text).toBe(scenario.final)
    expect(refused()).toEqual([])
  })
  it('also beside a published input limit', async () => {
    const model = compatible(await provider({ window: 100_000 }))
    const { text } = await run(door, model, { limits: { contextWindow: 100_000, maxInput: 100_000 } }, { maxOutputTokens: 50_000 })
    expect(text).toBe(scenario.final)
    expect(refused()).toEqual([])
  })
  it('also what the provider’s client asks for by itself: 64,000 for this Claude', async () => {
    const { url } = await provider({ window: 100_000 })
    const model = createAnthropic({ baseURL: url, apiKey: 'none' })('claude-sonnet-4-5')
    const { text } = await run(door, model, { limits: { contextWindow: 100_000 } })
    expect(text).toBe(scenario.final)
    expect(refused()).toEqual([])
  })
  it('the buffer of "layered" comes on top of it', async () => {
    const model = compatible(await provider({ window: 24_000 }))
    const limits = { contextWindow: 24_000, maxOutput: 8_000 }
    const { text } = await run(door, model, { limits, policy: presets.layered }, { maxOutputTokens: 8_000 })
    expect(text).toBe(scenario.final)
    expect(refused()).toEqual([])
  })
})

describe('a reply of unknown size', () => {
  const history: ModelMessage[] = Array.from({ length: 14 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${at} ${fileText(`a${at}`).slice(0, 900)}`,
  }))
  const sentOf = async (limits: { contextWindow: number; maxOutput?: number }, more: { maxOutputTokens?: number } = {}) => {
    const { model, reports } = {
      model: compatible(await provider({ window: 200_000, model: () => ({ text: 'ok', calls: [] }) })),
      reports: [] as CompactionReport[],
    }
    const compaction = createCompaction({ limits, onReport: (report) => reports.push(report) })
    const guarded = wrapLanguageModel({ model: model as never, middleware: compaction.middleware() as never })
    await generateText({ model: guarded, messages: [...history, { role: 'user', content: 'on' }], maxRetries: 0, ...more })
    return reports[0] as CompactionReport
  }
  it.each([32_768, 32_000, 16_384])('a window of %d is not spent on it: 6,000 tokens pass untouched', async (contextWindow) => {
    const { outcome, tokens } = await sentOf({ contextWindow })
    expect(outcome).toBe('unchanged')
    expect(tokens.budget).toBe(Math.floor(contextWindow * 0.75))
  })
  it('what a client makes room for when the model is to think is kept free too, from the first call on', async () => {
    const { url } = await provider({ window: 200_000, model: () => ({ text: 'ok', calls: [] }) })
    const model = createAnthropic({ baseURL: url, apiKey: 'none' })('claude-sonnet-4-5')
    const budgets: unknown[] = []
    const wrapped = withCompaction(model, { limits: { contextWindow: 200_000 }, onReport: ({ tokens }) => budgets.push(tokens.budget) })
    for (const more of [{}, { reasoning: 'high' as const }, {}, { reasoning: 'high' as const }])
      await generateText({ model: wrapped, prompt: 'Hi.', maxRetries: 0, maxOutputTokens: 4_000, ...more })
    const kept = open?.requests.map(({ settings }) => 200_000 - Number(settings['max_tokens']))
    expect(new Set(kept).size).toBe(2)
    expect(budgets).toEqual(kept)
  })
  it('one larger than the window is told of, and left to the provider', async () => {
    const { outcome, warnings, tokens } = await sentOf({ contextWindow: 32_768 }, { maxOutputTokens: 64_000 })
    expect(outcome).toBe('unchanged')
    expect(tokens.budget).toBe(24_576)
    expect(warnings.join()).toMatch(/reply of 64000 tokens does not fit into the window of 32768/)
  })
  it('nothing that nobody wrote is complained about', () => {
    expect(() => createCompaction({ limits: { contextWindow: 8_192 } })).not.toThrow()
    expect(() => createCompaction({ limits: { contextWindow: 8_192, maxOutput: Number.NaN } })).toThrow(/limits\.maxOutput/)
    expect(() => createCompaction({ limits: { contextWindow: 128 } })).toThrow(/limits\.contextWindow is 128; expected at least 256 tokens/)
    expect(() => createCompaction({ limit: { contextWindow: 8_192 } } as CompactionOptions)).toThrow(/unknown option "limit"; write limits\./)
    const model = createOpenAI({ apiKey: 'none' })('gpt-5-mini')
    expect(() => withCompaction(model, { contextWindow: 8_192 } as CompactionOptions)).toThrow(
      /unknown option "contextWindow"; write limits: \{ contextWindow \}/,
    )
  })
})

describe.each(majors)('the schema of an object that is asked for is counted, %s', (major) => {
  it.each(['withCompaction', 'middleware'] as const)('%s', async (door) => {
    const sdk = await sdkOf(major)
    const { url } = await provider({ window: 32_000, model: () => ({ text: '{}', calls: [] }) })
    const fields = Array.from({ length: 100 }, (_, at) => [
      `field_${at}`,
      { type: 'string', description: 'What the invoice says at this place, as it is written there.' },
    ])
    const schema = { type: 'object', properties: Object.fromEntries(fields), additionalProperties: false }
    const before: number[] = []
    const options = { limits: { contextWindow: 32_000 }, onReport: ({ tokens }: CompactionReport) => before.push(tokens.before) }
    const inner = sdk.modelAt('anthropic', url)
    const model =
      door === 'withCompaction'
        ? withCompaction(inner as never, options)
        : sdk.wrapLanguageModel({ model: inner, middleware: createCompaction(options).middleware() })
    await sdk.generateText({ model, prompt: 'Read it.', maxRetries: 0 })
    await (sdk as unknown as { generateObject(options: object): Promise<unknown> }).generateObject({
      model,
      prompt: 'Read it!',
      schema: sdk.jsonSchema(schema),
      maxRetries: 0,
    })
    const [bare = 0, whole = 0] = before
    expect(whole - bare).toBeGreaterThan(builtInEstimator.count(JSON.stringify(schema)))
  })
})

describe('a refusal without a number', () => {
  /** Five times the window. */
  const messages: ModelMessage[] = Array.from({ length: 48 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${at} ${fileText(`b${at}`).slice(0, 1_800)}`,
  }))
  messages.push({ role: 'user', content: 'now?' })
  it.each(['generate', 'stream'] as const)('a prompt of five windows survives: %s', async (mode) => {
    const { url, requests } = await provider({ window: 6_000, model: () => ({ text: 'done', calls: [] }) })
    const model = wrapLanguageModel({
      model: createOpenAI({ baseURL: url, apiKey: 'none' }).responses('strict') as never,
      middleware: createCompaction().middleware() as never,
    })
    const options = { model, messages, maxRetries: 0, maxOutputTokens: 500 }
    expect(mode === 'generate' ? (await generateText(options)).text : await streamText(options).text).toBe('done')
    expect(requests[0]?.inputTokens).toBeGreaterThan(24_000)
    expect(requests.at(-1)?.status).toBe(200)
    expect(requests.length).toBeLessThanOrEqual(4)
  })
})
