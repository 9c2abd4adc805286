import type { Message } from '../../../history/message.ts'
import { isForLess } from '../../../plan/fitting-checkpoint.ts'
import { paysOff, planInPieces } from '../../../plan/plan.ts'
import { measureContext } from '../../../plan/shorten.ts'
import { isForgotten } from '../../../state/forgotten.ts'
import { newestValid, placedOn } from '../../../state/placed.ts'
import { inSlices } from '../../platform/slices.ts'
import { commit } from '../committing/commit.ts'
import { rejected } from '../committing/committed.ts'
import { foundAgain } from '../committing/found-again.ts'
import { laidOnCut } from '../committing/laid-on-cut.ts'
import { takenOver } from '../committing/take-over.ts'
import { decide, type Planned } from '../deciding/decide.ts'
import { isLeftAlone } from '../deciding/left-alone.ts'
import { inputOf, type Request } from '../measuring/measure.ts'
import type { Held } from '../memory.ts'
import { type Read, read } from '../read.ts'
import { isCutEachTime } from '../reading/cut-each-time.ts'
import type { SessionParts } from '../session-parts.ts'
import type { ModelCall } from '../session-types.ts'
import { leaseTime, leasing } from '../stored/leasing.ts'
import type { MadeAhead } from '../summarizing/background.ts'
import type { Step } from '../summarizing/execute.ts'
import { announceFinished } from './announce-finished.ts'
import { type CarriedOut, carryOutAhead, notArchived } from './carry-out.ts'
import { receipt } from './hand-out.ts'
import { replacedBy } from './replaced-by.ts'

/** The work of a job, in whichever process: the summary that a session will need soon, stored for all. */
export async function compactAhead<M>(
  parts: SessionParts<M>,
  held: Held<M>,
  history: readonly M[],
  call: ModelCall,
): Promise<'done' | 'nothing' | 'busy' | 'stale' | 'failed'> {
  held.memory = (await takenOver(parts, held.memory)) ?? held.memory
  const found = read(parts, history)
  // Nothing could be stored for it: nobody is paid, and no text of it is sent.
  if (isForgotten(held.memory.state, found.messages)) return 'stale'
  await foundAgain(parts, held, found.messages, false)
  const { decision } = await inSlices(planInPieces(inputOf(parts, held.memory, found.messages, call)), call.signal)
  if (decision.reason !== 'soft' && (decision.action === 'none' || decision.action === 'infeasible')) return 'nothing'
  const lease = await leasing(parts).take(parts.id, found.messages, leaseTime(parts.policy), true)
  if (typeof lease !== 'object') return 'busy'
  try {
    // Between the look and the lease somebody may have finished.
    const taken = await takenOver(parts, held.memory)
    if (taken !== undefined) {
      held.memory = taken
      return 'stale'
    }
    const planned = await decide(parts, held.memory, found.messages, call, { asked: 'background' })
    if (planned.plan.summary === undefined) return 'nothing'
    // A record in its place is for those who are in need.
    if (isLeftAlone(planned)) return 'failed'
    const step = await written(parts, held, found, planned, call)
    if (step.failed === true) return 'failed'
    const { memory, kept } = await commit(parts, held.memory, step, found.messages, true)
    held.memory = memory
    return kept === 'saved' ? 'done' : 'stale'
  } finally {
    await lease.release()
  }
}

/** The work of this process beside the agent; undefined where it does not pay, another process is at it or was faster, or no model wrote it. */
export async function summaryAhead<M>(
  parts: SessionParts<M>,
  held: Held<M>,
  history: readonly M[],
  call: ModelCall,
  request?: () => Request,
): Promise<MadeAhead | undefined> {
  await parts.ready()
  const found = read(parts, history)
  const planned = await decide(parts, held.memory, found.messages, call, { ...request?.(), asked: 'background' })
  if (planned.plan.summary === undefined || isLeftAlone(planned) || !paysOff(planned.plan, planned.input)) return undefined
  if (planned.input.checkpoint === undefined && isCutEachTime(parts.id, found.messages)) return undefined
  const lease = await leasing(parts).take(parts.id, found.messages, leaseTime(parts.policy))
  if (typeof lease !== 'object') return undefined
  let made: MadeAhead | undefined
  try {
    // Between the look and the lease somebody may have finished.
    const step = (await parts.store.isBehind()) ? undefined : await written(parts, held, found, planned, call)
    // Nobody is in need yet: what a model failed to write is not adopted.
    if (step !== undefined && step.failed !== true) {
      parts.emit('compact.background_ready', 'info', { checkpoint: step.checkpoint.id, covered: step.checkpoint.covered })
      made = { step, messages: found.messages, lease }
    }
    return made
  } finally {
    if (made === undefined) await lease.release()
  }
}

/** Takes over what was prepared in the background, if the history that it covers and the checkpoint that it follows are still the same. */
export async function adopt<M>(parts: SessionParts<M>, held: Held<M>, made: MadeAhead, messages: readonly Message[] = made.messages): Promise<boolean> {
  const { step, lease } = made
  const { checkpoint } = step
  try {
    // The host may have cut more of its beginning meanwhile.
    laidOnCut(parts, [...held.memory.state.checkpoints, checkpoint], messages)
    const alike = held.memory.state.checkpoints.filter((one) => !isForLess(one, checkpoint.usable ?? Infinity))
    if (placedOn(checkpoint, messages) === undefined || newestValid(alike, messages)?.id !== checkpoint.parent) {
      rejected(parts, 'the history changed while the summary was written')
      return false
    }
    const { memory, kept } = await commit(parts, held.memory, step, messages, true)
    held.memory = memory
    return kept !== 'conflict'
  } finally {
    await lease.release()
  }
}

/** The summary that a plan asks for, with a receipt of its own: the request that adopts it later only shows it. */
async function written<M>(parts: SessionParts<M>, held: Held<M>, found: Read<M>, planned: Planned, call: ModelCall): Promise<Step> {
  const started = parts.clock.now()
  const carried = await carryOutAhead(parts, held.memory, found, planned, call)
  reportApart(parts, planned, carried, started)
  return carried.step
}

/** A receipt of what no request shows, or none yet. */
export function reportApart<M>(parts: SessionParts<M>, { plan, input }: Planned, { step, recorded }: CarriedOut, started: number): void {
  const warnings = [...plan.warnings, ...step.warnings, ...(recorded ? [] : [notArchived])]
  const after = { plan, input: { ...input, checkpoint: step.checkpoint } }
  const report = receipt(parts, after, measureContext(after.input), { outcome: step.outcome, warnings, started, step, replaced: replacedBy(plan, after.input) })
  announceFinished(parts, report, after.input)
  parts.report(report)
}
