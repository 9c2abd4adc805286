import type { TokenEstimator } from '../budget/estimate.ts'
import { builtInEstimator } from '../budget/estimate.ts'
import type { Tokens } from '../history/message.ts'
import { finished, type Pieces } from '../history/pieces.ts'
import { type Excerpts, leftOut } from './excerpts.ts'
import { joinPassages, snap } from './join-passages.ts'
import { passagesInPieces } from './passages.ts'
import { tracePassages } from './stack-frames.ts'

/**
 * Shortens one text to a budget: its beginning, its end, what stack traces say, and the passages between that name most.
 * @returns The text itself when it fits; otherwise a text of at most `budget` tokens by the same estimator, "" when nothing fits.
 */
export function condense(text: string, budget: Tokens, estimator: TokenEstimator = builtInEstimator): string {
  return finished(condenseInPieces(text, budget, estimator))
}

/** The same in pieces. */
export function* condenseInPieces(text: string, budget: Tokens, estimator: TokenEstimator): Pieces<string> {
  if (estimator.count(text) <= budget) return text
  yield
  for (let room = budget - estimator.count(leftOut(text.length, text.length)) - 2; room > 8; room = Math.floor(room * 0.9) - 2) {
    const edge = Math.floor(room / 3.5) // characters of head and tail, at four to a token: a fourteenth of the room each
    const from = snap(text, Math.min(text.length, edge), 1)
    const to = snap(text, Math.max(from, text.length - edge), -1)
    const head = text.slice(0, from).trimEnd()
    const middle = text.slice(from, to)
    const tail = text.slice(to).trimStart()
    const left = room - estimator.count(head) - estimator.count(tail) - 2
    let forTraces = left * 0.7
    const given = tracePassages(middle, (start, end) => {
      const cost = estimator.count(middle.slice(start, end)) + 2
      if (cost > forTraces) return false
      forTraces -= cost
      return true
    })
    const [inner = []] = yield* passagesInPieces([{ text: middle, weight: 1, given }], left, { estimator })
    const shown = [head, joinPassages(middle, inner) || '…', tail].join('\n')
    const result = `${shown}\n${leftOut(text.length - shown.length, text.length)}`
    if (estimator.count(result) <= budget) return result
  }
  return ''
}

/** The passages that name most: of one output with its beginning and end, of several where the names are. */
export const excerptsByName: Excerpts = {
  one: condenseInPieces,
  *together(sources, tokens, estimator) {
    const weighed = sources.map(({ text, isError }) => ({ text, weight: 1, ...(isError && { kind: 'failure' as const }) }))
    const chosen = yield* passagesInPieces(weighed, tokens, { estimator })
    return sources.map(({ text }, at) => joinPassages(text, chosen[at] ?? []))
  },
}
