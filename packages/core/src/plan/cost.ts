import type { Tokens } from '../history/message.ts'
import type { CostPolicy, Prices } from '../policy/policy.ts'

/** What one rewrite of the context costs and saves, in the currency of the prices. */
export interface RewriteCost {
  /** Prompt of the next call as it would have been. */
  readonly without: number
  /** Prompt of the next call now, the part that left the provider's cache written anew. */
  readonly with: number
  /** The call for the summary itself. */
  readonly summary: number
  /** Calls after which the rewrite has paid for itself; 0 at once, null never. */
  readonly paysBackAfter: number | null
}

/** One rewrite of the context. All sizes are calibrated Tokens. */
export interface Rewrite {
  readonly before: Tokens
  readonly after: Tokens
  /** Tokens in front of the first change: still served by the cache. */
  readonly prefix: Tokens
  /** What a model was asked to read and to write for the summary. */
  readonly summaryPrompt: Tokens
  readonly summaryReply: Tokens
  /** The provider still has the last prompt in its cache. */
  readonly warm: boolean
}

/**
 * What a rewrite costs against leaving the prompt as it is, in the currency of `prices` (per million tokens).
 *
 *     without = before × (warm ? cacheRead : cacheWrite)
 *     with    = prefix × (warm ? cacheRead : cacheWrite) + (after − prefix) × cacheWrite
 *     paysBackAfter = ⌈(with + summary − without) ÷ ((before − after) × cacheRead)⌉
 */
export function rewriteCost(prices: Prices, rewrite: Rewrite): RewriteCost {
  const { before, after, warm } = rewrite
  const prefix = Math.min(rewrite.prefix, after)
  const known = warm ? prices.cacheRead : prices.cacheWrite
  const money = (tokens: Tokens, price: number): number => (tokens * price) / 1_000_000
  const without = money(before, known)
  const now = money(prefix, known) + money(after - prefix, prices.cacheWrite)
  const summary = money(rewrite.summaryPrompt, prices.input) + money(rewrite.summaryReply, prices.output)
  const extra = now + summary - without
  const perCall = money(before - after, prices.cacheRead)
  return { without, with: now, summary, paysBackAfter: extra <= 0 ? 0 : perCall <= 0 ? null : Math.ceil(extra / perCall) }
}

/**
 * Whether a rewrite that nobody needs yet may be done. Always while the cache is cold; otherwise
 *
 *     before − after ≥ warmGain × before, and paysBackAfter ≤ payback (where the policy has prices and a payback)
 */
export function isWorthRewriting(cost: CostPolicy, rewrite: Rewrite): boolean {
  if (!rewrite.warm) return true
  if (rewrite.before - rewrite.after < rewrite.before * cost.warmGain) return false
  if (cost.payback === undefined || !cost.prices) return true
  const { paysBackAfter } = rewriteCost(cost.prices, rewrite)
  return paysBackAfter !== null && paysBackAfter <= cost.payback
}
