import { indicesOfSaid } from '../../../history/digests.ts'
import { fingerprint } from '../../../history/fingerprint.ts'
import { memoized } from '../../../history/memoize.ts'
import type { Message } from '../../../history/message.ts'
import type { Checkpoint } from '../../../state/checkpoint.ts'
import { type LaidOnCut, layOnCut, leastCut } from '../../../state/cut-off.ts'
import { isUnnamed } from '../../../state/keys.ts'
import type { SessionParts } from '../session-parts.ts'
import type { StateStore } from '../stored/state-store.ts'

/** How conversations began that came under the name of another, by their fingerprints, and how many are remembered. */
const begun = new WeakMap<StateStore, Set<string>>()
const most = 1_000
/** Messages of a beginning, at least: a greeting is everybody's. */
const leastBegun = 2

const nothing: LaidOnCut = { isLaid: false, isPoorer: false, isMissed: false, contradicted: [] }

/**
 * Lays checkpoints on a history whose beginning the host has cut. What only begins as another one ends is somebody else's, such as an agent that finds nothing to
 * do again and again. Where nobody named a conversation, all that begin alike have one id, and one that was cut would have another. Under a name, what was seen
 * when it was too short to be known again never had enough of what was covered by then.
 */
export function laidOnCut<M>(
  { id, store }: Pick<SessionParts<M>, 'id' | 'store'>,
  checkpoints: readonly Checkpoint[],
  messages: readonly Message[],
): LaidOnCut {
  if (isUnnamed(id) || beganHere(store, messages)) return nothing
  return layOnCut(checkpoints, messages)
}

function beganHere(store: StateStore, messages: readonly Message[]): boolean {
  const said = indicesOfSaid(messages)
  const known = memoized(begun, store, () => new Set<string>())
  if (said.length < leastCut) {
    if (said.length >= leastBegun) known.add(fingerprint(messages))
    if (known.size > most) known.delete(known.values().next().value as string)
    return false
  }
  return known.size > 0 && said.slice(leastBegun - 1, leastCut - 1).some((index) => known.has(fingerprint(messages, index + 1)))
}
