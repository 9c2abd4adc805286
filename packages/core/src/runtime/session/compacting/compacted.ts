import { withoutPassing } from '../../../plan/context.ts'
import { readShownInPieces } from '../../../plan/shorten.ts'
import { isForgotten } from '../../../state/forgotten.ts'
import { inSlices } from '../../platform/slices.ts'
import { traced, traceOf } from '../../telemetry/trace.ts'
import { commit } from '../committing/commit.ts'
import { here } from '../committing/committed.ts'
import type { Planned } from '../deciding/decide.ts'
import { isLeftAlone } from '../deciding/left-alone.ts'
import { inputOf, servedBy } from '../measuring/measure.ts'
import { type Held, isWaiting } from '../memory.ts'
import type { Read } from '../read.ts'
import type { Round } from '../round.ts'
import type { SessionParts } from '../session-parts.ts'
import type { ModelCall, Prepared } from '../session-types.ts'
import { leaseTime, patience } from '../stored/leasing.ts'
import { announceFinished } from './announce-finished.ts'
import { carryOut, notArchived } from './carry-out.ts'
import { handOut, warningsOf } from './hand-out.ts'
import { replacedBy } from './replaced-by.ts'

const leftAlone = 'the model that writes summaries is left alone for now, as it failed or took too long: the record made by code stands in'
const deleted = 'this conversation was deleted: it goes on in this process only, and nothing of it is stored'

/**
 * What a request waits for when something is to be done: the plan carried out, its checkpoint committed, the context handed out.
 * @returns undefined when another process was faster, and its state is the memory now.
 */
export function compacted<M>(
  parts: SessionParts<M>,
  held: Held<M>,
  found: Read<M>,
  planned: Planned,
  call: ModelCall,
  { started, away, yielding }: { readonly started: number; readonly away: Round['away']; readonly yielding: boolean },
): Promise<Prepared<M> | undefined> {
  const { plan, input } = planned
  const elsewhere = away === 'elsewhere'
  return traced(parts)(traceOf(plan, found.messages), async (done) => {
    const { step, recorded } = await carryOut(parts, held.memory, found, planned, call)
    const now = parts.clock.now()
    // Only a record made by code stands in for another process's summary: what a model wrote is as good as that one.
    const isWaited = elsewhere ? step.failed !== false : step.failed === undefined && isWaiting(held.memory, now)
    const standsIn = isWaited && !isForgotten(held.memory.state, found.messages)
    const { memory, kept } = standsIn
      ? here(held.memory, step, elsewhere ? now + leaseTime(parts.policy) : held.memory.unstored?.until)
      : await commit(parts, held.memory, step, found.messages, yielding)
    held.memory = memory
    if (kept === 'conflict') {
      // The summary of a model is thrown away here. A receipt of its own says what it cost.
      if (step.failed !== undefined) (await import('./compact-ahead.ts')).reportApart(parts, planned, { step, recorded }, started)
      return undefined
    }
    const isAlone = isLeftAlone(planned) && !elsewhere
    const outcome = isAlone && step.outcome === 'summarized' ? 'degraded' : step.outcome
    const warnings = [
      ...(await warningsOf(planned, held.memory)),
      ...step.warnings,
      ...(elsewhere && standsIn
        ? [`another process was still writing the summary after ${patience} ms: until it is stored, the record made by code stands in`]
        : []),
      ...(isAlone && away !== 'cut' ? [leftAlone] : []),
      ...(plan.summary && !input.checkpoint ? (await import('../reading/changed-beginning.ts')).changedBeginning(parts.id, found.messages) : []),
      ...(kept === 'deleted' ? [deleted] : []),
      ...(kept === 'here' && !standsIn ? ['the checkpoint could not be stored; it holds in this process only'] : []),
      ...(recorded ? [] : [notArchived]),
    ]
    const after = { plan, input: withoutPassing(inputOf(parts, memory, found.messages, call, { reference: input.reference })) }
    await inSlices(readShownInPieces(after.input))
    const handed = handOut(parts, memory, found, after, { outcome, warnings, started, step, replaced: replacedBy(plan, after.input) }, servedBy(call))
    held.memory = handed.memory
    const { messages, report } = handed.prepared
    announceFinished(parts, report, after.input)
    const { tokens, spent } = report
    done({ outcome: report.outcome, tokens_after: tokens.after, messages_after: messages.length, summary_prompt: spent.prompt, summary_reply: spent.reply })
    return handed.prepared
  })
}
