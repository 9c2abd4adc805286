import { fingerprint, placeOf } from '../history/fingerprint.ts'
import { instructs, type Message, textLength } from '../history/message.ts'
import type { Checkpoint } from './checkpoint.ts'
import { type CompactionState, initialState } from './state.ts'

/** Milliseconds for which a deletion is remembered: longer than a process holds a conversation that it does not use. */
export const forgottenLife: number = 7 * 86_400_000

/** Fingerprints that are remembered of one deletion. */
const mostSaid = 256

/** Beginnings that are remembered of one history besides the whole. */
const mostBeginnings = 3

/** Nothing at all: every history begins with it. */
export const nothingSaid: string = fingerprint([])

/** What a conversation leaves when it is deleted. Processes of before read it as a state in which nothing is compacted yet. */
export function forgottenState(at: number, said: readonly string[]): CompactionState {
  return { ...initialState, forgotten: { at, said: distinct(said) } }
}

/**
 * What a history is known by once it is deleted: the whole, and where it holds half of what was said at least, what stands before the newest words of the user.
 * Hosts change those from call to call: a clock, a reminder, a list of what is left to do.
 */
export function marksOf(messages: readonly Message[]): readonly string[] {
  const ends: { readonly at: number; readonly before: number }[] = []
  let said = 0
  for (const [at, message] of messages.entries()) {
    if (message.role === 'user' && messages[at - 1]?.role !== 'user') ends.push({ at, before: said })
    if (!instructs(message)) said += textLength(message)
  }
  const newest = ends.filter(({ before }) => before * 2 >= said).slice(-mostBeginnings)
  return [...newest, { at: messages.length }].map(({ at }) => fingerprint(messages, at))
}

/** Whether a history goes on from what was deleted. */
export function isForgotten({ forgotten }: CompactionState, messages: readonly Message[]): boolean {
  return forgotten?.said.some((mark) => placeOf(messages, mark) >= 0) ?? false
}

/** The state of a process that finds its conversation deleted: what it held itself is not stored again either. */
export function alsoForgotten(state: CompactionState, said: readonly string[]): CompactionState {
  const { forgotten } = state
  return forgotten ? { ...state, forgotten: { ...forgotten, said: distinct([...forgotten.said, ...said]) } } : state
}

/** What of a state may be stored: no checkpoint of what was deleted, and the deletion itself only while it is remembered. */
export function storable(state: CompactionState, now: number): CompactionState {
  const { forgotten, ...rest } = state
  if (!forgotten) return state
  const said = new Set(forgotten.said)
  const checkpoints = state.checkpoints.filter((checkpoint) => !said.has(checkpoint.fingerprint))
  return { ...rest, checkpoints, ...(now - forgotten.at < forgottenLife && { forgotten }) }
}

/** Nothing but the note of a deletion. */
export function isTombstone({ forgotten, checkpoints, pending }: CompactionState): boolean {
  return forgotten !== undefined && checkpoints.length === 0 && pending === undefined
}

/** What the checkpoints of a state cover. */
export function fingerprintsOf(checkpoints: readonly Checkpoint[]): readonly string[] {
  return checkpoints.map((checkpoint) => checkpoint.fingerprint)
}

function distinct(said: readonly string[]): readonly string[] {
  return [...new Set(said)].filter((mark) => mark !== nothingSaid).slice(-mostSaid)
}
