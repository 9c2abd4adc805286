import type { Pieces } from '../history/pieces.ts'
import type { Redactor } from './redactor.ts'

/** Characters that are redacted in one piece, about. */
const atOnce = 65_536
/** Where a message begins in a transcript or a record. A line of somebody else's may look so too: no secret that we know of has such a line in it. */
const begins = /\n(?=\[\d+\])/g

/**
 * A long text that was joined of what messages say, redacted a stretch after another. It is the last look, for what joining made and for texts that are no
 * message: what each message says was redacted by itself. It is cut where a message begins (`[12] …`); a message that is longer than a stretch is one.
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
