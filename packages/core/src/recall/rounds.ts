import { fingerprint } from '../history/fingerprint.ts'
import type { Message, Tokens } from '../history/message.ts'

/** Rounds of one model call that are answered. */
const mostRounds = 2
/** Tokens of what the look-ups of one round show. */
const mostShown = 4_000
const leastShown = 300
/** Rounds of other histories, and of other checkpoints, that are remembered under one name. */
const mostKept = 20

/** Whether another round is begun: two at most, and none after half of the time that the caller is known to have. Milliseconds. */
export function mayLookUp({
  rounds,
  elapsed,
  deadline,
}: {
  readonly rounds: number
  readonly elapsed: number
  readonly deadline?: number | undefined
}): boolean {
  return rounds < mostRounds && (deadline === undefined || elapsed < deadline / 2)
}

/**
 * How many look-ups of one round are answered, one at least, and Tokens for each:
 *
 *     all = min(4,000, half of what is free of the budget), at least 300
 *     answered = all ÷ 300, each = all ÷ answered
 */
export function roomForLookUps({ budget, used, lookUps }: { readonly budget: Tokens | null; readonly used: Tokens; readonly lookUps: number }): {
  readonly answered: number
  readonly each: Tokens
} {
  const all = Math.max(leastShown, budget === null ? mostShown : Math.min(mostShown, (budget - used) / 2))
  const answered = Math.max(1, Math.min(lookUps, Math.floor(all / leastShown)))
  return { answered, each: Math.floor(all / answered) }
}

/** Calls of one reply. `ours` alone: the next round follows. Beside calls of the agent: those are returned, ours is answered with the next request. */
export function splitCalls<C>(
  calls: readonly C[],
  isOurs: (call: C) => boolean,
): { readonly ours: readonly C[]; readonly theirs: readonly C[]; readonly next: 'return' | 'round' | 'beside' } {
  const ours = calls.filter(isOurs)
  const theirs = calls.filter((call) => !isOurs(call))
  return { ours, theirs, next: ours.length === 0 ? 'return' : theirs.length === 0 ? 'round' : 'beside' }
}

/** Where a round was asked for, and how long it is shown. */
export interface RoundPlace {
  /** Messages of the history that stood before it. */
  readonly after: number
  /** `fingerprint` of those: in another history it is not shown. */
  readonly mark: string
  /** The checkpoint of its request: with the next compaction it goes. */
  readonly checkpoint: string | undefined
}

/** What came back with a message of a user, without being looked up: it stands before that, the last of those in front of its place. */
export interface BroughtBack extends RoundPlace {
  /** Empty: nothing was found. */
  readonly text: string
  readonly tokens: Tokens
  /** It is the first part of that message: roles have to alternate. */
  readonly joined: boolean
}

/** The place of a round that is asked for behind a whole history. */
export function roundPlace(history: readonly Message[], checkpoint: string | undefined): RoundPlace {
  return { after: history.length, mark: fingerprint(history), checkpoint }
}

/** Rounds that were asked for in this history: conversations that begin alike are remembered under one name. */
export function ownRounds<R extends RoundPlace>(rounds: readonly R[], history: readonly Message[]): readonly R[] {
  return rounds.filter((round) => round.after <= history.length && round.mark === fingerprint(history, round.after))
}

/**
 * What a context with this checkpoint shows of the rounds, and what is remembered on: another compaction, and what was asked for before it is gone from the
 * context; rounds of other histories wait for theirs.
 *
 * @param held - Checkpoints that a request may still be shown: a smaller window has one of its own.
 */
export function shownRounds<R extends RoundPlace>(
  rounds: readonly R[],
  history: readonly Message[],
  checkpoint: string | undefined,
  held: readonly (string | undefined)[] = [],
): { readonly shown: readonly R[]; readonly kept: readonly R[] } {
  const own = ownRounds(rounds, history)
  const shown = own.filter((round) => round.checkpoint === checkpoint)
  const waiting = rounds.filter((round) => !own.includes(round) || (round.checkpoint !== checkpoint && held.includes(round.checkpoint)))
  return { shown, kept: [...waiting.slice(-mostKept), ...shown] }
}

/** A round and the index in the context at which its history goes on: it stands before that. */
export interface PlacedRound<R> {
  readonly round: R
  readonly at: number
}

/**
 * Where rounds stand in a context: before the message of the history that followed them, in order. What is shown in other words is found by counting from the
 * end; where that does not agree with the rest a round is left out, since a round at the wrong place is an invalid request.
 */
export function placeRounds<R extends RoundPlace, M>(
  rounds: readonly R[],
  history: readonly M[],
  context: readonly M[],
  roleOf: (message: M) => string,
): readonly PlacedRound<R>[] {
  if (rounds.length === 0) return []
  const [places, own] = [new Map(context.map((message, at) => [message, at])), new Set(history)]
  return rounds
    .flatMap((round) => {
      const behind = history.slice(round.after)
      const counted = context.length - behind.length
      // A late result takes its call along: who stands behind is no longer who came behind.
      const at = places.get(behind[0] as M) ?? counted
      const agrees = (message: M, index: number): boolean => {
        const shown = context[counted + index] as M
        return shown === message || (!places.has(message) && !own.has(shown) && roleOf(shown) === roleOf(message))
      }
      return at > 0 && (at !== counted || behind.every(agrees)) ? [{ round, at }] : []
    })
    .sort((a, b) => a.at - b.at)
}

/** Indices of the messages that a context does not show as they are, by object identity: those that left, and those that are shown in other words. */
export function leftMessages<M>(history: readonly M[], context: readonly M[]): ReadonlySet<number> {
  const shown = new Set(context)
  return new Set(history.flatMap((message, number) => (shown.has(message) ? [] : [number])))
}
