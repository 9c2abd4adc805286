import { attempt, pause } from '@precis/core/adapters'

/** As the SDK tries a step's request again, unless it is told otherwise. It does not tell a model what it was told. */
const mostRetries = 2
/** Milliseconds before the first of them; each further one waits twice as long. */
const firstPause = 2_000
/** What a provider asks for is kept to below this (milliseconds). */
const longestAsked = 60_000

interface Failure {
  readonly isRetryable?: unknown
  readonly responseHeaders?: unknown
}

/**
 * Sends a request behind a look-up, and again after failures that its client calls transient. The SDK would repeat the whole call, whose first rounds are paid
 * for, and in a stream nothing at all.
 *
 * @throws What is not transient, as it came; after the last try the error that the SDK throws there, which it does not try again.
 */
export async function tryAgain<T>(
  send: () => Promise<T>,
  { retries = mostRetries, signal }: { readonly retries?: number | undefined; readonly signal?: AbortSignal | undefined },
): Promise<T> {
  const errors: unknown[] = []
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (retries === 0 || signal?.aborted === true || !attempt(() => (Object(error) as Failure).isRetryable === true, false)) throw error
      errors.push(error)
      if (errors.length > retries) throw retriesFailed(errors)
      await pause(pauseAfter(error as Failure, firstPause * 2 ** (errors.length - 1)), signal)
    }
  }
}

/** `retry-after-ms` and `retry-after`, in seconds or as a date, where they are reasonable. */
function pauseAfter({ responseHeaders }: Failure, usual: number): number {
  const { 'retry-after-ms': asMs, 'retry-after': asWritten } = Object(responseHeaders) as Readonly<Record<string, unknown>>
  const [ms, after] = [Number.parseFloat(typeof asMs === 'string' ? asMs : ''), typeof asWritten === 'string' ? asWritten : '']
  const seconds = Number.parseFloat(after)
  const asked = Number.isNaN(ms) ? (Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1_000) : ms
  return asked >= 0 && (asked < longestAsked || asked < usual) ? asked : usual
}

/** A `RetryError` of the SDK, in every major: known by its marks. */
function retriesFailed(errors: readonly unknown[]): Error {
  const lastError = errors.at(-1)
  const name = 'AI_RetryError'
  const message = `Failed after ${errors.length} attempts. Last error: ${lastError instanceof Error ? lastError.message : String(lastError)}`
  const marks = { [Symbol.for('vercel.ai.error')]: true, [Symbol.for(`vercel.ai.error.${name}`)]: true }
  return Object.assign(new Error(message), { name, reason: 'maxRetriesExceeded', errors, lastError, ...marks })
}
