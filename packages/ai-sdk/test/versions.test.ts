import { createArchive, memoryStorage } from '@precis/core'
import { recallModel } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { compactionTools, createCompaction } from '../src/index.ts'
import { majors, providers, sdkOf, type Wire } from './majors.ts'
import { firstRequest, scenario, steps } from './scenario.ts'

const window = 12_000
const limits = { contextWindow: window, maxOutput: 500 }
const open = providers()
afterEach(open.close)

describe.each(majors)('%s', (name) => {
  const setUp = async (wire: Wire) => {
    const sdk = await sdkOf(name)
    const provider = await open.start({ window, model: recallModel(scenario), maxOutput: 500 })
    return { ...sdk, provider, model: sdk.modelAt(wire, provider.url) }
  }

  it.each(['openai', 'openai-responses', 'anthropic'] as const)('an agent over %s finishes with prepareStep, every request valid', async (wire) => {
    const { generateText, provider, tools, model, stopWhen } = await setUp(wire)
    const compaction = createCompaction({ limits })
    const more = { model, tools, stopWhen, prepareStep: compaction.prepareStep({ tools, session: 's' }), maxOutputTokens: 500, maxRetries: 0 }
    const run = await generateText({ ...more, messages: [{ role: 'user', content: firstRequest }] })
    expect(run.text).toBe(scenario.final)
    expect(run.steps).toHaveLength(steps + 2)
    expect(provider.requests.filter((request) => request.status !== 200)).toEqual([])
    // The next turn brings the whole history again.
    const history = [
      { role: 'user', content: firstRequest },
      ...(run.responseMessages ?? run.response.messages),
      { role: 'user', content: 'And for which ticket is this, which ticket?' },
    ]
    expect((await generateText({ ...more, messages: history })).text).toBe('PRE-205')
    expect(provider.requests.filter((request) => request.status !== 200)).toEqual([])
  })

  it('streams', async () => {
    const { streamText, provider, tools, model, stopWhen } = await setUp('openai')
    const prepareStep = createCompaction({ limits }).prepareStep({ tools })
    const result = streamText({ model, tools, stopWhen, prompt: firstRequest, prepareStep, maxOutputTokens: 500, maxRetries: 0 })
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
    const prepareStep = compaction.prepareStep({ tools: all, session: 's' })
    const run = await generateText({ model, tools: all, stopWhen, prompt: firstRequest, prepareStep, maxRetries: 0 })
    expect(run.text).toBe(scenario.final)
    expect(provider.requests.flatMap((request) => request.violations)).toEqual([])
  })
})
