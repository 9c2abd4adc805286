import { memoized, toKeep } from '../history/memoize.ts'
import type { Message } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { packStems, stemsIn, unpackStems } from './everyday-words.ts'
import type { Place } from './found.ts'
import { asks, splitSentences } from './questions.ts'
import { type Segment, segmentsOf } from './segments.ts'

/** A sentence in which a user states something, by its place in the history. */
export interface UserSentence extends Place {
  readonly text: string
  readonly stems: ReadonlySet<string>
  /** The same for as long as its message lives. */
  readonly kept: object
}

/** A word tells by itself what a sentence is about where so few of them have it. */
export const rare = 3
/** Characters of a sentence that are read. */
const longest = 400
/** Characters of a text that are read, from each of its ends. */
const mostRead = 10_000

/** What users state in a history, sentence by sentence. */
export function* userSentences(history: readonly Message[]): Pieces<readonly UserSentence[]> {
  const sentences: UserSentence[] = []
  for (const [number, message] of history.entries()) {
    if (!isUsers(message) || message.parts.length === 0) continue
    const segments = segmentsOf(message)
    for (const kept of sentencesIn(message)) {
      const { segment, start, length, stems } = kept
      const text = (segments[segment] as Segment).text.slice(start, start + length)
      sentences.push({ number, segment, start, end: start + Math.min(length, longest), text, stems: unpackStems(stems), kept })
    }
    yield
  }
  return sentences
}

export const isUsers = ({ role, summary }: Message): boolean => role === 'user' && summary === undefined

/** How many sentences have a stem. */
export function sayersIn(sentences: readonly UserSentence[]): (stem: string) => number {
  const counts = new Map<string, number>()
  for (const { stems } of sentences) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  return (stem) => counts.get(stem) ?? 0
}

/** A sentence as it is remembered with its message: by its place, its stems in one text. Sets of them would take more room than the message. */
interface Kept {
  readonly segment: number
  readonly start: number
  readonly length: number
  readonly stems: string
}

const known = new WeakMap<Message, readonly Kept[]>()

function sentencesIn(message: Message): readonly Kept[] {
  return memoized(known, message, () =>
    toKeep(
      segmentsOf(message).flatMap(({ author, text }, segment) => {
        // What a file is called is nobody's word.
        if (author !== message.role) return []
        // What is longer was pasted: what they say of it stands before or behind it.
        const ends = text.length <= 2 * mostRead ? [0] : [0, text.length - mostRead]
        return ends.flatMap((begin) => {
          let from = begin
          let question: Iterable<string> = []
          return splitSentences(text.slice(begin, ends.length > 1 ? begin + mostRead : undefined)).flatMap((sentence) => {
            const start = text.indexOf(sentence, from)
            // What stands right behind a question is of what that names: "Did I say that Ann is ill? So she is out."
            const stems = new Set([...(text.slice(from, start).includes('\n') ? [] : question), ...stemsIn(sentence)])
            const isQuestion = asks(sentence)
            from = start + sentence.length
            question = isQuestion ? stems : []
            return isQuestion ? [] : [{ segment, start, length: sentence.length, stems: packStems(stems) }]
          })
        })
      }),
    ),
  )
}
