import type { CompactionReport } from '@precis/core'
import { generateText, isStepCount, type ModelMessage, streamText } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { createCompaction } from '../src/index.ts'
import { firstRequest, type Setup, scenario, setUp, tools } from './scenario.ts'

const window = 12_000
const limits = { contextWindow: window, maxOutput: 500 }
const stopWhen = isStepCount(100)
let open: Setup | undefined
afterEach(async () => {
  await open?.provider.close()
  open = undefined
})

/** Responses without the server's memory: every item whole, in every request. */
const optionsOf = (shape: string) => (shape === 'openai-stateless' ? { providerOptions: { openai: { store: false } } } : {})

describe.each(['openai-responses', 'openai-stateless', 'google'] as const)('a real client over %s', (shape) => {
  it('dies bare', async () => {
    open = await setUp(shape, { window })
    await expect(
      generateText({ model: open.model, tools, prompt: firstRequest, stopWhen, maxRetries: 0, maxOutputTokens: 500, ...optionsOf(shape) }),
    ).rejects.toThrow(/context window|exceeds the maximum number of tokens/)
  })
  it('finishes with prepareStep, and remembers in the next turn', async () => {
    open = await setUp(shape, { window })
    const reports: CompactionReport[] = []
    const prepareStep = createCompaction({ limits, onReport: (report) => reports.push(report) }).prepareStep({ tools, session: 'one' })
    const more = { model: open.model, tools, prepareStep, stopWhen, maxOutputTokens: 500, maxRetries: 0, ...optionsOf(shape) }
    const run = await generateText({ ...more, messages: [{ role: 'user', content: firstRequest }] })
    expect(run.text).toBe(scenario.final)
    expect(open.provider.requests.filter((request) => request.status !== 200)).toEqual([])
    const history: ModelMessage[] = [{ role: 'user', content: firstRequest }, ...run.responseMessages, { role: 'user', content: 'For which ticket is this?' }]
    expect((await generateText({ ...more, messages: history })).text).toBe('PRE-205')
    expect(reports.some((report) => report.outcome === 'summarized')).toBe(true)
    expect(open.provider.requests.flatMap((request) => request.violations)).toEqual([])
  })
  it('streams', async () => {
    open = await setUp(shape, { window })
    const prepareStep = createCompaction({ limits }).prepareStep({ tools })
    const result = streamText({
      model: open.model,
      tools,
      prompt: firstRequest,
      prepareStep,
      stopWhen,
      maxOutputTokens: 500,
      maxRetries: 0,
      ...optionsOf(shape),
    })
    await result.consumeStream()
    expect(await result.text).toBe(scenario.final)
    expect(open.provider.requests.filter((request) => request.status !== 200)).toEqual([])
  })
})
