import type { Calibration, ServedModel } from '../../budget/calibrate.ts'
import { seededCalibration } from '../../budget/learned-window.ts'
import type { Message, Tokens } from '../../history/message.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'
import type { ProviderSide } from '../../plan/provider-side.ts'
import { type CompactionState, initialState, withoutRewound } from '../../state/state.ts'

/** What a process remembers of a conversation between two calls. A value: each step returns the next one, and `session.ts` keeps it. */
export interface Memory<M> {
  /** The state as it is stored, or as the next compaction will store it. */
  readonly state: CompactionState
  /** The newest context that was handed out; undefined before the first. */
  readonly last: Sent<M> | undefined
  /** Ids of checkpoints that only this process holds. `until` (milliseconds since 1970): until then another process may store a better one. */
  readonly unstored?: { readonly ids: readonly string[]; readonly until: number }
  /** The newest count by a provider that was too large to be believed at once: how many times our own count it was, and how many Tokens more. */
  readonly doubted?: readonly number[] | undefined
  /** Refusals of the request under way. */
  readonly refusals: number
  /** What those refusals teach: it counts once an attempt at the same request is accepted. */
  readonly believed?: Calibration | undefined
  /** Tokens of the reply that a refused body asked for, where that is not what the caller had `asked` for: the provider's client filled it in. */
  readonly told: (ServedModel & { readonly asked: Tokens | undefined; readonly reply: Tokens }) | undefined
}

/** A context that was handed out, and what it was made of. */
export interface Sent<M> {
  /** The history that it was made of. Empty in a session at rest, which keeps only fingerprints of it. */
  readonly messages: readonly Message[]
  readonly length: number
  readonly fingerprint?: string
  readonly said?: readonly string[]
  readonly checkpoint: string | null
  readonly served: ServedModel
  /** What the provider was known to do with the conversation by itself. */
  readonly provider: ProviderSide | undefined
  /** Uncalibrated Tokens, and calibrated ones. */
  readonly estimate: Tokens
  readonly total: Tokens
  /** Part of `estimate` that attachments make up, as they count before anything is learned of them. */
  readonly media?: Tokens
  readonly context: readonly M[]
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The context that was handed out for each plan, as long as somebody holds its receipt: several calls of one session may be under way at once. */
export const handedOut: WeakMap<CompactionPlan, Sent<unknown>> = new WeakMap()

/** The one mutable place of a session: where its current memory is. */
export interface Held<M> {
  memory: Memory<M>
}

export const emptyMemory: Memory<never> = { state: initialState, last: undefined, refusals: 0, told: undefined }

export function withState<M>(memory: Memory<M>, state: CompactionState): Memory<M> {
  return { ...memory, state }
}

/** Whether what is shown stands in for a summary that another process is still writing. */
export function isWaiting<M>(memory: Memory<M>, now: number): boolean {
  return isStandIn(memory) && now < (memory.unstored?.until ?? 0)
}

/** Whether what is shown stands in for a summary of another process, even one that was not written in its time. */
export function isStandIn<M>({ state, unstored }: Memory<M>): boolean {
  return unstored !== undefined && unstored.until > 0 && unstored.ids.includes(state.checkpoints.at(-1)?.id ?? '')
}

/** The memory with the stored state. What was measured and taken back here stays; a window that another process learned holds here too. */
export function restored<M>(memory: Memory<M>, stored: CompactionState): Memory<M> {
  const { calibration, rewound } = memory.state
  const found = withoutRewound(stored, rewound)
  return withState(memory, calibration.last === undefined ? found : { ...found, calibration: seededCalibration(calibration, found.calibration) })
}
