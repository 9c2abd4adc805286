import type { Message } from '../../history/message.ts'
import { withKnown, withoutRewound } from '../../state/state.ts'
import { inputOf } from './measure.ts'
import { type Held, withState } from './memory.ts'
import type { SessionParts } from './session-parts.ts'
import type { ModelCall } from './session-types.ts'
import { takenOver } from './take-over.ts'

/**
 * Takes over what other processes have stored since.
 *
 * A summary that is new here goes before what was shown. Where there is none, and nobody took back what was shown, that stays: nothing is paid for twice.
 */
export async function takeNews<M>(parts: SessionParts<M>, held: Held<M>, messages: readonly Message[], call: ModelCall): Promise<void> {
  const { memory } = held
  const { state } = memory
  const taken = await takenOver(parts, memory)
  if (taken === undefined) return
  const shownIn = (one: typeof memory): string | undefined => inputOf(parts, one, messages, call).checkpoint?.id
  const [before, now] = [shownIn(memory), shownIn(taken)]
  if (now !== undefined && !state.checkpoints.some(({ id }) => id === now)) {
    // What was shown here stands in for nothing any more.
    held.memory = taken.unstored === undefined ? taken : { ...taken, unstored: { ...taken.unstored, until: 0 } }
    return
  }
  const left = withoutRewound(state, taken.state.rewound)
  held.memory = withState(taken, withKnown(taken.state, { ...left, checkpoints: left.checkpoints.filter(({ id }) => id === before) }))
}
