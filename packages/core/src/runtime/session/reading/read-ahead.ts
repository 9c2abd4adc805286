import type { Message } from '../../../history/message.ts'
import type { RedactedReading } from '../../../privacy/redact-message.ts'

/** Reads new messages while the model works, as a compaction will want to know them. Nobody waits for it. */
export interface ReadingAhead {
  /** Goes on with what is new since it was called last. */
  go(messages: readonly Message[], redacted: RedactedReading): void
  /** A request has come: what is not read yet waits. */
  stop(): void
}

export function createReadingAhead(): ReadingAhead {
  const read = { count: 0 }
  let turn = 0
  const stop = (): void => void turn++
  return {
    stop,
    go(messages, redacted) {
      stop()
      const mine = turn
      read.count = Math.min(read.count, messages.length)
      // Loaded within the call: Jest refuses what is loaded after a test.
      import('./read-news.ts').then(({ readNews }) => readNews(messages, read, redacted, () => turn !== mine)).catch(() => {})
    },
  }
}
