import type { CompactionTrace, TraceAttributes } from '@precis/core'

/** What we use of the SDK's tracing: `import { getCurrentTrace, withCustomSpan } from '@openai/agents'`. */
export interface AgentsTracing {
  /** As `getCurrentTrace` of `@openai/agents`. */
  getCurrentTrace(): unknown
  /** As `withCustomSpan` of `@openai/agents`. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's span and option types differ by version
  withCustomSpan(work: (span: any) => Promise<unknown>, options: any): Promise<unknown>
}

/** A custom span around each compaction (`compaction`) and each round of look-ups (`recall`), under the SDK's own span of the turn. Outside of a trace, where the SDK would throw, none. */
export function agentsTrace({ getCurrentTrace, withCustomSpan }: AgentsTracing): CompactionTrace {
  return async <T>(attributes: TraceAttributes, work: (done: (attributes: TraceAttributes) => void) => Promise<T>): Promise<T> => {
    if (getCurrentTrace() == null) return work(() => {})
    const data: Record<string, string | number | boolean> = { ...attributes }
    return (await withCustomSpan(
      (span: { readonly spanData?: { readonly data?: Record<string, unknown> } } | undefined) =>
        work((more) => {
          Object.assign(data, more)
          Object.assign(span?.spanData?.data ?? {}, more)
        }),
      { data: { name: attributes['trigger'] === 'recall' ? 'recall' : 'compaction', data } },
    )) as T
  }
}
