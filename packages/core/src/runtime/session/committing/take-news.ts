import type { Message } from '../../../history/message.ts'
import type { Checkpoint } from '../../../state/checkpoint.ts'
import { withKnown } from '../../../state/grown.ts'
import { withoutRewound } from '../../../state/state.ts'
import { inputOf } from '../measuring/measure.ts'
import { type Held, isStandIn, isWaiting, type Memory, withState } from '../memory.ts'
import type { SessionParts } from '../session-parts.ts'
import type { ModelCall } from '../session-types.ts'
import { storeStandIn } from './stand-in.ts'
import { takenOver } from './take-over.ts'

/**
 * Takes over what other processes have stored since.
 *
 * A summary that is new here goes before what was shown, unless that covers more. Where there is none, and nobody took back what was shown, that stays: nothing is
 * paid for twice.
 * What stands in for a summary is stored once its time is over, unless there is news.
 */
export async function takeNews<M>(parts: SessionParts<M>, held: Held<M>, messages: readonly Message[], call: ModelCall, started: number): Promise<void> {
  const { memory } = held
  if (!parts.store.outdated() && !isWaiting(memory, started)) {
    const stored = isStandIn(memory) ? await storeStandIn(parts, memory) : memory
    held.memory = stored ?? standing(memory, 0)
    if (stored !== undefined) return
  }
  const { state } = memory
  const taken = await takenOver(parts, memory)
  if (taken === undefined) return
  const known = new Set([...state.checkpoints.map(({ id }) => id), ...(state.rewound ?? [])])
  const isWritten = [...taken.state.checkpoints.map(({ id }) => id), ...(taken.state.rewound ?? [])].some((id) => !known.has(id))
  const shownIn = (one: typeof memory): Checkpoint | undefined => inputOf(parts, one, messages, call).checkpoint
  const [before, now] = [shownIn(memory), shownIn(taken)]
  const isEnough = !isWaiting(memory, started) && (before?.covered ?? 0) > (now?.covered ?? 0)
  if (now !== undefined && !isEnough && !state.checkpoints.some(({ id }) => id === now.id)) {
    // What was shown here stands in for nothing any more.
    held.memory = standing(taken, 0)
    return
  }
  const left = withoutRewound(state, taken.state.rewound)
  const shown = { ...left, checkpoints: left.checkpoints.filter(({ id }) => id === before?.id) }
  // Nobody writes any more: what is shown here has waited long enough, and is stored.
  held.memory = withState(isWritten ? standing(taken, 1) : taken, withKnown(taken.state, shown))
}

function standing<M>(memory: Memory<M>, until: number): Memory<M> {
  return memory.unstored === undefined ? memory : { ...memory, unstored: { ...memory.unstored, until } }
}
