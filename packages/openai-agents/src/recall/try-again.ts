import { classifyError } from '@precis/core'
import { attempt, causeOf, pause } from '@precis/core/adapters'
import { ownError } from '../first-content.ts'

/** Milliseconds before each further try. */
const pauses = [1_000, 2_000]

/**
 * Sends a request behind a look-up, and again where it fails for a moment. The SDK would repeat the whole call, whose first rounds are paid for, and in a stream
 * that has begun nothing at all. OpenAI's client repeats its requests by itself: what it gives up is sent once more, in a stream alone.
 *
 * @throws The last error, as it came.
 */
export async function tryAgain<T>(send: () => Promise<T>, signal: AbortSignal | undefined, isStream: boolean): Promise<T> {
  for (const [at, ms] of pauses.entries()) {
    try {
      return await send()
    } catch (error) {
      if (signal?.aborted === true || !mayPass(error, isStream && at === 0)) throw error
      await pause(ms, signal)
    }
  }
  return send()
}

/**
 * As clients mark what is worth another try: that of the AI SDK by a field, OpenAI's by status, header and class. A refusal for size is answered elsewhere, and a
 * quota that is used up stays so.
 */
function mayPass(error: unknown, ofClient: boolean): boolean {
  if (classifyError(causeOf(error)).kind !== 'other') return false
  return attempt(() => isTransient(error, ofClient), false)
}

function isTransient(error: unknown, ofClient: boolean): boolean {
  const own = Object(ownError(error)) as {
    readonly status?: unknown
    readonly isRetryable?: unknown
    readonly code?: unknown
    readonly headers?: { get?(name: string): string | null }
  }
  const { status, isRetryable, code, headers } = own
  if (typeof isRetryable === 'boolean') return isRetryable
  if (!ofClient || code === 'insufficient_quota' || headers?.get?.('x-should-retry') === 'false') return false
  return Number(status) >= 500 || [408, 409, 429].includes(Number(status)) || /^APIConnection/.test(own.constructor.name)
}
