// The definition of the replay: what a policy costs against what it remembers. Knows texts and nothing of the library, so that it measures others as well.
import { contains, entitiesOf } from './names.ts'
import { beginsReply, isCall, type Said } from './said.ts'

/** Prices relative to one uncached prompt token. What is new costs more, because it is written into the cache. */
const price = { cached: 0.1, fresh: 1.25, output: 5, summaryInput: 1, summaryOutput: 5 }
/** Shortest beginning of a prompt that providers cache, in tokens. */
const leastCached = 1_024
/** Names count as remembered things when they were last seen more than this share of the window ago. */
const farShare = 0.25

/** Tokens of one message's text. */
export type Ruler = (text: string) => number

/** The ruler of the metric, for everybody alike: characters ÷ 4, plus 4 a message. */
export const tokensOf: Ruler = (text) => Math.ceil(text.length / 4) + 4

/** What a policy sends for the history so far; it grows by the session's own messages from call to call. */
export type Replayer = (history: readonly Said[], window: number) => Promise<Sent> | Sent

export interface Sent {
  readonly texts: readonly string[]
  /** Calls without an answer and answers without a call. */
  readonly unpaired?: number
  /** Tokens of summary calls made on the way. */
  readonly summary?: { readonly input: number; readonly output: number }
  /** The call cannot be made: why. Nothing is sent. */
  readonly stopped?: string
}

/** One call of the model, as a policy would have made it. */
export interface ReplayedCall {
  /** Position of the model's message in the history, the first of its reply. */
  readonly index: number
  /** Tokens of the prompt, and of them those that the prompt cache still has: the longest beginning shared with the prompt before. */
  readonly tokens: number
  readonly cached: number
  /** Of prompt, reply and summaries, in prices of an uncached prompt token. */
  readonly cost: number
  /** Names in the model's message that were last seen more than a quarter of the window before, and how many of them stood in the prompt. */
  readonly far: readonly string[]
  readonly recalled: number
  /** The prompt does not begin with the one before. */
  readonly rewritten: boolean
  readonly invalid: boolean
  /** More than the window. */
  readonly over: boolean
  readonly stopped?: string
}

/** Asks a policy for a prompt before each reply of the model but a first one, as an agent would have. Nothing is sent anywhere. */
export async function replay(history: readonly Said[], window: number, replayer: Replayer, ruler: Ruler = tokensOf): Promise<readonly ReplayedCall[]> {
  const calls: ReplayedCall[] = []
  const lastSeen = new Map<string, number>()
  let position = 0
  let before: readonly string[] = []
  for (const [index, message] of history.entries()) {
    if (isCall(message, index)) {
      const { texts, unpaired = 0, summary, stopped } = await replayer(history.slice(0, index), window)
      const tokens = texts.reduce((sum, one) => sum + ruler(one), 0)
      const { shared, whole } = sharedBeginning(before, texts)
      // Characters ÷ 4, or the part of the prompt's own tokens where a tokenizer is the ruler.
      const common = Math.floor(shared * (ruler === tokensOf ? 1 / 4 : tokens / Math.max(1, joinedLength(texts))))
      const cached = common >= leastCached ? Math.min(common, tokens) : 0
      const reply = replyAt(history, index)
      const far = [...entitiesOf(reply).keys()].filter((name) => position - (lastSeen.get(name) ?? position) > window * farShare)
      calls.push({
        index,
        tokens,
        cached,
        cost:
          cached * price.cached +
          (tokens - cached) * price.fresh +
          ruler(reply) * price.output +
          (summary === undefined ? 0 : summary.input * price.summaryInput + summary.output * price.summaryOutput),
        far,
        recalled: far.filter((name) => texts.some((one) => contains(one, name))).length,
        rewritten: !whole,
        invalid: unpaired > 0,
        over: tokens > window,
        ...(stopped !== undefined && { stopped }),
      })
      before = texts
    }
    for (const name of entitiesOf(message.text).keys()) lastSeen.set(name, position)
    position += ruler(message.text)
  }
  return calls
}

/** All that the model said in the reply that begins here. */
function replyAt(history: readonly Said[], index: number): string {
  const rest = history.slice(index + 1)
  const end = rest.findIndex(beginsReply)
  const more = rest.slice(0, end < 0 ? undefined : end).filter(({ continues }) => continues)
  return [history[index] as Said, ...more].map(({ text }) => text).join('\n')
}

/** What stands between the messages of a prompt, where prompts are compared. */
const between = '\n\u0000'

function joinedLength(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0) + between.length * Math.max(0, texts.length - 1)
}

/** Characters that two prompts share at their beginnings; `whole`: all of the first. */
function sharedBeginning(before: readonly string[], texts: readonly string[]): { readonly shared: number; readonly whole: boolean } {
  let same = 0
  while (same < before.length && same < texts.length && before[same] === texts[same]) same++
  const equal = texts.slice(0, same)
  if (same === before.length || same === texts.length) return { shared: joinedLength(equal), whole: same === before.length }
  const [rest, next] = [before.slice(same).join(between), texts.slice(same).join(between)]
  return { shared: joinedLength(equal) + (same > 0 ? between.length : 0) + commonPrefix(rest, next), whole: next.startsWith(rest) }
}

function commonPrefix(a: string, b: string): number {
  let [low, high] = [0, Math.min(a.length, b.length)]
  while (high > low) {
    const middle = (low + high + 1) >> 1
    if (a.slice(low, middle) === b.slice(low, middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** The whole history each time. */
export const everything: Replayer = (history) => ({ texts: history.map(({ text }) => text) })

/** The newest messages that fit the window, however often that rewrites the prompt. */
export function newestThatFit(ruler: Ruler = tokensOf): Replayer {
  return (history, window) => ({ texts: history.slice(tailStart(history, window, ruler)).map(({ text }) => text) })
}

/** Start of the newest messages within a budget: never between a call and its answer, and never none. */
export function tailStart(history: readonly Said[], budget: number, ruler: Ruler = tokensOf): number {
  let spent = 0
  let start = history.length
  for (let at = history.length - 1; at >= 0; at--) {
    spent += ruler(history[at]?.text ?? '')
    if (spent > budget && start < history.length) break
    if (history[at]?.role !== 'tool') start = at
  }
  return start
}

/** Figures of one policy over some sessions. */
export interface ReplayFigures {
  /** Cost of all sessions, and mean over sessions, relative to sending everything each time; 1 where there are none. */
  readonly cost: number
  readonly meanCost: number
  /** Share (0–1) of the far names that were in the prompts: the mean over sessions that have any; null where none has. */
  readonly recall: number | null
  readonly calls: number
  readonly compactions: number
  readonly invalid: number
  readonly over: number
  readonly stopped: number
}

/** @param sessions One after another: the calls under the policy, and the same calls with everything each time. */
export function replayFigures(sessions: readonly { readonly own: readonly ReplayedCall[]; readonly free: readonly ReplayedCall[] }[]): ReplayFigures {
  const all = sessions.flatMap(({ own }) => own)
  const count = (test: (call: ReplayedCall) => boolean): number => all.filter(test).length
  const ratios = sessions.map(({ own, free }) => ratio(costOf(own), costOf(free)))
  const recalls = sessions.map(({ own }) => recallOf(own)).filter((share) => share !== null)
  return {
    cost: ratio(costOf(all), costOf(sessions.flatMap(({ free }) => free))),
    meanCost: mean(ratios) ?? 1,
    recall: mean(recalls),
    calls: all.length,
    compactions: count((call) => call.rewritten),
    invalid: count((call) => call.invalid),
    over: count((call) => call.over),
    stopped: count((call) => call.stopped !== undefined),
  }
}

/** Share (0–1) of the far names of one session that were in its prompts; null where there are none. */
export function recallOf(calls: readonly ReplayedCall[]): number | null {
  const names = calls.reduce((sum, { far }) => sum + far.length, 0)
  return names === 0 ? null : calls.reduce((sum, { recalled }) => sum + recalled, 0) / names
}

export const costOf = (calls: readonly ReplayedCall[]): number => calls.reduce((sum, { cost }) => sum + cost, 0)
const ratio = (own: number, free: number): number => (free === 0 ? 1 : own / free)
const mean = (values: readonly number[]): number | null => (values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length)
