import { sumCounts } from '@precis/core/adapters'

/** The usage of two requests added up, in the SDK's shape. `raw`, the provider's own object, is the later one's. */
export function sumUsage(before: unknown, after: unknown): unknown {
  return sumCounts(before, after, 'raw')
}
