import type { Message } from '../../history/message.ts'
import { withKnown } from '../../state/grown.ts'
import { withoutRewound } from '../../state/state.ts'
import { inputOf } from './measure.ts'
import { type Held, isStandIn, isWaiting, withState } from './memory.ts'
import type { SessionParts } from './session-parts.ts'
import type { ModelCall } from './session-types.ts'
import { storeStandIn } from './stand-in.ts'
import { takenOver } from './take-over.ts'

/**
 * Takes over what other processes have stored since.
 *
 * A summary that is new here goes before what was shown. Where there is none, and nobody took back what was shown, that stays: nothing is paid for twice.
 * What stands in for a summary is stored once its time is over, unless there is news.
 */
export async function takeNews<M>(parts: SessionParts<M>, held: Held<M>, messages: readonly Message[], call: ModelCall, started: number): Promise<void> {
  const { memory } = held
  if (!parts.store.outdated() && !isWaiting(memory, started)) {
    if (isStandIn(memory)) held.memory = await storeStandIn(parts, memory)
    return
  }
  const { state } = memory
  const taken = await takenOver(parts, memory)
  if (taken === undefined) return
  const known = new Set([...state.checkpoints.map(({ id }) => id), ...(state.rewound ?? [])])
  const isWritten = [...taken.state.checkpoints.map(({ id }) => id), ...(taken.state.rewound ?? [])].some((id) => !known.has(id))
  const standingUntil = (until: number): typeof taken => (taken.unstored === undefined ? taken : { ...taken, unstored: { ...taken.unstored, until } })
  const shownIn = (one: typeof memory): string | undefined => inputOf(parts, one, messages, call).checkpoint?.id
  const [before, now] = [shownIn(memory), shownIn(taken)]
  if (now !== undefined && !state.checkpoints.some(({ id }) => id === now)) {
    // What was shown here stands in for nothing any more.
    held.memory = standingUntil(0)
    return
  }
  const left = withoutRewound(state, taken.state.rewound)
  const shown = { ...left, checkpoints: left.checkpoints.filter(({ id }) => id === before) }
  // Nobody writes any more: what is shown here has waited long enough, and is stored.
  held.memory = withState(isWritten ? standingUntil(1) : taken, withKnown(taken.state, shown))
}
