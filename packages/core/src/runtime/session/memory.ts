import type { Calibration, ServedModel } from '../../budget/calibrate.ts'
import { seededCalibration } from '../../budget/learned-window.ts'
import type { Message, Tokens } from '../../history/message.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'
import type { ProviderSide } from '../../plan/provider-side.ts'
import { type CompactionState, initialState, withoutRewound } from '../../state/state.ts'

/** What a process remembers of a conversation between two calls. A value: each step returns the next one, and `session.ts` keeps it. */
export interface Memory<M> {
  /** As it is stored, or will be with the next compaction. */
  readonly state: CompactionState
  /** The newest context that was handed out; undefined before the first. */
  readonly last: Sent<M> | undefined
  /** Checkpoints that only this process holds; until when another one may still store a better one, in milliseconds since 1970. */
  readonly unstored?: { readonly ids: readonly string[]; readonly until: number }
  /** The newest count of a prompt, where it was too large to be believed at once: how many times what was sent, and how many Tokens more. */
  readonly doubted?: readonly number[] | undefined
  /** Refusals of the request under way. */
  readonly refusals: number
  /** What they teach once one of its attempts is accepted. */
  readonly believed?: Calibration | undefined
  /** The reply that a refused body asked for, where the caller had named another or none: the provider's client fills it in. */
  readonly told: (ServedModel & { readonly asked: Tokens | undefined; readonly reply: Tokens }) | undefined
}

/** A context that was handed out, and what it was made of. */
export interface Sent<M> {
  /** The history that it was made of: a session at rest holds only what it is known by. */
  readonly messages: readonly Message[]
  readonly length: number
  readonly fingerprint?: string
  readonly said?: readonly string[]
  readonly checkpoint: string | null
  readonly served: ServedModel
  /** What was said to be the provider's own doing. */
  readonly provider: ProviderSide | undefined
  /** Uncalibrated Tokens, and calibrated ones. */
  readonly estimate: Tokens
  readonly total: Tokens
  /** Of the estimate, its attachments, before anything was learned of them. */
  readonly media?: Tokens
  readonly context: readonly M[]
  /** Milliseconds since 1970. */
  readonly at: number
}

/** What was handed out for a plan, while its receipt is held: calls of one session may be under way at once. */
export const handedOut: WeakMap<CompactionPlan, Sent<unknown>> = new WeakMap()

/** Where the memory of one session stands: the only thing of it that changes. */
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

/** Whether it does, or did for one that was not written in its time. */
export function isStandIn<M>({ state, unstored }: Memory<M>): boolean {
  return unstored !== undefined && unstored.until > 0 && unstored.ids.includes(state.checkpoints.at(-1)?.id ?? '')
}

/** What is stored takes the place of the state, but for what was measured or taken back here; a window that was learned elsewhere holds here too. */
export function restored<M>(memory: Memory<M>, stored: CompactionState): Memory<M> {
  const { calibration, rewound } = memory.state
  const found = withoutRewound(stored, rewound)
  return withState(memory, calibration.last === undefined ? found : { ...found, calibration: seededCalibration(calibration, found.calibration) })
}
