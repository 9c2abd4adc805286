import type { CompactionReport } from '@precis/core'
import { freezeDeep } from '@precis/testkit'
import { generateText, isStepCount, type ModelMessage, streamText, wrapLanguageModel } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { afterEach, describe, expect, it } from 'vitest'
import { contextBudgetExceeded, createCompaction } from '../src/index.ts'
import { firstRequest, type Setup, scenario, setUp, steps, tools } from './scenario.ts'

const window = 12_000
const limits = { contextWindow: window, maxOutput: 500 }
const stopWhen = isStepCount(100)
let open: Setup | undefined

afterEach(async () => {
  await open?.provider.close()
  open = undefined
})

const billed = (setup: Setup): number => setup.provider.requests.reduce((sum, request) => sum + request.inputTokens, 0)

describe.each(['openai', 'anthropic'] as const)('an agent over a strict %s provider', (shape) => {
  it('dies bare', async () => {
    open = await setUp(shape, { window })
    await expect(generateText({ model: open.model, tools, prompt: firstRequest, stopWhen, maxRetries: 0 })).rejects.toThrow(
      /maximum context length|prompt is too long/,
    )
  })

  it('finishes with prepareStep, every request valid, and remembers the beginning', async () => {
    open = await setUp(shape, { window })
    const reports: CompactionReport[] = []
    const compaction = createCompaction({ limits, onReport: (report) => reports.push(report) })
    const prepareStep = compaction.prepareStep({ tools, session: 'one' })
    const run = await generateText({
      model: open.model,
      tools,
      messages: freezeDeep<ModelMessage[]>([{ role: 'user', content: firstRequest }]),
      prepareStep,
      stopWhen,
      maxOutputTokens: 500,
      maxRetries: 0,
    })
    expect(run.text).toBe(scenario.final)
    expect(run.steps).toHaveLength(steps + 2)
    expect(open.provider.requests.filter((request) => request.status !== 200)).toEqual([])
    expect(billed(open)).toBeGreaterThan(5 * window)
    const last = run.steps[steps]?.toolCalls[0]?.input as { path: string }
    expect(last.path).toBe('releases/zeta-release-8812.md')

    // The next turn brings the whole history again: the stored compaction is applied to it.
    const history: ModelMessage[] = [{ role: 'user', content: firstRequest }, ...run.responseMessages]
    const ask = async (content: string): Promise<string> =>
      (
        await generateText({
          model: (open as Setup).model,
          tools,
          messages: [...history, { role: 'user', content }],
          prepareStep,
          stopWhen,
          maxOutputTokens: 500,
          maxRetries: 0,
        })
      ).text
    expect(await ask('What was the exact error in the code?')).toBe('E4711: ledger checksum mismatch in shard kappa-9')
    expect(await ask('For which ticket is this?')).toBe('PRE-205')
    expect(open.provider.requests.filter((request) => request.status !== 200)).toEqual([])
    const compactions = reports.filter((report) => report.outcome === 'summarized')
    expect(compactions.length).toBeGreaterThan(3)
    expect(reports.every((report) => report.tokens.after <= (report.tokens.budget ?? 0))).toBe(true)
  })

  it('finishes streaming', async () => {
    open = await setUp(shape, { window })
    const compaction = createCompaction({ limits })
    const run = streamText({
      model: open.model,
      tools,
      prompt: firstRequest,
      prepareStep: compaction.prepareStep({ tools }),
      stopWhen,
      maxOutputTokens: 500,
      maxRetries: 0,
    })
    expect(await run.text).toBe(scenario.final)
    expect(open.provider.requests.filter((request) => request.status !== 200)).toEqual([])
  })

  it.each([0.6, 1.3, 1.7])('stays inside when the provider counts %s times what we estimate', async (skew) => {
    open = await setUp(shape, { window, skew })
    const compaction = createCompaction({ limits })
    const model = wrapLanguageModel({ model: open.model as never, middleware: compaction.middleware() as never })
    const run = await generateText({
      model,
      tools,
      prompt: firstRequest,
      prepareStep: compaction.prepareStep({ tools }),
      stopWhen,
      maxOutputTokens: 500,
      maxRetries: 0,
    })
    expect(run.text).toBe(scenario.final)
    expect(open.provider.requests.flatMap((request) => request.violations)).toEqual([])
    // The first prompts may teach us the skew; after that nothing is refused.
    expect(open.provider.requests.filter((request) => request.status !== 200).length).toBeLessThanOrEqual(2)
  })
})

describe('middleware', () => {
  it.each(['generate', 'stream'] as const)('recovers when the window is unknown: %s', async (mode) => {
    open = await setUp('openai', { window })
    const compaction = createCompaction()
    const model = wrapLanguageModel({ model: open.model as never, middleware: compaction.middleware() as never })
    const options = { model, tools, prompt: firstRequest, stopWhen, maxOutputTokens: 500, maxRetries: 0 }
    const text = mode === 'generate' ? (await generateText(options)).text : await streamText(options).text
    expect(text).toBe(scenario.final)
    expect(open.provider.requests.flatMap((request) => request.violations)).toEqual([])
    // One refusal teaches the window; the rest of the run stays below it.
    expect(open.provider.requests.filter((request) => request.status !== 200).length).toBeLessThanOrEqual(2)
  })

  it('summarizes once despite retries', async () => {
    open = await setUp('openai', { window, hiccups: { 9: 503 } })
    const reports: CompactionReport[] = []
    const compaction = createCompaction({ limits, onReport: (report) => reports.push(report) })
    const model = wrapLanguageModel({ model: open.model as never, middleware: compaction.middleware() as never })
    const run = await generateText({ model, tools, prompt: firstRequest, stopWhen, maxOutputTokens: 500, maxRetries: 2 })
    expect(run.text).toBe(scenario.final)
    const ids = reports.filter((report) => report.outcome === 'summarized').map((report) => report.checkpoint)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeLessThan(steps / 3)
  }, 20_000)

  it('lets errors pass that are none of its business', async () => {
    open = await setUp('openai', { window, hiccups: { 0: 429 } })
    const compaction = createCompaction({ limits })
    const model = wrapLanguageModel({ model: open.model as never, middleware: compaction.middleware() as never })
    await expect(generateText({ model, prompt: 'hi', maxRetries: 0 })).rejects.toThrow(/Rate limit/)
  })
})

describe('a refusal inside the stream', () => {
  const overflow = new Error('Your input exceeds the context window of this model')
  const refusing = (content: boolean) => {
    const calls: number[] = []
    const model = new MockLanguageModelV4({
      doStream: async ({ prompt }) => {
        calls.push(prompt.length)
        const text = [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'done' },
          { type: 'text-end', id: '1' },
        ] as const
        const refused = calls.length === 1 ? [...(content ? text : []), { type: 'error', error: overflow } as const] : text
        const finish = {
          type: 'finish',
          finishReason: { unified: 'stop', raw: 'stop' },
          usage: { inputTokens: { total: 9 }, outputTokens: { total: 1 } },
        } as const
        return { stream: convertArrayToReadableStream([{ type: 'stream-start', warnings: [] }, ...refused, finish] as never[]) }
      },
    })
    return { calls, model }
  }
  const messages: ModelMessage[] = Array.from({ length: 40 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${at} ${'word '.repeat(200)}`,
  }))
  messages.push({ role: 'user', content: 'now?' })

  it('before any content is answered with a smaller prompt', async () => {
    const { calls, model } = refusing(false)
    const guarded = wrapLanguageModel({ model, middleware: createCompaction().middleware() })
    expect(await streamText({ model: guarded, messages }).text).toBe('done')
    expect(calls).toHaveLength(2)
    expect(calls[1]).toBeLessThan(calls[0] as number)
  })
  it('after content goes on to the caller: what was said cannot be unsaid', async () => {
    const { calls, model } = refusing(true)
    const guarded = wrapLanguageModel({ model, middleware: createCompaction().middleware() })
    const errors: unknown[] = []
    await streamText({ model: guarded, messages, onError: ({ error }) => errors.push(error) }).consumeStream()
    expect(calls).toHaveLength(1)
    expect(errors).toEqual([overflow])
  })
})

describe('prepareStep', () => {
  it('keeps what the user’s own prepareStep returns', async () => {
    open = await setUp('openai', { window })
    const compaction = createCompaction({ limits })
    const seen: number[] = []
    const prepareStep = compaction.prepareStep({
      tools,
      prepareStep: ({ stepNumber }: { stepNumber: number }) => {
        seen.push(stepNumber)
        return stepNumber === 3 ? { instructions: 'Be quick.' } : undefined
      },
    })
    await generateText({ model: open.model, tools, prompt: firstRequest, prepareStep, stopWhen: isStepCount(6), maxRetries: 0 })
    expect(seen).toEqual([0, 1, 2, 3, 4, 5])
    expect(open.provider.requests.map((request) => request.prompt[0]?.text === 'Be quick.')).toEqual([false, false, false, true, true, true])
  })

  it('leaves a short conversation alone: the same array goes on', async () => {
    const compaction = createCompaction({ limits })
    const messages: ModelMessage[] = [{ role: 'user', content: 'hi' }]
    expect(await compaction.prepareStep()({ messages, steps: [] })).toBeUndefined()
  })

  it('rejects with the abort reason, and nothing is half done', async () => {
    const compaction = createCompaction({ limits })
    const messages: ModelMessage[] = Array.from({ length: 60 }, (_, at) => ({ role: 'user', content: `${at} ${'word '.repeat(300)}` }))
    await expect(compaction.prepareStep({ abortSignal: AbortSignal.abort(new Error('stopped')), session: 'a' })({ messages, steps: [] })).rejects.toThrow(
      'stopped',
    )
    expect(compaction.session('a').state().checkpoints).toEqual([])
  })

  it('tells parallel runs apart', async () => {
    open = await setUp('openai', { window })
    const compaction = createCompaction({ limits })
    const prepareStep = compaction.prepareStep({ tools })
    const run = async (): Promise<string> =>
      (await generateText({ model: (open as Setup).model, tools, prompt: firstRequest, prepareStep, stopWhen, maxOutputTokens: 500, maxRetries: 0 })).text
    expect(await Promise.all([run(), run()])).toEqual([scenario.final, scenario.final])
  })

  it('stops a run whose prompt grew too large', () => {
    const stop = contextBudgetExceeded(1_000)
    expect(stop({ steps: [{ usage: { inputTokens: 900, outputTokens: 5 } }] })).toBe(false)
    expect(stop({ steps: [{ usage: { inputTokens: 1_100, outputTokens: 5 } }] })).toBe(true)
    expect(stop({ steps: [] })).toBe(false)
  })
})
