import { cutBefore } from '../history/cut-before.ts'

/** Characters of one answer to a model. */
export const longestAnswer = 40_000
/** Characters on either side of the end of a match. */
const around = 300

/** A stretch of a text, and the column (from 1 on) with which to go on; undefined at the end of the text. */
export interface TextPage {
  readonly text: string
  readonly next: number | undefined
}

/** Up to `most` characters (at least two) from a column on; no character is cut in two. */
export function pageOf(text: string, column: number, most: number): TextPage {
  const from = Math.max(0, column - 1)
  const end = from + most >= text.length ? text.length : cutBefore(text, from + most)
  return { text: text.slice(from, end), next: end < text.length ? end + 1 : undefined }
}

/** A match in its surroundings, and the place up to which the text has been shown. */
export interface FoundPlace {
  readonly column: number
  readonly text: string
  readonly end: number
}

/** What stands around the match that ends at `end`: whole characters, marked where the text goes on. */
export function surroundingsOf(text: string, end: number): FoundPlace {
  const from = cutBefore(text, Math.max(0, end - around))
  const until = end + around >= text.length ? text.length : cutBefore(text, end + around)
  return { column: from + 1, text: `${from > 0 ? '…' : ''}${text.slice(from, until)}${until < text.length ? '…' : ''}`, end: until }
}
