import { memoized } from '../history/memoize.ts'
import type { Message } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { isWord } from './everyday-words.ts'
import { asks, sentencesOf } from './questions.ts'
import type { Found } from './search.ts'
import { segmentsOf } from './segments.ts'
import { createWordScan, folded, piecesOf, stemOf, termsOf } from './words.ts'

/** A sentence of a user's, by its place in the history. */
interface Sentence extends Pick<Found, 'number' | 'segment' | 'start' | 'end'> {
  readonly text: string
}

/** Sentences that are shown of what was said later, and characters of one. */
const mostLater = 4
const longest = 400
/** Characters of a text that are read, from each of its ends. */
const mostRead = 10_000
/** Characters of a message that may take back the one before it without a word of it, and how it says so. */
const shortReply = 200
const takesBack =
  /\b(?:actually|correct(?:ion|ed)?|forget|i (?:meant?|mistyped)|instead|make (?:it|that)|mistake|my bad|no longer|oops|rather|scrap|should (?:be|have been)|sorry|typo|wait|wrong|doch|falsch|ich meinte?|nein|quatsch|sondern|stattdessen|vielmehr|pardon|plutôt|perdón|nicht|not)\b|^(?:no|non|nope)\b/i

/** Words with a capital that does not come of where they stand. */
const inMiddle = /(?<=[\p{L}\p{N}\p{Pe},;:] )\p{Lu}[\p{L}\p{N}_-]+/gu

/** Stems of what a question calls by its name. */
export const namedIn = (question: string): ReadonlySet<string> => new Set([...question.matchAll(inMiddle)].flatMap(([word]) => piecesOf(word).map(stemOf)))

/**
 * What a user said later of what they said before: sentences that name the same and something else of the question, or that hold its value; and what they said
 * right behind it, in few words, that takes something back. The newest, oldest first; no questions.
 *
 * @param bases - Passages of messages of a user, with words of the question.
 */
export function* laterWords(history: readonly Message[], bases: readonly Found[], question: string): Pieces<readonly Found[]> {
  if (bases.length === 0) return []
  const numbers = history.flatMap(({ role, summary }, number) => (role === 'user' && summary === undefined ? [number] : []))
  const sentences: Sentence[] = []
  for (const number of numbers) {
    for (const one of sentencesIn(history[number] as Message)) sentences.push({ ...one, number })
    yield
  }
  const terms = termsOf(question)
  const scan = createWordScan(terms)
  const heldBy = new Map(sentences.map((one) => [one, new Set<number>()]))
  const sayers = terms.map(() => 0)
  for (const [{ text }, held] of heldBy) {
    yield
    scan(text, folded(text), (term) => isWord(terms[term]?.stem ?? '') && held.add(term))
    for (const term of held) sayers[term] = (sayers[term] ?? 0) + 1
  }
  const heldIn = (one: Sentence): ReadonlySet<number> => heldBy.get(one) ?? new Set()
  const proper = namedIn(question)
  const found = new Map<string, Sentence>()
  for (const base of bases) {
    const [said] = sentences
      .filter(({ number, segment, start, end }) => number === base.number && segment === base.segment && end > base.start && start < base.end)
      .sort((a, b) => heldIn(b).size - heldIn(a).size)
    if (said === undefined) continue
    // What it is about has a name, or else is the word that fewest sentences have.
    const named = [...heldIn(said)].filter((term) => proper.has(terms[term]?.stem ?? ''))
    if (proper.size > 0 && named.length === 0) continue
    const names = named.length > 0 ? named : [...heldIn(said)].sort((a, b) => (sayers[a] ?? 0) - (sayers[b] ?? 0)).slice(0, 1)
    const values = valuesIn(said.text).filter((value) => !question.includes(value))
    const isAbout = (one: Sentence): boolean =>
      (names.some((term) => heldIn(one).has(term)) && heldIn(one).size > 1) || (values.length > 0 && valuesIn(one.text).some((value) => values.includes(value)))
    let behind = numbers[numbers.indexOf(said.number) + 1]
    for (const one of sentences) {
      yield
      const isLater = one.number > said.number || (one.number === said.number && one.start > said.start)
      if (!isLater || one.number === history.length - 1 || asks(one.text)) continue
      const reply = one.number === behind ? takenBack(history[behind] as Message) : undefined
      if (reply === undefined && !isAbout(one)) continue
      // Such a reply is one thing that was said.
      found.set(`${one.number} ${reply === undefined ? one.start : 0}`, reply === undefined ? one : { ...one, start: 0, end: reply.length })
      behind = numbers[numbers.indexOf(one.number) + (one.number === behind ? 0 : 1)]
    }
  }
  return [...found.values()]
    .sort((a, b) => a.number - b.number || a.start - b.start)
    .slice(-mostLater)
    .map(({ number, segment, start, end }, at) => ({ number, segment, start, end, score: 0, share: 0, rarity: 0, counts: new Map([[-2 - at, 1]]) }))
}

/** What a message says, where that is little, and takes something back. */
function takenBack(message: Message): string | undefined {
  const [only, more] = segmentsOf(message)
  return only !== undefined && more === undefined && only.text.length <= shortReply && takesBack.test(only.text) ? only.text : undefined
}

const known = new WeakMap<Message, readonly Omit<Sentence, 'number'>[]>()

function sentencesIn(message: Message): readonly Omit<Sentence, 'number'>[] {
  return memoized(known, message, () =>
    segmentsOf(message).flatMap(({ text }, segment) => {
      // What is longer was pasted: what they say of it stands before or behind it.
      const ends = text.length <= 2 * mostRead ? [0] : [0, text.length - mostRead]
      return ends.flatMap((begin) => {
        let from = begin
        return sentencesOf(text.slice(begin, ends.length > 1 ? begin + mostRead : undefined)).map((sentence) => {
          const start = text.indexOf(sentence, from)
          from = start + sentence.length
          return { segment, start, end: Math.min(from, start + longest), text: sentence }
        })
      })
    }),
  )
}

/** Words with a digit in them. */
function valuesIn(text: string): readonly string[] {
  return (text.match(/[\p{L}\p{N}][\p{L}\p{N}_./@:+-]*/gu) ?? [])
    .map((word) => word.replace(/[.:-]+$/, ''))
    .filter((word) => word.length > 1 && /\d/.test(word))
}
