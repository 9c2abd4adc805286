import type { TokenEstimator } from '../budget/estimate.ts'
import { cutBefore } from '../history/cut-before.ts'
import type { Message, Tokens } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { stemsIn } from './everyday-words.ts'
import type { Found } from './found.ts'
import { holdsLetters, lettersOf } from './letters.ts'
import { withoutQuestions } from './questions.ts'
import { segmentsOf } from './segments.ts'
import { isUsers } from './user-sentences.ts'

/** Tokens of it all, and characters of one message. */
const mostTokens: Tokens = 1_000
const longest = 400
/** Tokens of the line above a passage. */
const label: Tokens = 10

/**
 * What a user stated that is shown nowhere, for a search whose words stand in nothing of theirs: a question may have none of the words that it was said in. What
 * says most goes first; what was said again in the same words, where it was said last.
 *
 * @param numbers Messages that are searched. @param tokens Most of them.
 */
export function* saidOtherwise(
  history: readonly Message[],
  numbers: readonly number[],
  { shown = [], tokens, estimator }: { readonly shown?: readonly Message[] | undefined; readonly tokens: Tokens; readonly estimator: TokenEstimator },
): Pieces<readonly Omit<Found, 'score'>[]> {
  const stated = new Map<string, { readonly found: Omit<Found, 'score'>; readonly words: number; readonly tokens: Tokens }>()
  // What is shown of a user in other messages than their own stands in a summary.
  const summaries = shown.filter(({ summary }) => summary !== undefined).flatMap((message) => segmentsOf(message).map(({ text }) => lettersOf(text)))
  for (const number of numbers) {
    const message = history[number] as Message
    if (!isUsers(message)) continue
    for (const [segment, { author, text }] of segmentsOf(message).entries()) {
      const words = author === 'user' ? stemsIn(withoutQuestions(text.slice(0, longest))) : new Set<string>()
      const letters = lettersOf(text.slice(0, longest))
      if (words.size === 0 || summaries.some((one) => holdsLetters(one, letters))) continue
      const end = text.length <= longest ? text.length : cutBefore(text, longest)
      const found = { number, segment, start: 0, end, share: 0, rarity: 0, counts: new Map([[firstCount - number, 1]]) }
      stated.set([...words].join(' '), { found, words: words.size, tokens: estimator.count(text.slice(0, end)) + label })
    }
    yield
  }
  let left = Math.min(mostTokens, tokens)
  return [...stated.values()]
    .sort((a, b) => b.words - a.words)
    .flatMap(({ found, tokens: needed }) => {
      if (needed > left) return []
      left -= needed
      return [found]
    })
}

/** Under numbers that no word of a query has: none of these says less than another. */
const firstCount = -1_000
