import { InvalidConfigurationError } from '../../errors.ts'
import type { Message } from '../../history/message.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import type { Effects } from '../effects.ts'
import { withNames } from './events.ts'
import type { OpenTelemetryTracer, TraceAttributes } from './tracer.ts'

/**
 * Runs the work of one compaction inside a span of the host's tracing. `attributes` are known before; `done` says what came of it.
 * Must call `work` once and hand on what it returns; a trace that fails disturbs nothing.
 */
export type CompactionTrace = <T>(attributes: TraceAttributes, work: (done: (attributes: TraceAttributes) => void) => Promise<T>) => Promise<T>

/**
 * A span of its own around each compaction (`compaction`) and each round of look-ups (`recall`), so that the summarizer's spans nest under it and it hangs under whatever is active: the request, the agent's step.
 * Give it `trace.getTracer("precis")` of `@opentelemetry/api`. Attributes are counts and names, never texts.
 *
 * @throws InvalidConfigurationError for what is no tracer.
 */
export function openTelemetryTrace(tracer: OpenTelemetryTracer): CompactionTrace {
  if (typeof tracer?.startActiveSpan !== 'function') throw new InvalidConfigurationError('tracer', tracer, 'write trace.getTracer("precis")')
  return async (attributes, work) => (await import('./spanned.ts')).spanned(tracer, attributes, work)
}

/** What a span says of a compaction before it happens. */
export function traceOf({ decision, edits }: CompactionPlan, messages: readonly Message[]): TraceAttributes {
  return { trigger: decision.reason, action: decision.action, tokens_before: decision.used, messages_before: messages.length, pruned_outputs: edits.length }
}

/** A trace that is told names without what must not leave. */
export function redactedTrace(trace: CompactionTrace, redact: Redactor): CompactionTrace {
  return (attributes, work) => trace(withNames(attributes, redact), (done) => work((more) => done(withNames(more, redact))))
}

/** Runs work under a trace. Whatever the trace does, the work is done once and its outcome is the outcome; a trace that never begins it, or never ends, is not waited for. */
export function traced({ trace, effects }: { readonly trace: CompactionTrace | undefined; readonly effects: Effects }): CompactionTrace {
  if (trace === undefined) return (_attributes, work) => work(() => {})
  return async <T>(attributes: TraceAttributes, work: (done: (attributes: TraceAttributes) => void) => Promise<T>): Promise<T> => {
    let running: Promise<T> | undefined
    let begun: (() => void) | undefined
    const started = new Promise<void>((resolve) => {
      begun = resolve
    })
    const once = (done: (attributes: TraceAttributes) => void): Promise<T> => {
      running ??= work((more) => {
        try {
          done(more)
        } catch {
          // A span that takes no attributes is not worth a compaction.
        }
      })
      begun?.()
      return running
    }
    // Its own failure is its own, and the work's is told by the work.
    const span = (async () => {
      await trace(attributes, once)
    })().catch(() => {})
    await effects.wait('trace', () => Promise.race([started, span])).catch(() => {})
    const done = once(() => {})
    await done.catch(() => {})
    await effects.wait('trace', () => span).catch(() => {})
    return done
  }
}
