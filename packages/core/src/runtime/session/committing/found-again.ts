import { memoized } from '../../../history/memoize.ts'
import type { Message } from '../../../history/message.ts'
import { begunOtherwise } from '../../../state/begun-otherwise.ts'
import type { Checkpoint } from '../../../state/checkpoint.ts'
import { isForgotten } from '../../../state/forgotten.ts'
import type { CompactionState } from '../../../state/state.ts'
import { type Held, withState } from '../memory.ts'
import type { Round } from '../round.ts'
import type { SessionParts } from '../session-parts.ts'
import type { StateStore } from '../stored/state-store.ts'
import { keep } from './keep.ts'
import { laidOnCut } from './laid-on-cut.ts'
import { takenOver } from './take-over.ts'

const poorer =
  'the first message, or one that is pinned, is not handed over any more, and no summary says what it said: hand it over before the newest ones, as it was'
const missed =
  'the summary of this conversation is not shown: fewer than eight of the messages that it covers are handed over. Hand over more of the newest ones'
/** What was said of each session. */
const told = new WeakMap<StateStore, string[]>()
/** When it was looked last for what another process has stored of a session, and the newest checkpoint that was held then. */
const looks = new WeakMap<StateStore, { readonly at: number; readonly newest: string | undefined }>()
/** Milliseconds between two looks that bring no other checkpoint. */
const between = 30_000

/**
 * Looks for a checkpoint that applies but for what the host changed at the beginning: a first message in other words, or messages that it does not hand over any more.
 * Where too little of what it covers is handed over, another process may have stored a newer one.
 * @param isNeeded - Something has to be summarized: a history whose first message was edited is shown whole while it fits.
 */
export async function foundAgain<M>(parts: SessionParts<M>, held: Held<M>, messages: readonly Message[], isNeeded: boolean, round?: Round): Promise<boolean> {
  const { state } = held.memory
  const { checkpoints, forgotten } = state
  if (checkpoints === round?.tried || isForgotten(state, messages)) return false
  const again = !forgotten && isNeeded ? begunOtherwise(checkpoints, messages, parts.redaction.withhold) : undefined
  if (again !== undefined) held.memory = withState(held.memory, { ...state, checkpoints: checkpoints.map((one) => (one.id === again.id ? again : one)) })
  const none = { isLaid: true, isPoorer: false, isMissed: false, contradicted: [] }
  const { isLaid, isPoorer, isMissed, contradicted } = again === undefined ? laidOnCut(parts, checkpoints, messages) : none
  if (round && isMissed && !isLaid && (await tookNews(parts, held, messages, round))) return true
  const said = memoized(told, parts.store, () => [])
  const news = [...(isPoorer ? [poorer] : []), ...(isMissed ? [missed] : [])].filter((one) => !said.includes(one))
  for (const one of news) parts.effects.note(one)
  said.push(...news)
  // What was edited or deleted must not come back once it is out of sight: that outlives this process.
  if (contradicted.length > 0) await keep(parts, held, (now) => withoutEnds(now, contradicted))
  if (round) round.tried = held.memory.state.checkpoints
  return isLaid
}

/** Takes over what another process has stored, where it was not looked for just now. */
async function tookNews<M>(parts: SessionParts<M>, held: Held<M>, messages: readonly Message[], round: Round): Promise<boolean> {
  const newest = held.memory.state.checkpoints.at(-1)?.id
  const before = looks.get(parts.store)
  if (before !== undefined && before.newest === newest && round.started - before.at < between) return false
  looks.set(parts.store, { at: round.started, newest })
  round.looked = true
  const news = await takenOver(parts, held.memory, messages, round.started)
  held.memory = news ?? held.memory
  return news !== undefined
}

function withoutEnds(state: CompactionState, contradicted: readonly Checkpoint[]): CompactionState {
  const isOne = ({ id }: Checkpoint): boolean => contradicted.some((one) => one.id === id)
  const bare = ({ ends: _of, ...one }: Checkpoint): Checkpoint => one
  return { ...state, checkpoints: state.checkpoints.map((one) => (isOne(one) ? bare(one) : one)) }
}
