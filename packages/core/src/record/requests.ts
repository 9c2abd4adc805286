import type { TokenEstimator } from '../budget/estimate.ts'
import { isUserRequest, type Message, type Tokens, textOf } from '../history/message.ts'
import type { RecordEntry } from './facts.ts'
import { wordsOf } from './name-index.ts'
import { scanTerms } from './names.ts'
import { quotedRequest } from './quote.ts'
import { isSpoken, saidIn } from './spoken.ts'
import { cutMiddle } from './truncate.ts'

/** Words of the user, and the message that holds them: their own, or an earlier summary that came back. */
interface Request {
  readonly index: number
  readonly text: string
}

interface RequestOptions {
  readonly estimator: TokenEstimator
  /** Text that the reader sees anyway: a request in it is not repeated. */
  readonly already: string
}

const longestRequest = 2_000 // characters of one older request, as in Kimi CLI

/** Tokens of the label in front of a request, at most. */
const labelTokens = 8

/** First and newest request always, then newest to oldest while the budget lasts; in the order of the history. */
export function requestEntries(messages: readonly Message[], indices: readonly number[], budget: Tokens, options: RequestOptions): readonly RecordEntry[] {
  const all = indices.flatMap((index): readonly Request[] => saidIn(messages[index] as Message).map((text) => ({ index, text })))
  const newest = messages.findLastIndex(isSpoken)
  const chosen: { readonly place: number; readonly entry: RecordEntry }[] = []
  let left = budget
  for (const request of new Set([...all.slice(0, 1), ...all.toReversed()])) {
    const { index, text } = request
    // The first leaves the newest a fifth; others come in while all together take no more than half.
    const end = request === all[0] || index === newest
    const room = !end ? left - budget / 2 : index === newest ? left : left * 0.8
    const most = end ? Infinity : longestRequest
    const fits = text.length <= Math.min(most * 1.2, room * 8) && options.estimator.count(text) + labelTokens <= room
    const quoted = fits ? text : cutMiddle(text, Math.min(most, Math.max(80, Math.floor(room * 3))))
    const entry: RecordEntry = { kind: 'request', text: quotedRequest(index, quoted), sources: [index] }
    const tokens = options.estimator.count(entry.text) + 1
    if (tokens > (end ? left : room)) break
    left -= tokens
    chosen.push({ place: all.indexOf(request), entry })
  }
  return chosen.sort((a, b) => a.place - b.place).map(({ entry }) => entry)
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
