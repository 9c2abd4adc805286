import { memoized } from '../history/memoize.ts'
import { type Message, textOf as wordsOf } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { sumOf } from '../history/sum-of.ts'
import type { RecordEntry } from '../record/facts/facts.ts'
import { quotedRequest } from '../record/texts/quote.ts'
import { wordsFromUser } from '../record/texts/spoken.ts'
import { namedIn, repliesTo } from './later-words.ts'
import { takesBack } from './takes-back.ts'
import { isUsers, rare, sayersIn, type UserSentence, userSentences } from './user-sentences.ts'

/** Something that a user stated, and something that they said of it since. */
export interface SaidSince {
  readonly said: UserSentence
  readonly since: Pick<UserSentence, 'number' | 'text'>
}

/** Two words that two sentences share tell that they are of the same where at most so many have them; a rare one does by itself. */
const telling = 12
/** Sentences that are kept of what was said since. */
const mostSince = 2

/** Whatever a user stated and came back to, without a question to go by; what takes something back first, and what shares most words. */
export function* saidSince(messages: readonly Message[]): Pieces<readonly SaidSince[]> {
  // A message that quotes a record of ours has words of others in it.
  const own = messages.map((message) => (isUsers(message) && wordsFromUser(message)[0] === wordsOf(message) ? message : none))
  const sentences = yield* userSentences(own)
  const sayers = sayersIn(sentences)
  const holders = new Map<string, UserSentence[]>()
  for (const one of sentences) {
    for (const stem of one.stems) if (sayers(stem) <= telling) memoized(holders, stem, (): UserSentence[] => []).push(one)
    yield
  }
  const found: (SaidSince & { readonly strength: number })[] = []
  for (const said of sentences) {
    yield
    const shared = new Map<UserSentence, string[]>()
    for (const stem of said.stems) for (const one of holders.get(stem) ?? []) if (one.number > said.number) memoized(shared, one, (): string[] => []).push(stem)
    const names = namesOf(said)
    const values = valuesIn(said)
    const isAbout = ([one, stems]: readonly [UserSentence, readonly string[]]): boolean => {
      if (stems.some((stem) => sayers(stem) <= rare)) return true
      const others = namesOf(one)
      return stems.length > 1 && (names.size === 0 || others.size === 0 || [...names].some((name) => others.has(name)))
    }
    const strengthOf = (stems: readonly string[], changes: boolean): number =>
      sumOf(stems, (stem) => Math.log(1 + sentences.length / sayers(stem))) * (changes ? 2 : 1)
    const changes = (one: UserSentence): boolean => changesMind(one) || hasOther(valuesIn(one), values) || hasOther(namesOf(one), names)
    const replies = repliesTo(own, said).map(({ number, start, end }) => {
      const since = { number, text: textOf(own[number] as Message, start, end) }
      return { said, since, strength: strengthOf([...said.stems].slice(0, rare), true) }
    })
    // A reply that takes it back has few words of its own, or none: what is newer and shares one does not take its place.
    const newest = [...shared]
      .filter(isAbout)
      .sort(([a], [b]) => b.number - a.number)
      .slice(0, mostSince)
    found.push(...replies, ...newest.map(([since, stems]) => ({ said, since, strength: strengthOf(stems, changes(since)) })))
  }
  return found.sort((a, b) => b.strength - a.strength)
}

/**
 * What stands in no text that is shown, of what a user said since of what does.
 *
 * @param quoted Numbers of the messages that are shown, or quoted. @param isShown Whether a text that is shown holds this one.
 */
export function unseenSince(since: readonly SaidSince[], quoted: readonly number[], isShown: (text: string) => boolean): readonly RecordEntry[] {
  const seen = new Set(quoted)
  const unseen = since.filter(({ said, since: { text } }) => seen.has(said.number) && isShown(said.text) && !isShown(text))
  const texts = new Map(unseen.map(({ since: { number, text } }) => [text, number]))
  return [...texts].map(([text, number]) => ({ kind: 'request', text: quotedRequest(number, text), sources: [number] }))
}

/** Two have something of a kind, and it is not the same. */
const hasOther = (these: ReadonlySet<string>, those: ReadonlySet<string>): boolean => those.size > 0 && [...these].some((one) => !those.has(one))

const valuesIn = ({ stems }: UserSentence): ReadonlySet<string> => new Set([...stems].filter((stem) => /\d/.test(stem)))

const [named, backs] = [new WeakMap<object, ReadonlySet<string>>(), new WeakMap<object, boolean>()]
const noNames: ReadonlySet<string> = new Set()

const namesOf = ({ kept, text }: UserSentence): ReadonlySet<string> =>
  memoized(named, kept, () => {
    const names = namedIn(text)
    return names.size === 0 ? noNames : names
  })

const changesMind = ({ kept, text }: UserSentence): boolean => memoized(backs, kept, () => takesBack(text))

const none: Message = { role: 'user', parts: [] }

const textOf = ({ parts: [part] }: Message, start: number, end: number): string => (part?.type === 'text' ? part.text.slice(start, end) : '')
