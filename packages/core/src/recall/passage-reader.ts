import { memoized } from '../history/memoize.ts'
import type { Message } from '../history/message.ts'
import { sumOf } from '../history/sum-of.ts'
import type { Found } from './found.ts'
import { quotedFromUser } from './quoted-from-user.ts'
import type { Numbered } from './search.ts'
import { type Segment, segmentsOf } from './segments.ts'

/** Reads passages of a history, and of what a request shows besides its newest message: that stands behind the history by number. */
export interface PassageReader {
  /** What is shown, to be searched. */
  readonly shown: readonly Numbered[]
  textOf(passage: Found): string
  /** Its number in the history; −1 in a summary. */
  placeOf(passage: Found): number
  /** Whether a user says it, in a message of theirs. */
  isUser(passage: Found): boolean
  /** What a record quotes of a user, as it stands in the history; any other passage as it is. */
  asSaid(passage: Found): Found
}

/** @param shown The context, as it is read, and whatever else the request has. */
export function createPassageReader(history: readonly Message[], shown: readonly Message[]): PassageReader {
  const others = shown.filter((message) => message !== history.at(-1))
  const messageAt = (number: number): Message => (history[number] ?? others[number - history.length]) as Message
  const segmentAt = ({ number, segment }: Found): Segment | undefined => spoken(messageAt(number))[segment]
  const placeOf = ({ number }: Found): number => history.indexOf(messageAt(number))
  return {
    shown: others.map((message, at) => ({ number: history.length + at, segments: spoken(message) })),
    textOf: (passage) => segmentAt(passage)?.text.slice(passage.start, passage.end) ?? '',
    placeOf,
    isUser: (passage) => segmentAt(passage)?.author === 'user' && messageAt(passage.number).summary === undefined,
    asSaid: (passage) => ({ ...passage, ...(placeOf(passage) < 0 && quotedFromUser(history, segmentAt(passage)?.text ?? '', passage)) }),
  }
}

/** Characters of a history that are searched, from its end on. */
const mostSearched = 8_000_000

/** What has left, without the message that asks, as far back as is searched; no instructions, by which histories are not told apart. */
export function searchable(history: readonly Message[], left: ReadonlySet<number>): readonly Numbered[] {
  const searched: Numbered[] = []
  let characters = 0
  for (let number = history.length - 2; number >= 0 && characters < mostSearched; number--) {
    const { role } = history[number] as Message
    if (!left.has(number) || role === 'system' || role === 'developer') continue
    const segments = spoken(history[number] as Message)
    characters += sumOf(segments, ({ text }) => text.length)
    searched.unshift({ number, segments })
  }
  return searched
}

const spokenBy = new WeakMap<Message, readonly Segment[]>()

/** What a message says to others: its thoughts are not brought back unasked. Places are those of all its segments. */
function spoken(message: Message): readonly Segment[] {
  return memoized(spokenBy, message, () => segmentsOf(message).map((segment) => (segment.author.endsWith(' thinks') ? { ...segment, text: '' } : segment)))
}
