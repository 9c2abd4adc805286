import type { Message } from '../../../history/message.ts'
import { sameValue } from '../../../history/same-value.ts'
import { isForLess } from '../../../plan/fitting-checkpoint.ts'
import type { Checkpoint } from '../../../state/checkpoint.ts'
import { isForgotten } from '../../../state/forgotten.ts'
import { withCheckpoint } from '../../../state/grown.ts'
import { placedOn } from '../../../state/placed.ts'
import { type CompactionState, withoutRewound, withPending } from '../../../state/state.ts'
import { type Memory, withState } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import type { Step } from '../summarizing/execute.ts'
import { type Committed, committed, rejected } from './committed.ts'
import { deletedHere, takenBack } from './deleted-here.ts'
import { loaded } from './load.ts'

/** Writers that may be faster, one after another: of conversations that begin alike many may store at once what takes nothing from this one. */
const mostTries = 20
/** Times that a storage may refuse a write while nothing there changes: another write may be under way. Then it is no other writer: versions that never match, say. */
const mostRefused = 3

/**
 * Another process stored something while a checkpoint was made. It goes on top of that, unless what was stored speaks for the same messages, as well as this
 * does, or took back what this one builds on; a request that came meanwhile waits for the next call. Otherwise the state of the other one is the memory.
 */
export async function afterConflict<M>(parts: SessionParts<M>, memory: Memory<M>, step: Step, messages: readonly Message[]): Promise<Committed<M>> {
  const { state } = memory
  const { checkpoint } = step
  let before: CompactionState | undefined
  for (let [tries, refused] = [0, 1]; ; tries++) {
    const stored = await loaded(parts, memory)
    refused = sameValue(stored, before) ? refused + 1 : 1
    before = stored
    // What was taken back here may not have reached the storage.
    const found = withoutRewound(deletedHere(stored, memory, withCheckpoint(state, checkpoint).checkpoints), state.rewound)
    const isDeleted = found.forgotten?.at !== state.forgotten?.at
    // It was deleted while we were at it: what we put on record meanwhile goes too.
    if (isDeleted) await takenBack(parts)
    if (isDeleted || isForgotten(found, messages) || tries === mostTries || !isWanted(step, state, found, messages)) {
      rejected(parts, 'another worker was faster')
      return { memory: withState(memory, { ...found, calibration: state.calibration }), kept: 'conflict' }
    }
    const asked = sameValue(found.pending, state.pending) ? undefined : found.pending
    const next = { ...withPending(withCheckpoint(found, checkpoint), asked), calibration: state.calibration }
    const result = refused === mostRefused ? 'failed' : await parts.store.save(next)
    if (result !== 'conflict') return committed(parts, memory, checkpoint, next, result)
  }
}

/** Whether nothing that is new in a state says that as good a checkpoint is there already, or that this one builds on what was taken back. */
function isWanted({ checkpoint, failed }: Step, before: CompactionState, found: CompactionState, messages: readonly Message[]): boolean {
  const { parent, usable = Infinity } = checkpoint
  if (parent !== undefined && found.rewound?.includes(parent) === true) return false
  const known = new Set(before.checkpoints.map(({ id }) => id))
  return !found.checkpoints.some(
    (one) => !known.has(one.id) && !isForLess(one, usable) && (failed !== false || isOfModel(one, found.checkpoints)) && placedOn(one, messages) !== undefined,
  )
}

/** Whether a model wrote for it: what code makes carries the words on that were there before. */
function isOfModel({ summary, parent }: Checkpoint, checkpoints: readonly Checkpoint[]): boolean {
  const text = summary?.text ?? ''
  return text !== '' && text !== checkpoints.find(({ id }) => id === parent)?.summary?.text
}
