import type { TokenEstimator } from '../budget/estimate.ts'
import { isUserRequest, type Message, type Tokens, textOf } from '../history/message.ts'
import type { RecordEntry } from './facts.ts'
import { wordsOf } from './name-index.ts'
import { scanTerms } from './names.ts'
import { quotedRequest } from './quote.ts'
import { isSpoken, saidIn } from './spoken.ts'
import { cutMiddle, endsOf } from './truncate.ts'

/** Words of the user, and the message that holds them: their own, or an earlier summary that came back. */
interface Request {
  readonly index: number
  readonly text: string
}

/** Characters of one older request, as in Kimi CLI: what is longer was pasted. */
const longestRequest = 2_000

/** Characters of what is cut, at least. */
const leastOfRequest = 80

/** Tokens of the label in front of a request, at most. */
const labelTokens = 8

/**
 * First and newest request always, then as many of the others as all together take `most` Tokens: what states a number, then what says more than a few words, then
 * the rest, then what was pasted, and what only asks, newest first. In the order of the history; what was said again in the same words stands where it was said last.
 *
 * @returns What is quoted, the words of it by message, and the messages of which nothing is.
 */
export function requestEntries(
  messages: readonly Message[],
  indices: readonly number[],
  most: Tokens,
  estimator: TokenEstimator,
): { readonly quoted: readonly RecordEntry[]; readonly words: ReadonlyMap<number, readonly string[]>; readonly leftOut: readonly number[] } {
  const said = indices.flatMap((index): readonly Request[] => saidIn(messages[index] as Message).map((text) => ({ index, text })))
  const last = new Map(said.map((request) => [request.text.trim(), request]))
  const all = said.filter((request) => last.get(request.text.trim()) === request)
  const newest = messages.findLastIndex(isSpoken)
  const ranks = new Map(all.map((request) => [request, rankOf(request.text, estimator)]))
  const byRank = all.toReversed().sort((a, b) => (ranks.get(a) as number) - (ranks.get(b) as number))
  const chosen: { readonly place: number; readonly entry: RecordEntry }[] = []
  const words = new Map<number, readonly string[]>()
  let left = most
  for (const request of new Set([...all.slice(0, 1), ...all.filter(({ index }) => index === newest), ...byRank])) {
    const { index, text } = request
    const end = request === all[0] || index === newest
    // The first leaves the newest a fifth.
    const room = request === all[0] && index !== newest ? left * 0.8 : left
    const longest = end ? Infinity : longestRequest
    const fits = text.length <= Math.min(longest * 1.2, room * 8) && estimator.count(text) + labelTokens <= room
    // What is cut to a few words says little: shorter ones take its place.
    if (!fits && !end && text.length <= longest) continue
    // What is dense, as scripts without spaces and tables are, is cut further.
    let length = fits ? Infinity : Math.min(longest, Math.max(leastOfRequest, Math.floor(room * 3)))
    const cut = (): string => quotedRequest(index, cutMiddle(text, length))
    while (length > leastOfRequest && estimator.count(cut()) >= room) length = Math.min(length, text.length) * 0.7
    const entry: RecordEntry = { kind: 'request', text: cut(), sources: [index] }
    const tokens = estimator.count(entry.text) + 1
    if (tokens > left) continue
    left -= tokens
    chosen.push({ place: all.indexOf(request), entry })
    words.set(index, [...(words.get(index) ?? []), ...endsOf(text, length)])
  }
  const quoted = chosen.sort((a, b) => a.place - b.place).map(({ entry }) => entry)
  return { quoted, words, leftOut: [...new Set(all.map(({ index }) => index))].filter((index) => !words.has(index)) }
}

/** Tokens of a few words, in any script. */
const few = 15

/** Which requests come first where there is no room for all: those that later work is likely to come back to. */
function rankOf(text: string, estimator: TokenEstimator): number {
  if (text.length > longestRequest) return 3
  return /^[^.!。！\n]*[?？؟]\s*$/.test(text) ? 4 : /\p{N}/u.test(text) ? 0 : estimator.count(text) > few ? 1 : 2
}

/** Requests longer than this are pasted material, not questions (characters). */
const longestQuestion = 1_500

/** Words of the user's own requests, whether they are still shown or not; words of every second request ask about nothing. */
export function askedWords(messages: readonly Message[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  let requests = 0
  for (const message of messages) {
    if (!isUserRequest(message)) continue
    const text = textOf(message)
    if (text === '' || text.length > longestQuestion) continue
    requests++
    const words = new Set(wordsOf(text))
    scanTerms(text, (name, _start, _end, worth) => worth >= namelike && words.add(name))
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return new Set([...counts].filter(([word, count]) => !ordinary.has(word) && count <= Math.max(3, requests / 2)).map(([word]) => word))
}

/** `nameWorth` of an identifier, a path or an id. */
const namelike = 2

/** Words of requests that name nothing. */
const ordinary = new Set('about from have into need only should show take that then there these they this what when where which will with would'.split(' '))
