import type { TokenEstimator } from '../../budget/estimate.ts'
import type { Message, Tokens } from '../../history/message.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import type { Pieces } from '../../history/pieces.ts'
import { type RecordEntry, tokensOf } from '../facts/facts.ts'
import { askedWords } from '../facts/requests.ts'
import { charactersAtOnce, type PassageSource } from '../names/name-index.ts'
import { scanTerms, wordWorth } from '../names/names.ts'
import { alsoNamed } from './also-named.ts'
import { choiceOf, type SelectOptions } from './passages.ts'
import { promisingBlocks } from './promising-blocks.ts'
import { showPassages } from './show-passages.ts'
import { type PlacedSource, recentWords, sourcesOf } from './sources.ts'

/** Characters that are read in any case, and more for each Token of excerpts. Source: npm run evals and its replay, 32,768 to 131,072 and 4 to 40 a token tried. */
const charactersRead = 131_072
const charactersPerToken = 8

/** Share of the room, where it is so many Tokens at least, for names that no passage shows. Source: npm run evals and its replay, 0.05 to 0.35 tried. */
const shareOfNames = 0.1
const leastForNames = 700

/** Share of the room that excerpts fill where names are no fewer than elsewhere. */
const enough = 0.8

/** Excerpts, and how they are chosen again under a smaller budget. */
type Excerpts = readonly [readonly RecordEntry[], (within: Tokens) => Pieces<readonly RecordEntry[]>]

/**
 * Passages of a span under a budget: entries in order of their messages.
 *
 * @param already Text that the reader sees anyway. @param told Texts that the record quotes already, by message.
 */
export function* excerptEntries(
  messages: readonly Message[],
  indices: readonly number[],
  budget: Tokens,
  already: string,
  told: ReadonlyMap<number, readonly string[]>,
  {
    estimator,
    weights,
    changed,
    folder,
  }: {
    readonly estimator: TokenEstimator
    readonly weights?: Parameters<typeof sourcesOf>[2]
    readonly changed: ReadonlyMap<string, number>
    readonly folder: string
  },
): Pieces<Excerpts> {
  const placed = yield* sourcesOf(messages, indices, weights, told, changed, folder)
  const { sources, addUnread } = yield* promisingBlocks(placed, charactersRead + budget * charactersPerToken)
  const present = new Set<string>()
  for (let from = 0; from < already.length; yield) from = scanTerms(already, (name) => present.add(name), from, charactersAtOnce)
  const chosen = function* (from: readonly PassageSource[], more: SelectOptions): Pieces<Excerpts> {
    const choice = yield* choiceOf(from, budget, {
      estimator,
      show: showPassages,
      present,
      asked: askedWords(messages),
      recent: recentWords(messages),
      ...more,
    })
    const within = function* (most: Tokens): Pieces<readonly RecordEntry[]> {
      const forNames = more.fills || most < leastForNames ? 0 : most * shareOfNames
      const left = function* (): Pieces<readonly RecordEntry[]> {
        return forNames === 0 ? [] : yield* alsoNamed(choice.index, passages, placed, forNames, { present, estimator })
      }
      let passages = yield* choice.within(most - forNames)
      let names = yield* left()
      const unused = forNames - tokensOf(names, estimator)
      if (unused > forNames / 2) {
        passages = yield* choice.within(most - forNames + unused)
        names = yield* left()
      }
      const entries: RecordEntry[] = []
      for (const [at, own] of passages.entries()) {
        if (own.length === 0) continue
        const source = placed[at] as PlacedSource
        entries.push({ kind: 'passage', text: showPassages(source, own), sources: [source.index] })
        yield
      }
      return [...entries, ...names]
    }
    return [yield* within(budget), within]
  }
  const named = yield* chosen(sources, omitUndefined({ addUnread }))
  // Prose has few names: where they leave room, its words count as well.
  if (tokensOf(named[0], estimator) >= budget * enough) return named
  return yield* chosen(placed, { likenessOf: wordWorth, fills: true })
}
