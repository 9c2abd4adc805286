import type { Checkpoint } from '../state/checkpoint.ts'
import { validOn } from '../state/placed.ts'
import { type PlanInput, usableOf } from './context.ts'
import { measureContext } from './shorten.ts'

/**
 * The newest of these checkpoints that fits both what was said and this call's window. Agents of one conversation may have models of very different
 * windows: what was left out for one of 9,000 tokens is not gone for one of 128,000, and its own checkpoint is still the better one.
 *
 * @returns undefined where the whole history is to be shown.
 */
export function fittingCheckpoint(input: PlanInput, checkpoints: readonly Checkpoint[]): Checkpoint | undefined {
  const usable = usableOf(input)
  const suits = (one: Checkpoint): boolean => !isForLess(one, usable) && one.tokens.after <= usable
  const valid = validOn(checkpoints, input.messages)
  const newest = valid.next().value
  if (!newest || suits(newest)) return newest
  const older = [...valid].find(suits)
  // After one for less its own is gone on with, whatever was said since. One too large is cut down where there is no other.
  if (isForLess(newest, usable) === (older !== undefined)) return older ?? newest
  return measureContext({ ...input, checkpoint: older }).total < usable ? older : newest
}

/** Whether a checkpoint was made for a prompt of less than half as many tokens: what it left out would fit. Where nobody knows the window, nothing would. */
export function isForLess({ usable: its = Infinity }: Checkpoint, usable: number): boolean {
  return usable !== Infinity && its * 2 < usable
}
