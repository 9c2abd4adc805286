import { readForFingerprint } from '../../history/fingerprint.ts'
import type { Message } from '../../history/message.ts'
import { forgottenState, isForgotten } from '../../state/forgotten.ts'
import { inSlices } from '../platform/slices.ts'
import { saidBy } from './deleted-here.ts'
import type { Held } from './memory.ts'

/** Histories that a process remembers of one conversation besides that under way. */
const mostLeft = 8

/**
 * Reads what a history says where something is known to compare it with, and notes since when it is held here: since what was handed over before, if it goes
 * on from there. Otherwise it is another one from now on, which is not deleted where that was.
 */
export async function knownSince<M>(held: Held<M>, messages: readonly Message[], now: number, signal?: AbortSignal): Promise<void> {
  const { last, left = [], state } = held.memory
  const isAppended = last !== undefined && last.messages.length > 0 && last.messages.every((message, at) => message === messages[at])
  const isCompared = last !== undefined && !isAppended
  if (isCompared) await inSlices(readForFingerprint(last.messages), signal)
  const before = isCompared ? [...left, { since: last.since, said: saidBy(last) }] : left
  if (isCompared || state.checkpoints.length > 0 || state.forgotten) await inSlices(readForFingerprint(messages), signal)
  const goneOn = isCompared ? before.findLast(({ said }) => isForgotten(forgottenState(0, said), messages)) : last
  held.memory = { ...held.memory, since: goneOn === undefined ? now : goneOn.since, left: before.filter((one) => one !== goneOn).slice(-mostLeft) }
}
