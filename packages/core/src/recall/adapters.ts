import { builtInEstimator } from '../budget/estimate.ts'
import { jsonText } from '../history/json.ts'
import { memoized } from '../history/memoize.ts'
import type { Message, Tokens } from '../history/message.ts'
import { hexOf, sha256 } from '../history/sha256.ts'
import { sumOf } from '../history/sum-of.ts'
import type { Overhead } from '../plan/context.ts'
import type { Checkpoint } from '../state/checkpoint.ts'
import { isUnnamed } from '../state/keys.ts'
import { placedOn } from '../state/placed.ts'
import type { CompactionState } from '../state/state.ts'
import { recallTool } from './recall-tool.ts'
import { type BroughtBack, ownRounds, type RoundPlace } from './rounds.ts'

type Weighed = Pick<BroughtBack, 'tokens'>

/** What is remembered of the look-ups of one conversation, in memory only. `R`: one call's rounds, as its framework has them. */
export interface RememberedLookUps<R> {
  /** Our tool stood in the list: once there it stays. */
  offered: boolean
  rounds: readonly R[]
  passages: readonly BroughtBack[]
  /** The checkpoint of the newest request: what it shows of them is counted with the next. */
  checkpoint?: string | undefined
}

/** A conversation by its session's id, and the one that it had while it said less. */
export interface KnownConversation {
  readonly id: string
  readonly earlier?: string | undefined
}

/** Conversations by their session, and models that refused our tool. Bounded: what was used least lately goes. */
export interface RecallMemory<R> {
  of(conversation: KnownConversation): RememberedLookUps<R>
  refuse(model: string): void
  refuses(model: string): boolean
}

/** Conversations, and models, that are kept in mind. */
const most = 1_000
/** Tokens of all their look-ups together: about as much text as conversations without a storage keep. */
const mostTokens: Tokens = 4_000_000
/** Models of one storage whose look-ups are. */
const mostWrapped = 100

/** What is remembered beside a storage, by what else tells one wrapped model from another. */
const beside = new WeakMap<object, Map<string, RecallMemory<Weighed>>>()

/**
 * Hosts wrap a model anew for each request: in one process, what has the same storage and is wrapped alike remembers together. Without a storage it is alone.
 *
 * @param wrapped - What tells one from another: the kind of seam, the model and where it is served.
 */
export function sharedRecallMemory<R extends Weighed>(storage: object | undefined, ...wrapped: readonly unknown[]): RecallMemory<R> {
  if (storage === undefined) return createRecallMemory()
  const known = memoized(beside, storage, () => new Map<string, RecallMemory<Weighed>>())
  const memory = memoized(known, jsonText(wrapped), createRecallMemory)
  if (known.size > mostWrapped) known.delete(known.keys().next().value as string)
  return memory as RecallMemory<R>
}

const tokensOf = ({ rounds, passages }: RememberedLookUps<Weighed>): Tokens => sumOf([...rounds, ...passages], ({ tokens }) => tokens)

export function createRecallMemory<R extends Weighed>(): RecallMemory<R> {
  const conversations = new Map<string, RememberedLookUps<R>>()
  const refused = new Set<string>()
  return {
    of({ id, earlier = '' }) {
      const found = conversations.get(id) ?? { offered: false, rounds: [], passages: [], ...conversations.get(earlier) }
      conversations.delete(id)
      conversations.set(id, found)
      let tokens = sumOf(conversations.values(), tokensOf)
      for (const [oldest, one] of conversations) {
        if (oldest === id || (conversations.size <= most && tokens <= mostTokens)) break
        tokens -= tokensOf(one)
        conversations.delete(oldest)
      }
      return found
    },
    refuse(model) {
      if (refused.size >= most) refused.clear()
      refused.add(model)
    },
    refuses: (model) => refused.has(model),
  }
}

/** A time of day, or a date. */
const clocks = /\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?|\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}/g

/**
 * Keeps the look-ups of a conversation without a name apart by its instructions. Two people may have said the same so far, and what a model looks up may repeat what
 * the instructions say about one of them. Dates and times in the instructions are ignored, as many hosts write the current time there.
 */
export function recallUnder<R>(memory: RecallMemory<R>, ...instructions: readonly unknown[]): RecallMemory<R> {
  let told: string | undefined
  const under = (id: string): string => {
    if (!isUnnamed(id)) return id
    told ??= hexOf(sha256(jsonText(instructions).replace(clocks, '')))
    return `${id} ${told}`
  }
  return { ...memory, of: ({ id, earlier }) => memory.of({ id: under(id), earlier: earlier && under(earlier) }) }
}

/** What one call of our tool finds: a text for the model. */
export type LookUp = (input: unknown) => Promise<string>

/** Look-ups of one wrapped model, or provider, that wait for the agent's own tool. */
const mostWaiting = 200
const owners = new WeakMap<object, Map<string, LookUp | undefined>>()

/** The look-up behind one call, once; undefined where it was not made through this owner, or where calls of two requests have the same id. */
export function lookUpOf(owner: object, callId: string): LookUp | undefined {
  const waiting = owners.get(owner)
  const found = waiting?.get(callId)
  waiting?.delete(callId)
  return found
}

/** The agent will answer this call, from the history that stood behind it. Some servers number the calls of each conversation anew: of two that wait, nobody knows which is meant. */
export function awaitLookUp(owner: object, callId: string, lookUp: LookUp): void {
  const waiting = owners.get(owner) ?? new Map<string, LookUp | undefined>()
  owners.set(owner, waiting)
  if (waiting.size >= mostWaiting) waiting.delete(waiting.keys().next().value as string)
  waiting.set(callId, waiting.has(callId) ? undefined : lookUp)
}

/** What stands behind the answer of the last round, and in the place of an answer once there were too many. */
export const lastLookUp = '\n\n[This was the last look-up of this step.]'
export const noMoreLookUps = 'No more look-ups in this step. Go on with what you have.'

/** Uncalibrated Tokens of the definition of our tool. */
const recallToolTokens: Tokens = /* @__PURE__ */ builtInEstimator.count(/* @__PURE__ */ JSON.stringify(recallTool))

/** Stands between the words of two rounds where nothing else does. */
const paragraph = '\n\n'

/** Words of a later round begin a paragraph of their own: frameworks append the texts of one reply to each other. Returns what a piece of text is shown as. */
export function createParagraphs(): (text: string, round: number) => string {
  let [end, newest] = ['', 0]
  return (text, round) => {
    if (text === '') return text
    const parted = round > newest && /\S$/.test(end) && /^\S/.test(text)
    ;[end, newest] = [text.slice(-1), round]
    return parted ? paragraph + text : text
  }
}

/** What the model itself said of a text that may begin a paragraph by us. */
export const withoutParagraph = (text: string): string => (text.startsWith(paragraph) ? text.slice(paragraph.length) : text)

/** What a request carries besides its history, with our tool, its rounds and what came back unasked: those of before that are still shown, and `current`, the uncalibrated Tokens of this call's. */
export function withLookUps<R extends RoundPlace & { readonly tokens: Tokens }>(
  overhead: Partial<Overhead> = {},
  remembered: RememberedLookUps<R>,
  history: () => readonly Message[],
  current: Tokens = 0,
): Partial<Overhead> {
  const { offered, checkpoint } = remembered
  const { tools = 0, memory = 0 } = overhead
  const all = remembers(remembered).filter((round) => round.checkpoint === checkpoint)
  const own = all.length > 0 ? ownRounds(all, history()) : []
  const kept = sumOf(own, ({ tokens }) => tokens)
  return {
    ...overhead,
    // A call without tools is not offered ours.
    tools: tools + (tools && offered ? recallToolTokens : 0),
    memory: memory + kept + current,
    passing: kept,
  }
}

/** What later requests may show. Where that is nothing, no history has to be read for it. */
export function remembers<R extends RoundPlace>({ offered, rounds, passages }: RememberedLookUps<R>): readonly (R | BroughtBack)[] {
  return [...(offered ? rounds : []), ...passages.filter(({ text }) => text !== '')]
}

/** `restAfter` where every call has the whole history. Reading 200,000 characters again takes a few milliseconds. */
export const restAfter = 60_000

/** Of a state that a host carries itself, what applies to this history: the newest checkpoint, and of older ones those that a larger window would still be shown. Oldest first. */
export function checkpointsToCarry({ checkpoints }: CompactionState, messages: readonly Message[]): readonly Checkpoint[] {
  const carried: Checkpoint[] = []
  let largest = 0
  for (const one of checkpoints.toReversed()) {
    const { usable = Infinity } = one
    if (usable <= largest * 2 || placedOn(one, messages) === undefined) continue
    carried.unshift(one)
    largest = Math.max(largest, usable)
  }
  return carried
}
