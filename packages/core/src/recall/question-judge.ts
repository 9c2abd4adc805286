import { namesIn } from '../record/names/names.ts'
import { isWord } from './everyday-words.ts'
import type { Found } from './found.ts'
import { namedIn } from './later-words.ts'
import { ofOtherNumber } from './other-number.ts'
import type { PassageReader } from './passage-reader.ts'
import { isQuestion, withoutQuestions } from './questions.ts'
import { plain } from './spelling.ts'
import { rare } from './user-sentences.ts'
import { createWordScan } from './word-scan.ts'
import { folded, piecesOf, stemOf, termsOf } from './words.ts'

/** A passage answers a question when it has most of its words, as rare together as that, and at least so many; and a name or a number that the question has not. */
const leastShare = 0.6
const leastRarity = 1.3
const leastWords = 2
/** Words of a user's that are every word of a question, and three at least, may be less rare. */
const wholly = 3
const leastRarityWhole = 0.5

/** What passages are to one question. */
export interface QuestionJudge {
  /** It says something that the question does not, and asks nothing; of a user, what they state has enough of the question's words as well. */
  answers(passage: Found): boolean
  /** What it has of the question is enough, and rare enough, to be about it. */
  isTelling(passage: Found): boolean
  /** It has the name that the question has. */
  hasName(passage: Found): boolean
  /** Words and numbers of the question that another passage has and this one has not. */
  lacks(passage: Found, other: Found): number
  /** Whether texts are of something with another number than this one, which has the number that the question has. */
  otherThan(than: string): (text: string) => boolean
  /** It says something that stands neither in the question nor in this text. */
  goesBeyond(passage: Found, text: string): boolean
}

/**
 * @param said The message that asks, whole.
 * @param sayers How many sentences of the user's have a stem.
 * @returns undefined for a question without a word that tells what it is about.
 */
export function judgeOf(
  question: string,
  said: string,
  { textOf, isUser }: Pick<PassageReader, 'textOf' | 'isUser'>,
  sayers: (stem: string) => number,
): QuestionJudge | undefined {
  const terms = termsOf(question)
  const words = terms.map(({ stem }) => isWord(stem))
  const least = Math.min(leastWords, words.filter(Boolean).length)
  if (least === 0) return undefined
  const asked = folded(said)
  const scan = createWordScan(terms)
  const named = namedIn(question)
  const stemAt = (term: number): string => terms[term]?.stem ?? ''
  const isTold = (term: number): boolean => words[term] === true || /\d/.test(stemAt(term))
  /** Names answer; of a user, every new word does. */
  const saysMore = (passage: Found, than: string): boolean =>
    isUser(passage)
      ? piecesOf(withoutQuestions(textOf(passage))).some((word) => (/\d/.test(word) || isWord(stemOf(word))) && !than.includes(word))
      : [...namesIn(textOf(passage))].some((name) => !than.includes(folded(name)))
  const statesEnough = (passage: Found): boolean => {
    const stated = plain(withoutQuestions(textOf(passage)))
    const held = new Set<number>()
    scan(stated, stated.toLowerCase(), (term) => words[term] && held.add(term))
    return held.size >= least
  }
  return {
    answers: (passage) => (isUser(passage) ? statesEnough(passage) : !isQuestion(textOf(passage))) && saysMore(passage, asked),
    isTelling(passage) {
      const { share, rarity, counts } = passage
      const held = [...counts.keys()].filter((term) => words[term])
      const stems = [...counts.keys()].filter(isTold).map(stemAt)
      // A user's own words are few: one that hardly any of their sentences have will do, and so will the name, and every word of the question.
      if (isUser(passage) && share >= leastShare && stems.some((stem) => sayers(stem) <= rare)) return true
      if (held.length < leastWords) return false
      if (isUser(passage) && stems.some((stem) => named.has(stem))) return true
      const isWhole = share === 1 && held.length >= wholly && isUser(passage)
      return share >= leastShare && rarity >= (isWhole ? leastRarityWhole : leastRarity)
    },
    hasName: ({ counts }) => [...counts.keys()].some((term) => named.has(stemAt(term))),
    lacks: ({ counts }, other) => [...other.counts.keys()].filter((term) => isTold(term) && !counts.has(term)).length,
    otherThan: ofOtherNumber(question),
    goesBeyond: (passage, text) => saysMore(passage, `${asked}\n${folded(text)}`),
  }
}
