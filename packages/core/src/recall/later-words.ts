import type { Message } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { sumOf } from '../history/sum-of.ts'
import { stemsIn } from './everyday-words.ts'
import { type Found, overlap, type Place } from './found.ts'
import { ofOtherNumber } from './other-number.ts'
import { asks, splitSentences } from './questions.ts'
import { around } from './quote-passages.ts'
import { segmentsOf } from './segments.ts'
import { takesBack } from './takes-back.ts'
import { isUsers, rare, sayersIn, type UserSentence, userSentences } from './user-sentences.ts'
import { piecesOf, scriptsIn, stemOf } from './words.ts'

/** Sentences that are shown of what was said later, and replies right behind them. */
const mostLater = 4
const mostReplies = 4
/** Characters of a reply that takes back what was said before it without a word of it; of one that does not say that it does; of its beginning; and messages behind which it may stand. */
const shortReply = 200
const tersest = 60
const opening = 30
const soon = 3
/** Characters of a sentence together with what is said behind it. */
const mostOn = 250
/** A word tells what a sentence is about where at most so many have it, or such a share of all, and no more than so many. */
const few = 4
const many = 12
/** How often a number is changed at most. */
const mostChanges = 2
/** Sentences of what was said later of what stands beside a passage, and of the newest that have a rare word of its own. */
const mostBeside = 2
const fewShare = 1 / 12

/** Words with a capital that does not come of where they stand. */
const inMiddle = /(?<=[\p{L}\p{N}_\p{Pe},;:] )\p{Lu}[\p{L}\p{N}_-]+/gu

/** Stems of what a text calls by its name. */
export const namedIn = (text: string): ReadonlySet<string> =>
  new Set([...scriptsIn(text).join(' ').matchAll(inMiddle)].flatMap(([word]) => piecesOf(word).map(stemOf)))

/**
 * What a user said later of what they said before: sentences that share a telling word with it, or with one of those that takes something back, and short replies
 * that take something back. Each goes on with what they say behind it. No questions; the newest message is none of them.
 *
 * @param bases - Passages of messages of a user, with words of the question.
 * @returns The most telling first, of those the newest.
 */
export function* laterWords(history: readonly Message[], bases: readonly Found[], question: string): Pieces<readonly Found[]> {
  if (bases.length === 0) return []
  const sentences = yield* userSentences(history)
  const sayers = sayersIn(sentences)
  const [asked, proper] = [stemsIn(question), namedIn(question)]
  const otherThan = ofOtherNumber(question)
  const mostSayers = Math.min(many, Math.max(few, sentences.length * fewShare))
  const weight = (stem: string): number => (sayers(stem) > mostSayers ? 0 : Math.log(1 + sentences.length / sayers(stem)) * (asked.has(stem) ? 2 : 1))
  const holds = ({ stems }: UserSentence, words: ReadonlySet<string>): boolean => [...words].some((word) => stems.has(word))
  const all = bases.flatMap((base) => saidIn(sentences, base, asked, proper) ?? [])
  const byName = all.filter((said) => holds(said, proper))
  const said = byName.length > 0 ? byName : all
  const [ownScores, otherScores] = [new Map<UserSentence, number>(), new Map<UserSentence, number>()]
  const messagesWith = holdersIn(sentences)
  const withRare = new Set<UserSentence>()
  const addTo = function* (base: UserSentence): Pieces<void> {
    const named = new Set([...proper].filter((name) => base.stems.has(name)))
    const values = new Set([...base.stems].filter((stem) => !asked.has(stem) && (/\d/.test(stem) || namedIn(base.text).has(stem))))
    const isOther = otherThan(base.text)
    for (const one of sentences) {
      yield
      if (!isBehind(one, base) || one.number === history.length - 1) continue
      // Of another by name it says something only where it has what was said of this one.
      if (named.size > 0 && !holds(one, named) && !holds(one, values)) continue
      const score = sumOf(base.stems, (stem) => (one.stems.has(stem) ? weight(stem) : 0))
      const scores = score > 0 && isOther(one.text) ? otherScores : ownScores
      if (score > (scores.get(one) ?? 0)) scores.set(one, score)
      if (scores === ownScores && [...base.stems].some((stem) => one.stems.has(stem) && messagesWith(stem) <= rare)) withRare.add(one)
    }
  }
  const best = (scores: ReadonlyMap<UserSentence, number> = ownScores): readonly UserSentence[] => {
    const ranked = [...scores].sort(([a, left], [b, right]) => right - left || b.number - a.number || b.start - a.start).map(([one]) => one)
    // What was said again, word for word, is said once.
    return [...new Map(ranked.toReversed().map((one) => [one.text, one])).values()].toReversed().slice(0, mostLater)
  }
  for (const base of said) yield* addTo(base)
  // What was changed may have been changed again.
  for (const one of best().filter(({ text }) => takesBack(text))) yield* addTo(one)
  // One of few with another number may be what the number was changed to; many are of other things.
  const others = best(otherScores).filter((one) => !ownScores.has(one))
  const newest = [...withRare].sort((a, b) => a.number - b.number || a.start - b.start).slice(-mostBeside)
  const later = [...best(), ...newest, ...others.slice(0, others.length > mostChanges ? 0 : 1), ...besides(sentences, bases, all, sayers)]
  const replies = [
    ...said.flatMap((one) => repliesTo(history, one)),
    ...later.flatMap((one) => repliesTo(history, one).filter(({ number, start, end }) => takesBack(textAt(history, number, start, end)))),
  ].slice(0, mostReplies)
  // A reply may be of something else, and what was said of that since goes with it.
  const since = besides(sentences, replies, all, sayers)
  return [
    ...new Map(
      [...replies, ...[...later, ...since].map((one) => goingOn(history, sentences, one))].map((one) => [`${one.number} ${one.segment} ${one.start}`, one]),
    ).values(),
  ].map(({ number, segment, start, end }, at) => ({ number, segment, start, end, score: 0, share: 0, rarity: 0, counts: new Map([[-2 - at, 1]]) }))
}

/** A sentence with what is said behind it in the same line: "The florist has no peonies. We take dahlias." What was pasted goes on in other lines. */
function goingOn(history: readonly Message[], sentences: readonly UserSentence[], one: UserSentence): Place {
  const text = segmentsOf(history[one.number] as Message)[one.segment]?.text ?? ''
  const line = text.indexOf('\n', one.start)
  const limit = Math.min(one.start + mostOn, line < 0 ? text.length : line)
  const behind = sentences.filter((other) => other.number === one.number && other.segment === one.segment && other.start >= one.start && other.end <= limit)
  return { ...one, end: Math.max(one.end, ...behind.map(({ end }) => end)) }
}

const textAt = (history: readonly Message[], number: number, start: number, end: number): string =>
  segmentsOf(history[number] as Message)[0]?.text.slice(start, end) ?? ''

/** What was said later of what stands beside a passage, and is shown with it: the newest that shares a rare word. */
function besides(
  sentences: readonly UserSentence[],
  bases: readonly Place[],
  said: readonly UserSentence[],
  sayers: (stem: string) => number,
): readonly UserSentence[] {
  const beside = sentences.filter(
    (one) => !said.includes(one) && bases.some((base) => overlap(one, { ...base, start: base.start - around, end: base.end + around })),
  )
  const rareOf = new Set(beside.flatMap(({ stems }) => [...stems].filter((stem) => sayers(stem) > 1 && sayers(stem) <= rare)))
  return sentences
    .filter((one) => !beside.includes(one) && [...one.stems].some((stem) => rareOf.has(stem)) && beside.some((other) => isBehind(one, other)))
    .slice(-mostBeside)
}

/** How many messages have a stem. */
function holdersIn(sentences: readonly UserSentence[]): (stem: string) => number {
  const holders = new Map<string, Set<number>>()
  for (const { number, stems } of sentences) for (const stem of stems) holders.set(stem, (holders.get(stem) ?? new Set()).add(number))
  return (stem) => holders.get(stem)?.size ?? 0
}

const isBehind = (one: UserSentence, other: UserSentence): boolean => one.number > other.number || (one.number === other.number && one.start > other.start)

/** The sentence of a passage that is about what is asked. */
function saidIn(sentences: readonly UserSentence[], base: Found, asked: ReadonlySet<string>, proper: ReadonlySet<string>): UserSentence | undefined {
  const heldOf = ({ stems }: UserSentence, words: ReadonlySet<string>): number => [...words].filter((word) => stems.has(word)).length
  return sentences.filter((one) => overlap(one, base)).sort((a, b) => heldOf(b, proper) - heldOf(a, proper) || heldOf(b, asked) - heldOf(a, asked))[0]
}

/** What a user said soon behind something, in few words, that takes something back; and of those the next ones. */
export function repliesTo(history: readonly Message[], { number }: Pick<UserSentence, 'number'>): readonly Place[] {
  const replies: Place[] = []
  let behind = 0
  for (let at = number + 1; at < history.length - 1 && behind < soon; at++) {
    const message = history[at] as Message
    if (!isUsers(message)) continue
    const [only, more] = segmentsOf(message)
    const text = only?.text ?? ''
    const isShort = more === undefined && only?.author === message.role && text.length <= shortReply
    const isTerse = behind === 0 && text.length <= tersest && !/[/\\?？]|\.\w/.test(text)
    // Right behind, it may go on to ask something else in the same breath.
    const states = (): boolean => (behind === 0 && takesBack(text.slice(0, opening))) || !splitSentences(text).every(asks)
    if (isShort && (isTerse || takesBack(text)) && states()) replies.push({ number: at, segment: 0, start: 0, end: text.length })
    behind++
  }
  return replies
}
