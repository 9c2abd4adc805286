import type { Tokens } from '../history/message.ts'
import { type Context, groupSize } from './context.ts'

/** Groups whose largest is what one more exchange may take, and the share (0–1) of the budget that it takes at most. */
const exchanges = 3
const largestExchange = 0.25
/** What the next one takes of that: it has a word or a digit more. */
const aWordMore = 1.02
/** Share (0–1) of the budget from which on the next compaction comes whatever the last one reached: `decideTrigger`. */
const brink = 0.95
/** Share (0–1) of what lies between the parts that must stay and the brink that a compaction fills when its target is out of reach; the rest is growth. */
const filled = 1 / 3

/** Where to come out when the target is out of reach: well below the brink, or at least so that one more exchange fits before the next compaction. */
export function goalsBetween(
  context: Context,
  { floor, target, budget }: { readonly floor: Tokens; readonly target: Tokens; readonly budget: Tokens },
): { readonly between: Tokens; readonly roomy: Tokens } {
  const newest = context.groups.slice(-exchanges)
  const exchange = Math.min(Math.max(0, ...newest.map((group) => groupSize(context, group))) * aWordMore, budget * largestExchange)
  const roomy = Math.max(target, Math.floor(budget * brink - exchange))
  return { between: Math.min(roomy, Math.max(target, Math.floor(floor + Math.max(0, budget * brink - floor) * filled))), roomy }
}
