import type { ServedModel } from '../../budget/calibrate.ts'
import type { Measured } from '../../plan/context.ts'
import { providerSideWarnings } from '../../plan/provider-side.ts'
import type { CompactionReport } from '../../plan/report.ts'
import { measureContext } from '../../plan/shorten.ts'
import type { Planned } from './decide.ts'
import type { Step } from './execute.ts'
import { handedOut, type Memory } from './memory.ts'
import type { Read } from './read.ts'
import { reportOf } from './receipt.ts'
import type { SessionParts } from './session-parts.ts'
import type { Prepared } from './session-types.ts'

export interface Outcome {
  readonly outcome: CompactionReport['outcome']
  readonly warnings: readonly string[]
  /** Milliseconds since 1970. */
  readonly started: number
  readonly step?: Step
  readonly replaced?: CompactionReport['replaced']
}

/** The context of a plan that was carried out, or of one that had nothing to do, with its receipt. */
export function handOut<M>(
  parts: SessionParts<M>,
  memory: Memory<M>,
  { given, source, messages }: Read<M>,
  planned: Planned,
  outcome: Outcome,
  served: ServedModel,
): { readonly memory: Memory<M>; readonly prepared: Prepared<M> } {
  const { checkpoint, provider } = planned.input
  const measured = measureContext(planned.input)
  const context = parts.render(source, checkpoint, measured)
  parts.reader.handedOut(source, context)
  const { total, estimate, media } = measured
  // Said once, and again when it changes.
  const news = provider === undefined || provider === memory.last?.provider ? [] : [providerSideWarnings[provider]]
  const report = receipt(parts, planned, measured, { ...outcome, warnings: [...news, ...outcome.warnings, ...parts.effects.takeNotes()] })
  const last = {
    messages,
    length: messages.length,
    checkpoint: checkpoint?.id ?? null,
    served,
    provider,
    estimate,
    total,
    media,
    context,
    at: parts.clock.now(),
  }
  handedOut.set(planned.plan, last)
  return {
    memory: { ...memory, last },
    // Nothing to do: the caller's own array, unless it grew meanwhile.
    prepared: { messages: context === source && given.length === source.length ? given : context, report },
  }
}

/** The receipt of one compaction. */
export function receipt<M>(parts: SessionParts<M>, planned: Planned, measured: Measured, outcome: Outcome): CompactionReport {
  return reportOf({ ...planned, ...outcome, measured, duration: parts.clock.now() - outcome.started })
}
