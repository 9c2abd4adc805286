import { fingerprint } from '../../history/fingerprint.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import type { Measured } from '../../plan/context.ts'
import { providerSideWarnings } from '../../plan/provider-side.ts'
import type { CompactionReport } from '../../plan/report.ts'
import { measureContext } from '../../plan/shorten.ts'
import type { Planned } from './decide.ts'
import type { Step } from './execute.ts'
import type { Memory } from './memory.ts'
import type { Read } from './read.ts'
import { finishedEvent, reportOf } from './receipt.ts'
import type { SessionParts } from './session-parts.ts'
import type { Prepared } from './session-types.ts'

export interface Outcome {
  readonly outcome: CompactionReport['outcome']
  readonly warnings: readonly string[]
  /** Milliseconds since 1970. */
  readonly started: number
  readonly step?: Step
}

/** The context of a plan that was carried out, or of one that had nothing to do, with its receipt. */
export function handOut<M>(
  parts: SessionParts<M>,
  memory: Memory<M>,
  { given, source, messages }: Read<M>,
  { plan, input }: Planned,
  { outcome, warnings, started, step }: Outcome,
): { readonly memory: Memory<M>; readonly prepared: Prepared<M> } {
  const { checkpoint, model = null, provider } = input
  const measured = measureContext(input)
  const context = parts.render(source, checkpoint, measured)
  parts.reader.handedOut(source, context)
  const at = parts.clock.now()
  const { total, estimate } = measured
  // Said once, and again when it changes.
  const news = provider === undefined || provider === memory.last?.provider ? [] : [providerSideWarnings[provider]]
  const notes = [...news, ...warnings, ...parts.effects.takeNotes()]
  const report = receipt(parts, memory, { plan, input }, measured, { outcome, warnings: notes, started, ...omitUndefined({ step }) })
  return {
    memory: {
      ...memory,
      last: { length: source.length, fingerprint: fingerprint(messages), checkpoint: checkpoint?.id ?? null, model, provider, estimate, total, context, at },
    },
    // Nothing to do: the caller's own array, unless it grew meanwhile.
    prepared: { messages: context === source && given.length === source.length ? given : context, report },
  }
}

/** The receipt of one compaction, with its event. */
export function receipt<M>(
  parts: SessionParts<M>,
  { last }: Memory<M>,
  { plan, input }: Planned,
  measured: Measured,
  { outcome, warnings, started, step }: Outcome,
): CompactionReport {
  const at = parts.clock.now()
  const warm = last !== undefined && at - last.at < parts.policy.cost.cacheTtl
  const report = reportOf({ plan, input, measured, outcome, warnings, step, warm, duration: at - started })
  if (step !== undefined) parts.emitter.emit(parts.id, [finishedEvent(report, input)])
  return report
}
