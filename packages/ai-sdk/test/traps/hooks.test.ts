import { type CompactionReport, InsufficientBudgetError } from '@precis/core'
import { recallModel } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { createCompaction } from '../../src/index.ts'
import { sdkOf } from '../majors.ts'
import { firstRequest, scenario } from '../scenario.ts'
import { limits, open, sent, step, steps, user, words } from './setup.ts'

afterEach(open.close)

describe('hooks', () => {
  it('an override of ours that the SDK carries forward (7) or forgets (5, 6) is recognized: one summary for both', async () => {
    const counts: number[] = []
    for (const carries of [false, true]) {
      const reports: CompactionReport[] = []
      const compaction = createCompaction({ limits, onReport: (report) => reports.push(report) })
      const prepareStep = compaction.prepareStep({ session: 's' })
      let messages = [user('go'), ...steps(8)] as ModelMessage[]
      for (let at = 0; at < 30; at++) {
        const own = (await prepareStep({ messages, steps: [] })) as { messages?: ModelMessage[] } | undefined
        messages = [...(carries ? (own?.messages ?? messages) : messages), ...(step(`n${at}`) as ModelMessage[])]
      }
      counts.push(reports.filter((report) => report.outcome === 'summarized').length)
    }
    expect(counts[0]).toBe(counts[1])
    expect(counts[0]).toBeGreaterThan(2)
  })
  it('an empty prompt is never made of one that was not empty', async () => {
    await expect(sent([user(words(20_000))])).rejects.toSatisfy(InsufficientBudgetError.isInstance)
    const { messages } = await sent([user('go'), ...step('only', words(20_000))])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })
  it('messages that steering adds are derived from what the step is given, not rebuilt', async () => {
    const reports: CompactionReport[] = []
    const compaction = createCompaction({ limits, onReport: (report) => reports.push(report) })
    const prepareStep = compaction.prepareStep({ session: 's' })
    const history = [user('go'), ...steps(20)] as ModelMessage[]
    await prepareStep({ messages: history, steps: [] })
    const steered = [...history, user('STEER: stop reading') as ModelMessage]
    const own = (await prepareStep({ messages: steered, steps: [] })) as { messages: ModelMessage[] }
    expect(own.messages.at(-1)).toBe(steered.at(-1))
  })
  it('with both hooks in place the middleware leaves alone what prepareStep made', async () => {
    const outcomes: Record<'step' | 'middleware', string[]> = { step: [], middleware: [] }
    const provider = await open.start({ window: 12_000, model: recallModel(scenario), maxOutput: 500 })
    const { generateText, wrapLanguageModel, modelAt, tools, stopWhen } = await sdkOf('AI SDK 7')
    const wide = { contextWindow: 12_000, maxOutput: 500 }
    const inStep = createCompaction({ limits: wide, onReport: (report) => outcomes.step.push(report.outcome) })
    const around = createCompaction({ limits: wide, onReport: (report) => outcomes.middleware.push(report.outcome) })
    const model = wrapLanguageModel({ model: modelAt('openai', provider.url), middleware: around.middleware() })
    const run = await generateText({ model, tools, prompt: firstRequest, prepareStep: inStep.prepareStep({ tools }), stopWhen, maxOutputTokens: 500 })
    expect(run.text).toBe(scenario.final)
    expect(outcomes.step.filter((outcome) => outcome === 'summarized').length).toBeGreaterThan(2)
    expect(outcomes.middleware.every((outcome) => outcome === 'unchanged')).toBe(true)
  })
  it('an overflow behind the SDK’s retries is unwrapped: AI_RetryError with the refusal as its last error', async () => {
    const overflow = Object.assign(new Error('prompt is too long: 9000 tokens > 8000 maximum'), {
      name: 'AI_APICallError',
      statusCode: 400,
      isRetryable: false,
    })
    const retried = Object.assign(new Error('Failed after 2 attempts'), {
      name: 'AI_RetryError',
      reason: 'errorNotRetryable',
      lastError: overflow,
      errors: [overflow],
    })
    const compaction = createCompaction()
    const messages = [user('go'), ...steps(20), user('and now?')] as ModelMessage[]
    const session = compaction.session('s')
    await session.beforeModelCall(messages)
    const recovered = await session.recover(messages, retried)
    expect(recovered?.report.plan.decision.reason).toBe('overflow')
    expect(recovered?.messages.length).toBeLessThan(messages.length)
  })
})
