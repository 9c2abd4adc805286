import type { ServedModel } from '../../../budget/calibrate.ts'
import type { Measured } from '../../../plan/context.ts'
import type { CompactionReport } from '../../../plan/report.ts'
import { measureContext } from '../../../plan/shorten.ts'
import type { Planned } from '../deciding/decide.ts'
import { handedOut, type Memory } from '../memory.ts'
import type { Read } from '../read.ts'
import { reportOf } from '../receipt.ts'
import type { SessionParts } from '../session-parts.ts'
import type { Prepared } from '../session-types.ts'
import type { Step } from '../summarizing/execute.ts'

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
  const report = receipt(parts, planned, measured, { ...outcome, warnings: [...outcome.warnings, ...parts.effects.takeNotes()] })
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
    // Nothing was changed: the caller gets back its own array, unless that has grown meanwhile.
    prepared: { messages: context === source && given.length === source.length ? given : context, report },
  }
}

/** The warnings of a plan. What its provider does by itself comes first; it is said once, and again when it changes. */
export async function warningsOf<M>({ plan, input }: Planned, { last }: Memory<M>): Promise<readonly string[]> {
  const { provider } = input
  if (!provider || provider === last?.provider) return plan.warnings
  const { providerSideWarnings } = await import('../../../plan/provider-warnings.ts')
  return [providerSideWarnings[provider], ...plan.warnings]
}

/** The receipt of one compaction. */
export function receipt<M>(parts: SessionParts<M>, planned: Planned, measured: Measured, outcome: Outcome): CompactionReport {
  return reportOf({ ...planned, ...outcome, measured, duration: parts.clock.now() - outcome.started })
}
