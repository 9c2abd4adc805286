import type { TokenEstimator } from '../../budget/estimate.ts'
import { memoized } from '../../history/memoize.ts'
import { isUserRequest, type Message, type Tokens, textOf } from '../../history/message.ts'
import { wordsOf } from '../names/name-index.ts'
import { scanTerms } from '../names/names.ts'
import { unquoted } from '../texts/carried.ts'
import { countsOf } from '../texts/counts.ts'
import { ownWords } from '../texts/own-words.ts'
import { quotedRequest } from '../texts/quote.ts'
import { isSpoken, wordsFromUser } from '../texts/spoken.ts'
import { endsOf, joined } from '../texts/truncate.ts'
import type { RecordEntry } from './facts.ts'

/** Words of the user, and the message that holds them: their own, or an earlier summary that came back. */
interface Request {
  readonly index: number
  readonly text: string
  /** Others of the same message before it. */
  readonly after: number
}

/** Characters of one older request, as in Kimi CLI: what is longer was pasted. */
const longestRequest = 2_000

/** Characters of what is cut, at least. */
const leastOfRequest = 80

/** Tokens of the label in front of a request, at most. */
const labelTokens = 8

/**
 * First and newest request always, then as many of the others as all together take `most` Tokens: what states a number, then what says more than a remark, then
 * more than a few words, then the rest, then what was pasted, and what only asks, newest first. What somebody wrote around what they pasted comes in its own turn, up to `mostOwn` Tokens of all.
 * In the order of the history; what was said again in the same words stands where it was said last.
 *
 * @returns What is quoted, the words of it by message, and the messages of which nothing is.
 */
export function requestEntries(
  messages: readonly Message[],
  indices: readonly number[],
  { most, mostOwn }: { readonly most: Tokens; readonly mostOwn: Tokens },
  estimator: TokenEstimator,
): { readonly quoted: readonly RecordEntry[]; readonly words: ReadonlyMap<number, readonly string[]>; readonly leftOut: readonly number[] } {
  const said = indices.flatMap((index): readonly Request[] => wordsFromUser(messages[index] as Message).map((text, after) => ({ index, text, after })))
  const last = new Map(said.map((request) => [request.text.trim(), request]))
  const all = said.filter((request) => last.get(request.text.trim()) === request)
  const newest = messages.findLastIndex(isSpoken)
  const isEnd = (request: Request): boolean => request === all[0] || request.index === newest
  const ends = all.filter(isEnd).map((request): Ranked => ({ request, rank: 0 }))
  const ranked = all.toReversed().flatMap((request): readonly Ranked[] => {
    if (isEnd(request)) return []
    const own = request.text.length > longestRequest ? ownWords(request.text) : []
    const whole = { request, rank: rankOf(request.text, estimator) }
    return own.length === 0 ? [whole] : [{ request, own, rank: rankOf(own.join('\n'), estimator) }, whole]
  })
  const chosen = new Map<Request, { readonly entry: RecordEntry; readonly tokens: Tokens; readonly words: readonly string[] }>()
  let used = 0
  for (const { request, own } of [...ends, ...ranked.sort((a, b) => a.rank - b.rank)]) {
    const { index, text, after } = request
    // What was quoted without what was pasted is quoted again where there is room for more than that.
    const quoted = chosen.get(request)
    const before = quoted?.tokens ?? 0
    // The first leaves the newest a fifth.
    const left = Math.max(0, (own ? mostOwn : most) - used + before)
    const room = request === all[0] && index !== newest ? left * 0.8 : left
    const words = own ?? wordsWithin(request, room, isEnd(request) ? Infinity : longestRequest, estimator)
    if (!words) continue
    const entry: RecordEntry = { kind: 'request', text: quotedRequest(index, joined(words, text)), sources: [index], ...(after > 0 && { after }) }
    const tokens = estimator.count(entry.text) + 1
    if (tokens > left || quoted?.words.some((own) => !entry.text.includes(own))) continue
    used += tokens - before
    chosen.set(request, { entry, tokens, words })
  }
  const words = new Map<number, string[]>()
  for (const [{ index }, one] of chosen) memoized(words, index, (): string[] => []).push(...one.words)
  return {
    quoted: all.flatMap((request) => chosen.get(request)?.entry ?? []),
    words,
    leftOut: [...new Set(all.map(({ index }) => index))].filter((index) => !words.has(index)),
  }
}

/** A request, or what somebody wrote in it themselves, and when its turn comes. */
interface Ranked {
  readonly request: Request
  readonly own?: readonly string[]
  readonly rank: number
}

/** What of a request is quoted within so many Tokens, and characters: all of it, or its two ends; undefined where it is short and does not fit. */
function wordsWithin({ index, text }: Request, room: Tokens, longest: number, estimator: TokenEstimator): readonly string[] | undefined {
  if (text.length <= Math.min(longest * 1.2, room * 8) && estimator.count(text) + labelTokens <= room) return [text]
  // What is cut to a few words says little: shorter ones take its place. Nor is it quoted without the sentences that hold no name and no number: more requests
  // fit then, and what they change is known less. Source: npm run bench:said, 94 instead of 99 %.
  if (text.length <= longest && longest < Infinity) return undefined
  // What is dense, as scripts without spaces and tables are, is cut further.
  let length = Math.min(longest, Math.max(leastOfRequest, Math.floor(room * 3)))
  const cut = (): readonly string[] => endsOf(text, length)
  while (length > leastOfRequest && estimator.count(quotedRequest(index, joined(cut(), text))) >= room) length = Math.min(length, text.length) * 0.7
  return cut()
}

/** Tokens of a few words, and of more than a remark, in any script. Source of the second: npm run bench:said, seeds 1 to 5. */
const few = 15
const remark = 30

/** Which requests come first where there is no room for all: those that later work is likely to come back to. */
function rankOf(text: string, estimator: TokenEstimator): number {
  if (text.length > longestRequest) return 3
  return /^[^.!。！\n]*[?？؟]\s*$/.test(text) ? 4 : /\p{N}/u.test(text) ? 0 : lengthRank(estimator.count(text))
}

const lengthRank = (tokens: number): number => (tokens > remark ? 1 : tokens > few ? 1.5 : 2)

/** Requests longer than this are pasted material, not questions (characters). */
const longestQuestion = 1_500

/** Characters of an answer that is quoted wherever something came of it: "yes", or the number of a choice. */
const longestAnswer = 24

/** A request above what came of it, where it is quoted elsewhere or not at all: an answer in its words, as the same words again answer something else. */
export function briefRequest(messages: readonly Message[], index: number): string {
  const text = textOf(messages[index] as Message)
  return quotedRequest(index, text[longestAnswer] ? unquoted : text)
}

/** How many of the requests that a record leaves out are named. */
const mostNamed = 3

/** Which requests the reader can look up; "" where there are none. */
export function moreRequests(numbers: readonly number[]): string {
  if (numbers.length === 0) return ''
  const names = numbers.map((number) => `[${number}]`)
  const listed = names.length <= mostNamed ? names : [names[0], '…', names.at(-1)]
  return `${listed.join(', ')}: requests not quoted`
}

/** Words of the user's own requests, whether they are still shown or not; words of every second request ask about nothing. */
export function askedWords(messages: readonly Message[]): ReadonlySet<string> {
  const asked: ReadonlySet<string>[] = []
  for (const message of messages) {
    if (!isUserRequest(message)) continue
    const text = textOf(message)
    if (text === '' || text.length > longestQuestion) continue
    const words = new Set(wordsOf(text))
    scanTerms(text, (name, _start, _end, worth) => worth >= namelike && words.add(name))
    asked.push(words)
  }
  return new Set([...countsOf(asked)].filter(([word, count]) => !ordinary.has(word) && count <= Math.max(3, asked.length / 2)).map(([word]) => word))
}

/** `nameWorth` of an identifier, a path or an id. */
const namelike = 2

/** Words of requests that name nothing. */
const ordinary = new Set('about from have into need only should show take that then there these they this what when where which will with would'.split(' '))
