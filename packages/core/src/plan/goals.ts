import type { Tokens } from '../history/message.ts'
import { type Context, groupSize } from './context.ts'

/** Groups whose largest is what one more exchange may take, and the share (0–1) of the budget that it takes at most. */
const exchanges = 3
const largestExchange = 0.25
/** What the next one takes of that: it has a word or a digit more. */
const aWordMore = 1.02
/** Share (0–1) of the budget from which on the next compaction comes whatever the last one reached: `decideTrigger`. */
const brink = 0.95
/** Of what lies between the parts that must stay and the brink, a compaction fills one in so many parts when its target is out of reach; the rest is growth. */
const parts = 3
/** The same where no growth fits. */
const partsOfLost = 2

/**
 * Where to come out when the target is out of reach: well below the brink, or at least so that one more exchange fits before the next compaction. Where the output
 * that came last is larger than all that is left beside what must stay, the next has no room in any case: then the summary and its record have it.
 */
export function goalsFor(
  context: Context,
  { floor, target, budget }: { readonly floor: Tokens; readonly target: Tokens; readonly budget: Tokens },
): { readonly between: Tokens; readonly roomy: Tokens } {
  const newest = context.groups.slice(-exchanges).map((group) => groupSize(context, group) * aWordMore)
  const left = budget * brink - floor
  const roomy = Math.max(target, Math.floor(budget * brink - Math.min(Math.max(0, ...newest), budget * largestExchange)))
  const isLost = context.messages.at(-1)?.role === 'tool' && (newest.at(-1) as Tokens) > left
  return { between: Math.max(target, Math.floor(isLost ? floor + left / partsOfLost : Math.min(roomy, floor + left / parts))), roomy }
}
