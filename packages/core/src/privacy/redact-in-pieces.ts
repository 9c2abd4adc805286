import type { Pieces } from '../history/pieces.ts'
import type { Redactor } from './redactor.ts'

/** Characters that are redacted in one piece, about. */
const atOnce = 65_536
/** Where a message begins; lines of theirs that look so have a backslash in front. */
const begins = /\n(?=\[\d+\])/g

/**
 * A long text that was joined of what messages say, redacted a stretch after another: it is cut where a message begins (`[12] …` on a line of its own), so that
 * no message, and no secret in one, is in two. A single message that is longer than a stretch is one.
 */
export function* redactInPieces(text: string, redact: Redactor): Pieces<string> {
  const redacted: string[] = []
  for (let from = 0; from < text.length; yield) {
    begins.lastIndex = from + atOnce
    const to = begins.exec(text)?.index ?? text.length
    redacted.push(redact(text.slice(from, to)))
    from = to
  }
  return redacted.join('')
}
