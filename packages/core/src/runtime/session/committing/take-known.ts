import { withKnown } from '../../../state/grown.ts'
import { type Held, withState } from '../memory.ts'
import { parsedState } from '../stored/parsed-state.ts'

/** Takes up what the host knows of the conversation, where it can be read. @param body - A state as JSON. */
export function takeKnown<M>(held: Held<M>, body: string): void {
  const known = parsedState(body)
  if (known) held.memory = withState(held.memory, withKnown(held.memory.state, known.state))
}
