import { contains, occurrences } from '@precis/cli/replay'
import type { Cut } from '../sessions/cuts.ts'
import { textOf, tokensOf } from '../sessions/transcripts.ts'
import { lettersOf } from './wording.ts'

/** What a strategy made of the prefix: the texts that the model would read, in order. */
export interface Compacted {
  readonly texts: readonly string[]
  /** Tool calls without an answer and answers without a call in what is sent; undefined where whole groups are kept, so that there are none. */
  readonly unpaired?: number
  /** Share of what it was told to fill, by the strategy's own count; undefined where it was told nothing. */
  readonly filled?: number
  /** Tokens that the strategy aims at where that is less than the budget. */
  readonly aim?: number
  /** What the strategy wrote itself in the place of older messages; undefined where it writes nothing. */
  readonly account?: string
}

/** One later used name, and whether it is still there. */
export interface Outcome {
  readonly kind: string
  readonly hit: boolean
  readonly inContext: boolean
  readonly passage: boolean
  /** The same with letters and digits compared alone. */
  readonly letters: boolean
  /** Outside the newest messages that would fit the budget. */
  readonly far: boolean
}

export interface Score {
  readonly outcomes: readonly Outcome[]
  readonly tailKept: number
  /** Share of the prefix's tokens that was used. */
  readonly used: number
  readonly overBudget: boolean
  readonly unpaired: number
  /** First and newest user message word for word, where they fit a quarter of the budget. */
  readonly requestsKept: boolean
}

export function scoreOf(cut: Cut, { texts, unpaired = 0 }: Compacted, budget: number): Score {
  const prepared = prepare(cut)
  const after = texts.join('\n')
  const flat = collapse(after)
  const bare = lettersOf(after)
  const fifo = prepared.prefix.slice(tailFrom(prepared.prefix, budget)).join('\n')
  const outcomes = prepared.needles.map(({ text, kind, near, passages }): Outcome => {
    const places = occurrences(after, text)
    const hit = places.length > 0
    return {
      kind,
      hit,
      inContext: hit && places.some((at) => near.some((origin) => sharesWords(wordsNear(after, at, text.length), origin))),
      passage: hit && standsIn(flat, text, passages),
      letters: hit && passages.some(([left, right]) => bare.includes(lettersOf(left + text + right))),
      far: !contains(fifo, text),
    }
  })
  const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0)
  return {
    outcomes,
    tailKept: tailKept(prepared.prefix, after, budget),
    used: tokens / cut.tokens,
    overBudget: tokens > budget + 1,
    unpaired,
    requestsKept: requestsKept(prepared.requests, after, budget),
  }
}

/** The first is not expected beside a newest one that takes the whole budget. */
function requestsKept(requests: readonly string[], after: string, budget: number): boolean {
  const all = requests.reduce((sum, text) => sum + tokensOf(text), 0)
  return all > budget * 0.9 || requests.every((text) => tokensOf(text) > budget / 4 || after.includes(text))
}

interface Prepared {
  readonly prefix: readonly string[]
  readonly needles: readonly {
    readonly text: string
    readonly kind: string
    /** Words around each of its places. */
    readonly near: readonly ReadonlySet<string>[]
    /** Forty characters before and after it at each of its places, white space collapsed. */
    readonly passages: readonly (readonly [before: string, after: string])[]
  }[]
  readonly requests: readonly string[]
}

const known = new WeakMap<Cut, Prepared>()

function prepare(cut: Cut): Prepared {
  const before = known.get(cut)
  if (before !== undefined) return before
  const prefix = cut.prefix.map(textOf)
  const whole = prefix.join('\n')
  const needles = cut.needles.map(({ text, kind }) => ({
    text,
    kind,
    near: occurrences(whole, text).map((at) => new Set(wordsNear(whole, at, text.length))),
    passages: prefix.flatMap((message) =>
      occurrences(message, text).map(
        (at) =>
          [
            collapse(message.slice(Math.max(0, at - 400), at))
              .slice(-40)
              .trim(),
            collapse(message.slice(at + text.length, at + text.length + 400))
              .slice(0, 40)
              .trim(),
          ] as const,
      ),
    ),
  }))
  const users = cut.prefix.filter((message) => message.role === 'user').map(({ content }) => content)
  const requests = [users[0], users.at(-1)].filter((text) => text !== undefined)
  const prepared = { prefix, needles, requests }
  known.set(cut, prepared)
  return prepared
}

/** At least three words of four letters or more, or all there were. */
function sharesWords(near: readonly string[], origin: ReadonlySet<string>): boolean {
  return near.filter((word) => origin.has(word)).length >= Math.min(3, origin.size)
}

function wordsNear(text: string, at: number, length: number): readonly string[] {
  const around = `${text.slice(Math.max(0, at - 80), at)} ${text.slice(at + length, at + length + 80)}`
  return [...new Set(around.match(/[A-Za-z]{4,}/g) ?? [])]
}

/** Whether the name stands between one of its old neighbors, word for word. */
function standsIn(flat: string, entity: string, passages: Prepared['needles'][number]['passages']): boolean {
  const text = collapse(entity)
  for (let at = flat.indexOf(text); at >= 0; at = flat.indexOf(text, at + 1)) {
    const before = flat.slice(Math.max(0, at - 44), at).trimEnd()
    const after = flat.slice(at + text.length, at + text.length + 44).trimStart()
    if (passages.some(([left, right]) => before.endsWith(left) && after.startsWith(right))) return true
  }
  return false
}

/** First message of the newest ones that together fit the budget. */
function tailFrom(prefix: readonly string[], budget: number): number {
  let spent = 0
  for (let at = prefix.length - 1; at >= 0; at--) {
    spent += tokensOf(prefix[at] as string)
    if (spent > budget) return at + 1
  }
  return 0
}

/** Share, by characters, of the newest messages that fit 15 % of the budget and stand there word for word. */
function tailKept(prefix: readonly string[], after: string, budget: number): number {
  const from = Math.min(prefix.length - 1, tailFrom(prefix, budget * 0.15))
  let all = 0
  let kept = 0
  for (const text of prefix.slice(from)) {
    if (tokensOf(text) > budget * 0.15) continue
    all += text.length + 1
    if (text.split('\n').every((line) => after.includes(line))) kept += text.length + 1
  }
  return all === 0 ? 1 : kept / all
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
