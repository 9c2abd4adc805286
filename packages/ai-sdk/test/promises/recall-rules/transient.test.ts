import { type WrappableModel, withCompaction } from '@precis/ai-sdk'
import { RetryError } from 'ai'
import { afterAll, describe, expect, it } from 'vitest'
import { tryAgain } from '../../../src/recall/try-again.ts'
import { majors, sdkOf } from '../../majors.ts'
import { close, history, limits, look, scripted, start } from './setup.ts'

afterAll(close)

/** The first request looks something up, the next ones fail as often as they are told, then it is answered. */
const run = async (major: string, mode: 'generate' | 'stream', hiccups: Readonly<Record<number, number>>, precis: object = {}) => {
  const provider = await start({
    window: 200_000,
    hiccups,
    model: scripted(
      () => ({ text: 'Let me check.', calls: [look()] }),
      () => ({ text: 'The answer.' }),
    ),
  })
  const { generateText, streamText, modelAt, tools, stopWhen } = await sdkOf(major)
  const model = withCompaction(modelAt('openai', provider.url) as WrappableModel, { limits })
  const errors: unknown[] = []
  const call = {
    model,
    tools,
    stopWhen,
    messages: [...history, { role: 'user', content: 'Which port?' }],
    maxOutputTokens: 500,
    providerOptions: { precis },
    onError: ({ error }: { readonly error: unknown }) => void errors.push(error),
  }
  interface Result {
    readonly text: PromiseLike<string> | string
    readonly totalUsage: PromiseLike<{ readonly inputTokens: number }> | { readonly inputTokens: number }
  }
  const result = (mode === 'generate' ? await generateText(call).catch((error: unknown) => void errors.push(error)) : streamText(call)) as unknown as
    | Result
    | undefined
  const text = await result?.text
  const { inputTokens } = (await result?.totalUsage) ?? {}
  return { text, inputTokens, errors, billed: provider.requests.reduce((sum, one) => sum + one.inputTokens, 0), requests: provider.requests.length }
}

describe.concurrent.each(majors)('a transient failure behind a look-up, %s', (major) => {
  it.concurrent.each(['generate', 'stream'] as const)('that request is sent again, and all is billed: %s', async (mode) => {
    const { text, inputTokens, errors, billed, requests } = await run(major, mode, { 1: 503 })
    expect([text, errors, requests]).toEqual(['Let me check.\n\nThe answer.', [], 2])
    expect(inputTokens).toBe(billed)
  })
  it.concurrent.each(['generate', 'stream'] as const)('as often as the caller says: %s', async (mode) => {
    const { errors } = await run(major, mode, { 1: 503, 2: 503 }, { maxRetries: 0 })
    // Where nothing is tried again here, the SDK repeats a whole call.
    expect(errors.length).toBe(mode === 'generate' ? 0 : 1)
  })
})

it.concurrent('what fails for good ends as an error of the SDK’s own, which is not tried again', async () => {
  const hiccups = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [at + 1, 503]))
  for (const mode of ['generate', 'stream'] as const) {
    const { errors, requests } = await run('AI SDK 7', mode, hiccups, { maxRetries: 1 })
    expect([errors.length, requests]).toEqual([1, 1])
    expect(RetryError.isInstance(errors[0])).toBe(true)
    expect(errors[0]).toMatchObject({ message: expect.stringContaining('Failed after 2 attempts'), reason: 'maxRetriesExceeded' })
  }
}, 20_000)

it('a provider’s own wait is kept to, and an abort ends it', async () => {
  const failing = (headers: object) => {
    let calls = 0
    return async () => {
      if (++calls > 1) return calls
      throw Object.assign(new Error('overloaded'), { isRetryable: true, responseHeaders: headers })
    }
  }
  const now = performance.now()
  for (const headers of [{ 'retry-after-ms': '10' }, { 'retry-after': '0.01' }, { 'retry-after': new Date().toUTCString(), 'retry-after-ms': '1' }])
    expect(await tryAgain(failing(headers), {})).toBe(2)
  expect(await tryAgain(failing({ 'retry-after': '30' }), { signal: AbortSignal.timeout(20) })).toBe(2)
  expect(performance.now() - now).toBeLessThan(1_500)
  await expect(tryAgain(() => Promise.reject(new Error('refused')), {})).rejects.toThrow('refused')
})
