import type { Tokens } from '../history/message.ts'
import { type Context, groupSize } from './context.ts'

/** The next exchange is taken to be as large as the largest of so many newest groups. */
const exchanges = 3
/** Most of the budget that it is taken to need, as a share (0–1). */
const largestExchange = 0.25
/** It is taken to be a little larger than that group: it may have a word or a digit more. */
const aWordMore = 1.02
/** Share (0–1) of the budget at which `decideTrigger` compacts again, whatever the last compaction reached. */
const brink = 0.95
/** Where the target is out of reach, a compaction fills a third of the room between what must stay and the brink. The rest is for growth. */
const parts = 3
/** Half of it where the next exchange will not fit in any case. */
const partsOfLost = 2

/**
 * Where to come out when the target is out of reach. If the newest output is larger than all the room beside what must stay, the next one will not fit either: then
 * the summary and its record have that room.
 *
 * @param floor Tokens of what must stay.
 * @returns `between`: well below the brink. `roomy`: just so that one more exchange fits before the next compaction.
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
