import type { Message } from '../../history/message.ts'
import type { Pieces } from '../../history/pieces.ts'
import type { RedactedReading } from '../../privacy/redact-message.ts'
import { readAhead } from '../../record/read-ahead.ts'

/** Reads what is new as a record will want to know it. @param read - How many were read already, counted up. */
export function* readNews(messages: readonly Message[], read: { count: number }, redacted: RedactedReading): Pieces<void> {
  for (; read.count < messages.length; read.count++) {
    const message = messages[read.count] as Message
    yield* redacted.ahead(message)
    yield* readAhead(redacted.message(message))
  }
}
