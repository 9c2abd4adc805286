import type { TokenEstimator, TokenMemo } from '../budget/estimate.ts'
import { learnedInput } from '../budget/learned-window.ts'
import { type ModelLimits, replyReserve, usableInput } from '../budget/limits.ts'
import type { Group, ToolPair } from '../history/groups.ts'
import type { MarkerPart, MediaPart, Message, Tokens } from '../history/message.ts'
import { sumOf } from '../history/sum-of.ts'
import type { Repair } from '../partition/repair.ts'
import type { PartitionRule } from '../partition/rule.ts'
import type { CompactionPolicy, ToolPolicy } from '../policy/policy.ts'
import type { RedactedReading } from '../privacy/redact-message.ts'
import type { CustomRung } from '../prune/custom-rung.ts'
import type { Excerpts } from '../record/excerpts/excerpts.ts'
import type { Checkpoint, Edit } from '../state/checkpoint.ts'
import type { Asked } from '../state/reason.ts'
import type { CompactionState } from '../state/state.ts'
import type { ProviderSide } from './provider-side.ts'

/** What every request carries besides the messages, in uncalibrated Tokens. */
export interface Overhead {
  readonly system: Tokens
  readonly tools: Tokens
  readonly memory: Tokens
  /** Part of `memory` that the next compaction takes away, such as old look-ups: it counts until then, and a compaction need not leave room for it. Default 0. */
  readonly passing?: Tokens
}

/** Tokens of one context by where they come from. `input` is the newest user request. */
export interface Regions {
  readonly system: Tokens
  readonly tools: Tokens
  readonly memory: Tokens
  readonly pinned: Tokens
  readonly summary: Tokens
  readonly history: Tokens
  readonly recent: Tokens
  readonly input: Tokens
}

/** All that a plan depends on: the same input gives the same plan. */
export interface PlanInput {
  readonly messages: readonly Message[]
  readonly tokens: TokenMemo
  readonly estimator: TokenEstimator
  /** What is shown of long outputs whose shape does not say where to cut: `excerptsByName` in a compactor. Default: beginning and end. */
  readonly excerpts?: Excerpts
  readonly policy: CompactionPolicy
  readonly limits: ModelLimits | undefined
  readonly overhead: Overhead
  readonly state: CompactionState
  /** The newest checkpoint that fits `messages` and the window: `fittingCheckpoint`. */
  readonly checkpoint: Checkpoint | undefined
  readonly model?: string
  readonly maxOutput?: Tokens
  readonly asked?: Asked
  /** From `providerSide`. */
  readonly provider?: ProviderSide
  /** Largest prompt that a refusal leaves, in Tokens: goes before whatever the window is believed to be. */
  readonly ceiling?: Tokens
  readonly focus?: string
  /** Why it is asked for, in the words of whoever asked: for the checkpoint. */
  readonly note?: string
  /** What tools declare about their outputs. */
  readonly tools?: Readonly<Record<string, ToolPolicy>>
  /** Rungs of the host, by name. */
  readonly rungs?: readonly CustomRung[]
  /** Rules of the host for what stays. */
  readonly rules?: readonly PartitionRule[]
  /** Under which id a whole output is stored, where the model has a tool to read it: shortened texts name it. The same for an output as long as `tokens` is the same, which remembers views with it. */
  readonly reference?: ((output: string) => string) | undefined
  /** The provider still has the last prompt in its cache: the last call of this session is not older than `cost.cacheTtl`. */
  readonly warm?: boolean
  /** Parts as they may leave the process: texts that are shown in place of others are stored, so they are made of these. Absent: as they are. */
  readonly redacted?: RedactedReading
  /** The history goes to the model now: no call at its end is still being worked on. */
  readonly settled?: boolean
  /** The summary's model is not asked this time, unless a person does: it failed of late, or another process is writing this summary. */
  readonly summaryModelAway?: boolean
  /** What must stay leaves no room for a summary: all else may be left out without one, also what the first request brought along. */
  readonly alone?: boolean
  /** Source indices that speak of what is asked now; kept verbatim while there is room. */
  readonly related?: ReadonlySet<number>
}

/** An attachment: its message's place in the source, and the key of the edits that may take it away; undefined: it leaves with its message alone. */
interface Attached {
  readonly index: number
  readonly key: string | undefined
  readonly media: MediaPart
}

/** The history as it is shown now. Everything below works on visible messages and translates back at the end. */
export interface Context {
  readonly input: PlanInput
  /** Source index of each visible message. */
  readonly visible: readonly number[]
  readonly messages: readonly Message[]
  readonly pairs: readonly ToolPair[]
  readonly groups: readonly Group[]
  /** Messages before this position stand behind a provider's own compaction: nothing there is touched. */
  readonly barrierEnd: number
  readonly repairs: readonly Repair[]
  /** The newest request for a compaction that stands in the history and was not met yet. */
  readonly marker: MarkerPart | undefined
  /** Position of the newest request of a user; -1: there is none. */
  readonly newestRequest: number
  /** A user message stands behind the summary. */
  readonly asked: boolean
  /** Attachments before any edit, and those that are still shown. */
  readonly attached: readonly Attached[]
  readonly shownMedia: readonly Attached[]
  readonly edits: ReadonlyMap<string, Edit>
  /** Calibrated Tokens of each visible message, edits applied. */
  readonly sizes: readonly Tokens[]
  readonly summary: Tokens
  readonly overhead: Overhead & { readonly total: Tokens }
  /** By estimate. */
  readonly total: Tokens
  /** Uncalibrated, without what was measured in excess. */
  readonly estimate: Tokens
  /** Of the estimate, its attachments, before anything was learned of them. */
  readonly media: Tokens
  /** By the provider's last measurement plus what came after, where there is one. */
  readonly used: Tokens
}

/** Which part of a message an edit replaces by another text: a call's input, the message's own attachments, or a call's output (its attachments included). */
export const surfaceOf = ({ kind, callId }: Pick<Edit, 'kind' | 'callId'>): 'input' | 'media' | 'output' =>
  kind === 'arguments' ? 'input' : kind === 'media' && callId === '' ? 'media' : 'output'

/** Key of the place that an edit changes: of two edits with the same key only one can hold. */
export const editKey = (edit: Pick<Edit, 'index' | 'callId' | 'kind'>): string => `${edit.index}\u0000${edit.callId}\u0000${surfaceOf(edit)}`

/** Edits, or candidates for them, by the place that they change. */
export const byPlace = <E extends Pick<Edit, 'index' | 'callId' | 'kind'>>(edits: readonly E[]): Map<string, E> =>
  new Map(edits.map((edit) => [editKey(edit), edit]))

/** Kinds of edits (or none) behind which an output can still be cut further, and still has its attachments. */
export const openKinds: readonly unknown[] = [undefined, 'view', 'condensed']

/** Tokens that stay free for the reply. One whose length nobody asked for has no more than half of what instructions and tools leave of the window. */
export function replyOf({ policy, maxOutput, limits: known, overhead, state }: PlanInput, limits: Partial<ModelLimits> = known ?? {}): Tokens {
  const left = (limits.contextWindow || Infinity) - overhead.system - overhead.tools - state.calibration.overhead
  return Math.max(0, replyReserve(limits, Math.min(policy.trigger.outputCap, left / 2), maxOutput))
}

/** Largest prompt (Tokens) by what is published, learned and set free for the reply; Infinity where nobody knows. `buffer` stays free on top. */
export function usableOf(input: PlanInput, buffer: Tokens = input.policy.trigger.buffer): Tokens {
  const { limits, maxOutput, ceiling } = input
  // The second argument is the reserve for a reply of unknown length: `usableInput` falls back to it where the length that was asked for does not fit into the window.
  const published = limits ? usableInput(limits, replyOf({ ...input, maxOutput: 0 }), maxOutput) : Infinity
  const learned = learnedInput(input.state.calibration, (contextWindow) => replyOf(input, { ...limits, contextWindow }))
  const usable = Math.min(published, learned)
  return ceiling ?? Math.max(1, usable - Math.min(buffer, Math.floor(usable / 4)))
}

/** The whole window that is believed in, or the most that a prompt may be of it. */
export function windowOf(input: PlanInput): Tokens {
  return Math.min(input.limits?.maxInput ?? Infinity, usableOf(input, 0) + replyOf(input))
}

/** One context measured: calibrated total and regions, the uncalibrated estimate, and what must be changed or mended before it is sent. */
export interface Measured {
  readonly total: Tokens
  readonly estimate: Tokens
  readonly media: Tokens
  readonly regions: Regions
  readonly edits: readonly Edit[]
  readonly repairs: readonly Repair[]
}

/** Edits of visible messages, in the order of the history. */
export function editsOf(context: Context, kept?: ReadonlySet<number>): readonly Edit[] {
  return [...context.edits.values()].filter((edit) => !kept || kept.has(edit.index)).sort((a, b) => a.index - b.index)
}

/** Repairs by source index. What a request seems to lack where the provider keeps the conversation, the provider has. */
export function sourceRepairs({ visible, input, repairs }: Context): readonly Repair[] {
  const source = (at: number): number => visible[at] as number
  return (input.provider === 'keeps' ? [] : repairs).map((repair) => ({
    ...repair,
    index: source(repair.index),
    ...('after' in repair && { after: source(repair.after) }),
    ...('begin' in repair && { begin: source(repair.begin) }),
  }))
}

/** Source indices for which earlier summaries stand. */
export function representedIn({ input }: Context): readonly number[] {
  const shown = new Set(input.checkpoint?.kept)
  return [...Array(input.checkpoint?.covered ?? 0).keys()].filter((index) => !shown.has(index))
}

/** Calibrated Tokens of one group. */
export function groupSize({ sizes }: Context, { start, end }: Group): Tokens {
  return sumOf(sizes.slice(start, end))
}

/** Calibrated Tokens of some groups. */
export function sizeOf(context: Context, groups: readonly number[]): Tokens {
  return sumOf(groups, (at) => groupSize(context, context.groups[at] as Group))
}

/** Source indices of some groups, in order. */
export function membersOf(context: Context, groups: readonly number[]): readonly number[] {
  const members = groups.flatMap((at) => {
    const { start, end } = context.groups[at] as Group
    return context.visible.slice(start, end)
  })
  return members.sort((a, b) => a - b)
}

/** The input as it is after a compaction: without `overhead.passing`, which that takes away. */
export function withoutPassing(input: PlanInput): PlanInput {
  const { passing, memory, ...rest } = input.overhead
  return passing ? { ...input, overhead: { ...rest, memory: memory - passing } } : input
}
