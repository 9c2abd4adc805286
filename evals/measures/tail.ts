import { tokensOf } from '../sessions/transcripts.ts'
import { collapsed } from './wording.ts'

/** A message larger than this share of what is aimed at is passed over: it cannot stay, and others behind it may. */
const tooLarge = 0.1

/**
 * Tokens of the newest messages that stand in the context as messages of their own, word for word, up to the first that does not.
 * @param prefix Texts of the history, in order. @param context Texts of the messages that a model would read. @param aim Tokens that the compaction aims at.
 */
export function tailTokens(prefix: readonly string[], context: readonly string[], aim: number): number {
  const standing = new Set(context.map(collapsed))
  let tokens = 0
  for (const text of prefix.toReversed()) {
    if (standing.has(collapsed(text))) tokens += tokensOf(text)
    else if (tokensOf(text) <= aim * tooLarge) break
  }
  return tokens
}
