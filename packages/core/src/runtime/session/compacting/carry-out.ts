import { CompactionError } from '../../../errors.ts'
import { readForFingerprint } from '../../../history/fingerprint.ts'
import { isForgotten } from '../../../state/forgotten.ts'
import { errorName } from '../../platform/error-name.ts'
import { inSlices } from '../../platform/slices.ts'
import { traced, traceOf } from '../../telemetry/trace.ts'
import type { Planned } from '../deciding/decide.ts'
import { summaryWindow } from '../measuring/measure.ts'
import type { Memory } from '../memory.ts'
import type { Read } from '../read.ts'
import type { SessionParts } from '../session-parts.ts'
import type { ModelCall } from '../session-types.ts'
import { isForPerson } from '../summarizing/asked-by.ts'
import type { Step } from '../summarizing/execute.ts'
import { begun, ended } from './breaking.ts'
import { patiently } from './patiently.ts'

export const notArchived = 'the transcript could not be archived; the history itself is untouched'

/** What a plan came to, and whether the untouched transcript is on record (true where there is nothing to record). */
export interface CarriedOut {
  readonly step: Step
  readonly recorded: boolean
}

/**
 * Does what a plan wants: archives the transcript and asks for the summary. The checkpoint that this gives is not part of the state yet: see `commit`.
 * @param isWaitedFor - A request waits for it: if its caller gives up, so does the summary.
 * @throws CompactionError when the context takes the place of the history and the archive did not take it; the abort reason of `call.signal`.
 */
export async function carryOut<M>(
  parts: SessionParts<M>,
  memory: Memory<M>,
  found: Read<M>,
  { plan, input }: Planned,
  call: ModelCall,
  isWaitedFor = true,
): Promise<CarriedOut> {
  await inSlices(readForFingerprint(found.messages), call.signal)
  const recorded = (plan.summary === undefined && call.replaces !== true) || (await archived(parts, memory, found, call))
  const summarizer = isForPerson(plan, input) ? parts.fullSummarizer : parts.summarizer
  const writer = summarizer === parts.summarizer ? 'usual' : 'full'
  const isAsked = plan.summary?.author === 'model'
  if (isAsked) begun(parts.breakers, writer, parts.clock.now())
  const { executePlan, ridden } = await import('../summarizing/execute.ts')
  const work = executePlan(plan, input, parts, {
    session: parts.id,
    signal: call.signal,
    deadline: isWaitedFor ? call.deadline : undefined,
    summarizer,
    window: summaryWindow(parts, memory, plan, found.messages, call),
    ...ridden(parts, found, input, plan),
  })
  const step = await (isAsked && isWaitedFor ? patiently(parts, writer, work, call.signal) : work)
  if (step.failed !== undefined && step.hurried !== true) ended(parts.breakers, writer, step.failed, parts.clock.now())
  parts.emitter.emit(parts.id, step.events)
  return { step, recorded }
}

/** As `carryOut`, in a span of its own that ends with the summary: for work that no request waits for. */
export function carryOutAhead<M>(parts: SessionParts<M>, memory: Memory<M>, found: Read<M>, planned: Planned, call: ModelCall): Promise<CarriedOut> {
  return traced(parts)(traceOf(planned.plan, found.messages), () => carryOut(parts, memory, found, planned, call, false))
}

/** The untouched transcript goes on record before anything leaves the context. */
export async function archived<M>(
  parts: SessionParts<M>,
  { state }: Memory<M>,
  { source, messages }: Read<M>,
  { signal, replaces }: ModelCall,
): Promise<boolean> {
  if (isForgotten(state, messages)) return true // somebody had it deleted
  try {
    const { archive, effects } = parts
    if (archive) await effects.wait('archive', (either) => archive.saveTranscript(parts.id, source, messages, either, parts.redaction), signal)
    return true
  } catch (error) {
    signal?.throwIfAborted()
    parts.emit('compact.archive_failed', 'warning', { what: 'transcript', reason: errorName(error) })
    if (replaces === true) throw new CompactionError('the transcript could not be archived, and nothing else would hold it')
    return false
  }
}
