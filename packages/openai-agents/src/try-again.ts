import { ownError } from './first-content.ts'

/** Milliseconds before each further try. */
const pauses = [1_000, 2_000]

/**
 * Sends a request behind a look-up, and again where it fails for a moment. The SDK would repeat the whole call, whose first rounds are paid for, and in a stream
 * that has begun nothing at all.
 *
 * @throws The last error, as it came.
 */
export async function tryAgain<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (const ms of pauses) {
    try {
      return await send()
    } catch (error) {
      if (signal?.aborted === true || !isPassing(ownError(error))) throw error
      await pause(ms, signal)
    }
  }
  return send()
}

/** As clients of OpenAI and of the AI SDK mark what they try again by themselves. */
function isPassing(error: unknown): boolean {
  const { status, statusCode = status, isRetryable, name } = Object(error) as Readonly<Record<string, unknown>>
  if (typeof isRetryable === 'boolean') return isRetryable
  return Number(statusCode) >= 500 || [408, 409, 429].includes(Number(statusCode)) || /^APIConnection/.test(String(name))
}

/** Ends at once when the caller goes away: the next request tells it so. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}
