import type { TokenEstimator } from '../../budget/estimate.ts'
import { cutBefore } from '../../history/cut-before.ts'
import type { Tokens } from '../../history/message.ts'
import type { Pieces } from '../../history/pieces.ts'

/** One tool output to shorten. */
export interface ExcerptSource {
  readonly text: string
  readonly isError: boolean
}

/** What is shown of long tool outputs for which no shape says where to cut. Pure: the same texts give the same excerpts. */
export interface Excerpts {
  /** @returns The text where it fits; otherwise at most `tokens`, closing with how much was left out; "" when nothing fits. */
  one(text: string, tokens: Tokens, estimator: TokenEstimator): Pieces<string>
  /** @returns For each text what is shown of it, without notes; all together at most `tokens`. */
  together(sources: readonly ExcerptSource[], tokens: Tokens, estimator: TokenEstimator): Pieces<readonly string[]>
}

/** The note that closes an excerpt of a text. Lengths are in UTF-16 units. */
export const leftOut = ({ length }: string, shown = '', behind = ''): string => `[${length - shown.length} of ${length} characters left out${behind}]`

/** Beginning and end of each text, half and half. */
export const endsOnly: Excerpts = {
  *one(text, tokens, estimator) {
    if (estimator.count(text) <= tokens) return text
    const shown = yield* bothEnds(text, tokens - estimator.count(leftOut(text)) - 2, estimator)
    return shown === '' ? '' : `${shown}\n${leftOut(text, shown)}`
  },
  *together(sources, tokens, estimator) {
    const shown: string[] = []
    let left = tokens
    for (const [at, { text }] of sources.entries()) {
      const part = yield* bothEnds(text, Math.floor(left / (sources.length - at)), estimator)
      left -= estimator.count(part)
      shown.push(part)
    }
    return shown
  },
}

/** As much of a text as so many tokens hold, half from its beginning and half from its end. */
export function* bothEnds(text: string, tokens: Tokens, estimator: TokenEstimator): Pieces<string> {
  for (let length = Math.min(text.length, tokens * 4); length > 16; length = Math.floor(length * 0.9)) {
    yield
    const half = Math.floor(length / 2)
    const shown = length === text.length ? text : `${text.slice(0, cutBefore(text, half))}…${text.slice(cutBefore(text, text.length - half))}`
    if (estimator.count(shown) <= tokens) return shown
  }
  return ''
}
