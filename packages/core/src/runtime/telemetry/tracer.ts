/** Counts and names, never texts. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean>>

/** What we use of an OpenTelemetry tracer. */
export interface OpenTelemetryTracer {
  /** As `Tracer.startActiveSpan` of `@opentelemetry/api`. */
  startActiveSpan<T>(name: string, options: { readonly attributes: TraceAttributes }, work: (span: OpenTelemetrySpan) => T): T
}

interface OpenTelemetrySpan {
  setAttributes(attributes: TraceAttributes): unknown
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  end(): void
}
