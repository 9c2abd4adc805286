import { builtInEstimator, countInPieces, type TokenEstimator } from '../../budget/estimate.ts'
import type { Tokens } from '../../history/message.ts'
import { finished, type Pieces } from '../../history/pieces.ts'
import type { Passage, PassageSource } from '../names/name-index.ts'
import { bothEnds, type ExcerptSource, type Excerpts, leftOut } from './excerpts.ts'
import { joinPassages } from './join-passages.ts'
import { choiceOf } from './passages.ts'
import { tracePassages } from './stack-frames.ts'

/**
 * Shortens one text to a budget: its beginning, its end, what stack traces say, and the passages between that name most.
 * @returns The text itself when it fits; otherwise a text of at most `budget` tokens by the same estimator, "" when nothing fits.
 */
export function condense(text: string, budget: Tokens, estimator: TokenEstimator = builtInEstimator): string {
  return finished(condenseInPieces(text, budget, estimator))
}

/** The same in pieces. Head and tail take a fourteenth of the room each, at four characters to a token. */
export function* condenseInPieces(text: string, budget: Tokens, estimator: TokenEstimator): Pieces<string> {
  if ((yield* countInPieces(text, estimator)) <= budget) return text
  for (let room = budget - estimator.count(leftOut(text)) - 2; room > 8; room = Math.floor(room * 0.9) - 2) {
    const [shown = ''] = yield* named([{ text, isError: false }], room, estimator, 3.5)
    const result = `${shown}\n${leftOut(text, shown)}`
    if (estimator.count(result) <= budget) return result
  }
  return ''
}

/** Tokens of all texts that are read, from both ends of each: as much as a window holds. */
const mostRead = 1_000_000

/**
 * Passages of some texts: the ends of each; what stack traces say; what names most of all; where nothing more is named, what stands first.
 * @param ends Tokens of room for each character of an end. Default: where there is much, a title or the heads of columns, and how it came out.
 */
function* named(sources: readonly ExcerptSource[], tokens: Tokens, estimator: TokenEstimator, ends = 2_000): Pieces<readonly string[]> {
  const room = tokens / sources.length
  const edge = Math.floor(room / ends)
  const weighed: PassageSource[] = []
  for (const { text: all, isError } of sources) {
    const text = yield* bothEnds(all, mostRead / sources.length, estimator)
    const end = text.length - edge
    let forTraces = room * 0.6
    const traces = tracePassages(text, (from, to) => {
      if (from < edge || to > end) return false
      forTraces -= estimator.count(text.slice(from, to)) + 2
      return forTraces >= 0
    })
    weighed.push({
      text,
      weight: 1,
      given: [{ start: 0, end: edge }, ...traces, { start: end, end: text.length }],
      kind: isError ? 'failure' : 'output',
    })
  }
  const chosen = yield* (yield* choiceOf(weighed, tokens, { estimator, show: shown, fills: true })).within(tokens)
  return weighed.map((source, at) => shown(source, chosen[at] ?? []))
}

function shown({ text }: PassageSource, passages: readonly Passage[]): string {
  return joinPassages(text, passages)
}

/** The passages that name most: of one output with its beginning and end, of several where the names are. */
export const excerptsByName: Excerpts = {
  one: condenseInPieces,
  together: named,
}
