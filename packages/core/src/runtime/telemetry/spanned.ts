import { errorName } from '../platform/error-name.ts'
import type { OpenTelemetryTracer, TraceAttributes } from './tracer.ts'

const failed = 2 // SpanStatusCode.ERROR

/** Runs work inside a span of its own. */
export function spanned<T>(
  tracer: OpenTelemetryTracer,
  attributes: TraceAttributes,
  work: (done: (attributes: TraceAttributes) => void) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(attributes['trigger'] === 'recall' ? 'recall' : 'compaction', { attributes: prefixed(attributes) }, async (span) => {
    try {
      return await work((more) => span.setAttributes(prefixed(more)))
    } catch (error) {
      span.setStatus({ code: failed, message: errorName(error) })
      throw error
    } finally {
      span.end()
    }
  })
}

function prefixed(attributes: TraceAttributes): TraceAttributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`compaction.${name}`, value]))
}
