import { describe, expect, it, vi } from 'vitest'
import { tryAgain } from '../src/recall/try-again.ts'

class APIConnectionError extends Error {}
const failure = (fields: object) => Object.assign(new Error('failed'), fields)
const requestsFor = async (error: Error, isStream: boolean): Promise<number> => {
  vi.useFakeTimers()
  let requests = 0
  const sent = tryAgain(
    async () => {
      requests++
      throw error
    },
    undefined,
    isStream,
  ).catch((thrown: unknown) => thrown)
  await vi.runAllTimersAsync()
  expect(await sent).toBe(error)
  vi.useRealTimers()
  return requests
}

describe('a request behind a look-up that goes on failing is sent', () => {
  it.each([
    ['503, which its client gave up', failure({ status: 503 }), 1, 2],
    ['a lost connection', new APIConnectionError('Connection error.'), 1, 2],
    ['what the AI SDK calls retryable', failure({ statusCode: 503, isRetryable: true }), 3, 3],
    ['what it does not', failure({ statusCode: 400, isRetryable: false }), 1, 1],
    ['a quota that is used up', failure({ status: 429, code: 'insufficient_quota' }), 1, 1],
    ['where the server says not to', failure({ status: 500, headers: new Headers({ 'x-should-retry': 'false' }) }), 1, 1],
    [
      'a rate limit that it exceeds alone',
      failure({ status: 429, message: 'Request too large for gpt-4 in organization org-x on tokens per min (TPM): Limit 9000, Requested 11500.' }),
      1,
      1,
    ],
  ])('%s: %s', async (_, error, whole, streamed) => {
    expect([await requestsFor(error, false), await requestsFor(error, true)]).toEqual([whole, streamed])
  })
})
