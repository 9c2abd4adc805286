import { identifies, indicesOfSaid } from '../history/digests.ts'
import { fingerprint, placeOf } from '../history/fingerprint.ts'
import { groupMessages } from '../history/groups.ts'
import { instructs, type Message } from '../history/message.ts'
import { sameValue } from '../history/same-value.ts'
import type { Checkpoint, Edit } from './checkpoint.ts'

/**
 * The newest checkpoint that applies to this history: long enough, same content. Older ones remain for rewound and forked histories.
 * A history that went back to just what a checkpoint covers would be shown as a summary and nothing else: such a checkpoint waits until more is there.
 */
export function newestValid(checkpoints: readonly Checkpoint[], messages: readonly Message[]): Checkpoint | undefined {
  return validOn(checkpoints, messages).next().value
}

/** All that apply to this history, newest first. */
export function* validOn(checkpoints: readonly Checkpoint[], messages: readonly Message[]): Generator<Checkpoint, undefined> {
  for (let at = checkpoints.length - 1; at >= 0; at--) {
    const placed = placedOn(checkpoints[at] as Checkpoint, messages)
    if (!placed) continue
    const { covered, length } = placed
    if (covered < messages.length || (covered === messages.length && length <= covered)) yield placed
  }
  return undefined
}

/**
 * A checkpoint as it lies on a history that says what it covers: itself, where the messages stand as they stood, otherwise with its places moved. A host may
 * put its system prompt in or leave it out, drop reasoning and renew ids; what was said still has the same summary. What is pinned by now is shown beside it.
 *
 * @returns undefined when the history does not begin with what the checkpoint covers.
 */
export function placedOn(checkpoint: Checkpoint, messages: readonly Message[]): Checkpoint | undefined {
  const before = lastPlaced.get(checkpoint) ?? checkpoint
  for (const known of [before, checkpoint]) if (isSaidIn(messages, known) && liesAsBefore(known, messages)) return placedAs(known)
  const end = placeOf(messages, checkpoint.fingerprint)
  if (end < 0) return undefined
  return placedAs(withIdsOf(moved(checkpoint, messages, end), messages))

  function placedAs(known: Checkpoint): Checkpoint {
    const placed = withPinned(known, messages)
    lastPlaced.set(checkpoint, placed)
    return placed
  }
}

/** A message may be pinned after it was summarized: from then on it is shown, with the calls and results it belongs to. */
function withPinned(checkpoint: Checkpoint, messages: readonly Message[]): Checkpoint {
  const shown = new Set(checkpoint.kept)
  const isMissing = (index: number): boolean => messages[index]?.protected === true && !shown.has(index)
  const covered = [...Array(checkpoint.covered).keys()]
  if (!covered.some(isMissing)) return checkpoint
  for (const { start, end } of groupMessages(messages.slice(0, checkpoint.covered))) {
    const group = covered.slice(start, end)
    if (group.some(isMissing)) for (const index of group) shown.add(index)
  }
  return { ...checkpoint, kept: covered.filter((index) => shown.has(index)), dropped: checkpoint.dropped.filter((index) => !shown.has(index)) }
}

function isSaidIn(messages: readonly Message[], checkpoint: Checkpoint): boolean {
  return checkpoint.covered <= messages.length && fingerprint(messages, checkpoint.covered) === checkpoint.fingerprint
}

/** What stood where it stands now is the same object: it was counted and rendered. */
export const lastPlaced: WeakMap<Checkpoint, Checkpoint> = new WeakMap()

function liesAsBefore(checkpoint: Checkpoint, messages: readonly Message[]): boolean {
  return sameUnsaid(checkpoint, messages) && checkpoint.edits.every((edit) => idOf(edit, messages) === edit.callId)
}

/** Indices below `covered` of messages that say nothing of a conversation's identity: system prompts, reasoning on its own. */
export function unsaidBefore(messages: readonly Message[], covered: number): readonly number[] {
  const unsaid: number[] = []
  for (let index = 0; index < covered; index++) if (!identifies(messages[index] as Message)) unsaid.push(index)
  return unsaid
}

function sameUnsaid({ unsaid = [], covered }: Checkpoint, messages: readonly Message[]): boolean {
  return sameValue(unsaidBefore(messages, covered), unsaid)
}

function moved(checkpoint: Checkpoint, messages: readonly Message[], end: number): Checkpoint {
  const gone = new Set(checkpoint.unsaid)
  const said = indicesOfSaid(messages.slice(0, end))
  /** Where each message that it covers stands now; what is not said has no place of its own. */
  const places = new Map<number, number>()
  for (let before = 0; before < checkpoint.covered; before++) if (!gone.has(before)) places.set(before, said[places.size] ?? end)
  const kept = new Set(placesOf(checkpoint.kept, places))
  for (let index = end - 1; index >= 0; index--) {
    const message = messages[index] as Message
    // Instructions are always shown; reasoning goes with what it led to.
    if (!identifies(message) && (instructs(message) || kept.has(index + 1))) kept.add(index)
  }
  return {
    ...checkpoint,
    covered: end,
    length: checkpoint.length + end - checkpoint.covered,
    kept: [...kept].sort((a, b) => a - b),
    dropped: placesOf(checkpoint.dropped, places),
    edits: checkpoint.edits.flatMap((edit) => placesOf([edit.index], places).map((index) => ({ ...edit, index }))),
    unsaid: unsaidBefore(messages, end),
  }
}

function placesOf(indices: readonly number[], places: ReadonlyMap<number, number>): readonly number[] {
  return indices.flatMap((index) => places.get(index) ?? [])
}

/** Texts shown in place of others find their call by its id, or by its place among the parts of its message where ids were renewed. */
function idOf({ index, callId, part = 0 }: Edit, messages: readonly Message[]): string | undefined {
  const parts = (messages[index] as Message).parts.filter((one) => one.type === 'tool-call' || one.type === 'tool-result')
  return callId === '' || parts.some((one) => one.callId === callId) ? callId : parts[part]?.callId
}

function withIdsOf(checkpoint: Checkpoint, messages: readonly Message[]): Checkpoint {
  const edits = checkpoint.edits.flatMap((edit) => {
    const callId = idOf(edit, messages)
    return callId === undefined ? [] : [{ ...edit, callId }]
  })
  return { ...checkpoint, edits }
}
