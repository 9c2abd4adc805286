import type { Message } from '../../../history/message.ts'
import type { Pieces } from '../../../history/pieces.ts'
import type { RedactedReading } from '../../../privacy/redact-message.ts'
import { readAhead } from '../../../record/read-ahead.ts'
import { inSlices } from '../../platform/slices.ts'

/**
 * Reads what is new as a record will want to know it, once the request is out. What a redactor throws is for the compaction to say.
 * @param read - How many were read already, counted up. @param isOver - What is not read yet waits.
 */
export function readNews(messages: readonly Message[], read: { count: number }, redacted: RedactedReading, isOver: () => boolean): void {
  // No AbortController: in Cloudflare Workers only the request that made one may use it. No Error either, whose stack would hold the history of the call that has come.
  const throwIfAborted = (): void => {
    if (isOver()) throw ''
  }
  setTimeout(() => void inSlices(inPieces(messages, read, redacted), { throwIfAborted }).catch(() => {}))
}

function* inPieces(messages: readonly Message[], read: { count: number }, redacted: RedactedReading): Pieces<void> {
  for (; read.count < messages.length; read.count++) {
    const message = messages[read.count] as Message
    yield* redacted.ahead(message)
    yield* readAhead(redacted.message(message))
  }
}
