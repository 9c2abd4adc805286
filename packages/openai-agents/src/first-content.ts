import { attempt, RefusedInStream } from '@precis/core/adapters'
import type { StreamEvent } from './model-call.ts'

/** A stream that was read up to its first content: until then a refusal is thrown, and can still be answered with another request. */
export interface Opened {
  /** The next event, from the first on; undefined at the end. */
  next(): Promise<StreamEvent | undefined>
  close(): Promise<void>
}

/** The SDK's own error. It names no reason where that stood in an event: the `cause` of a refusal in a stream holds both. */
export function ownError(error: unknown): unknown {
  return RefusedInStream.is(error) ? (error.cause as { readonly error: unknown }).error : error
}

/**
 * Reads a stream up to its first content.
 *
 * @param tell What is told as it comes, whatever follows: that a reply was begun.
 * @throws RefusedInStream for an error before the first content whose reason is in an event; other errors as they are.
 */
export async function open(stream: AsyncIterable<StreamEvent>, tell: (event: StreamEvent) => void): Promise<Opened> {
  const iterator = stream[Symbol.asyncIterator]()
  const first: StreamEvent[] = []
  let reason: unknown
  try {
    for (;;) {
      const { done, value } = await iterator.next()
      if (done === true) break
      if (isAnnouncement(value)) {
        tell(value)
        continue
      }
      first.push(value)
      reason ??= reasonIn(value)
      if (!isSilent(value)) break
    }
  } catch (error) {
    if (reason === undefined) throw error
    throw new RefusedInStream('refused in the stream', { cause: { error, cause: reason } })
  }
  return {
    next: async () => first.shift() ?? (await iterator.next()).value,
    close: async () => void (await iterator.return?.()),
  }
}

/**
 * Over a WebSocket the SDK keeps to itself why a request failed that was not streamed: it is streamed once, up to its refusal.
 * @returns The error with its reason, where there was one.
 */
export async function withReason(error: unknown, stream: () => AsyncIterable<StreamEvent>): Promise<unknown> {
  if (!attempt(() => /terminal state "error"/.test(String((error as Error | undefined)?.message)), false)) return error
  try {
    const opened = await open(stream(), () => {})
    await opened.close()
    return error
  } catch (reason) {
    return RefusedInStream.is(reason) ? new RefusedInStream(reason.message, { cause: { ...(reason.cause as object), error } }) : error
  }
}

/** What is said of a reply before it has begun. A chunk of Chat Completions says nothing else. */
function isAnnouncement({ type, event }: StreamEvent): boolean {
  return (
    type === 'response_started' || (type === 'model' && /^(?:response\.(?:created|in_progress|queued)|stream-start|response-metadata)$/.test(event?.type ?? ''))
  )
}

/** Keep-alives and empty pieces: an answer has not begun. */
function isSilent({ type, event, delta }: StreamEvent): boolean {
  if (type !== 'model') return type === 'output_text_delta' && delta === ''
  const said = (event?.choices ?? []).flatMap((choice) => Object.entries(choice.delta ?? {}).filter(([name, value]) => name !== 'role' && Boolean(value)))
  return said.length === 0 && !/delta|done|completed|item\.added|^reasoning-start$/.test(event?.type ?? '')
}

/** Why a response failed: `response.failed` carries its error inside, others beside their type. */
function reasonIn({ type, event }: StreamEvent): unknown {
  if (type !== 'model' || !/failed$|error$/.test(event?.type ?? '')) return undefined
  return event?.response?.error ?? event?.error ?? event
}
