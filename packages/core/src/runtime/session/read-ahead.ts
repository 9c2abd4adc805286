import type { Message } from '../../history/message.ts'
import type { Pieces } from '../../history/pieces.ts'
import type { RedactedReading } from '../../privacy/redact-message.ts'
import { inSlices } from '../platform/slices.ts'

/** Reads new messages while the model works, as a compaction will want to know them. Nobody waits for it. */
export interface ReadingAhead {
  /** Goes on with what is new since it was called last. */
  go(messages: readonly Message[], redacted: RedactedReading): void
  /** A request has come: what is not read yet waits. */
  stop(): void
}

export function createReadingAhead(): ReadingAhead {
  let known = 0
  let current = new AbortController()
  function* newIn(messages: readonly Message[], read: (message: Message) => Pieces<void>): Pieces<void> {
    for (; known < messages.length; known++) {
      yield* read(messages[known] as Message)
      yield
    }
  }
  const start = async (messages: readonly Message[], redacted: RedactedReading, signal: AbortSignal): Promise<void> => {
    const { readAhead } = await import('../../record/read-ahead.ts')
    const read = (message: Message): Pieces<void> => readAhead(redacted.message(message))
    await inSlices(newIn(messages, read), signal)
  }
  const stop = (): void => current.abort()
  return {
    stop,
    go(messages, redacted) {
      stop()
      current = new AbortController()
      const { signal } = current
      known = Math.min(known, messages.length)
      // The request goes out first. What a redactor throws is for the compaction to say.
      setTimeout(() => void start(messages, redacted, signal).catch(() => {}))
    },
  }
}
