import type { TokenEstimator } from '../../budget/estimate.ts'
import type { Tokens } from '../../history/message.ts'
import type { PassageSource } from '../names/name-index.ts'
import { collapse } from './join-passages.ts'

/** Characters from which on more of a text says nothing else of its rate. */
const charactersMeasured = 600

/** Tokens a character of a text as it is shown, and of its label. */
export interface Rates {
  readonly text: number
  readonly label: Tokens
}

/** By its beginning. */
export function measureRates({ text, label = '' }: PassageSource, estimator: TokenEstimator): Rates {
  const shown = collapse(text.slice(0, charactersMeasured))
  return { text: estimator.count(shown) / Math.max(1, shown.length), label: estimator.count(label) }
}
