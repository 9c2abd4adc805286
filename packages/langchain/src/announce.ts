import { dispatchCustomEvent } from '@langchain/core/callbacks/dispatch/web'
import { ensureConfig } from '@langchain/core/runnables'
import type { CompactionReport } from '@precis/core'

/** Tells whoever streams or traces the graph of a compaction. */
export async function announce(
  { plan, tokens, messages, outcome }: CompactionReport,
  runtime: { readonly writer?: (chunk: unknown) => void } | undefined,
): Promise<void> {
  if (outcome === 'unchanged' || outcome === 'projected') return
  const data = { outcome, reason: plan.decision.reason, tokensBefore: tokens.before, tokensAfter: tokens.after, ...messages }
  try {
    runtime?.writer?.({ type: 'context_compaction', ...data })
    await dispatchCustomEvent('context_compaction', data, ensureConfig())
  } catch {
    // Nobody listens where nothing is traced.
  }
}
