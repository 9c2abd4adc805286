import { type Checkpoint, type Edit, project } from './checkpoint.ts'
import type { TokenEstimator, TokenMemo } from './estimate.ts'
import { type Group, groupMessages, pairToolCalls, type ToolPair } from './groups.ts'
import { type ModelLimits, resolveAmount, usableInput } from './limits.ts'
import { isUserRequest, type Message, type Tokens } from './message.ts'
import { type Partition, partitionMessages, type Retention } from './partition.ts'
import type { CompactionPolicy } from './policy.ts'
import type { VisibleOutput } from './prune/outputs.ts'
import { type Repair, repairHistory } from './repair.ts'
import type { CompactionState } from './state.ts'

/** What every request carries besides the messages, in uncalibrated Tokens. */
export interface Overhead {
  readonly system: Tokens
  readonly tools: Tokens
  readonly memory: Tokens
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

export interface PlanInput {
  readonly messages: readonly Message[]
  readonly tokens: TokenMemo
  readonly estimator: TokenEstimator
  readonly policy: CompactionPolicy
  readonly limits: ModelLimits | undefined
  readonly overhead: Overhead
  readonly state: CompactionState
  /** The newest checkpoint that applies to `messages`. */
  readonly checkpoint: Checkpoint | undefined
  readonly model?: string
  readonly maxOutput?: Tokens
  readonly asked?: 'manual' | 'overflow'
  readonly focus?: string
}

/** The history as it is shown now. Everything below works on visible messages and translates back at the end. */
export interface Context {
  readonly input: PlanInput
  /** Source index of each visible message. */
  readonly visible: readonly number[]
  readonly messages: readonly Message[]
  readonly groups: readonly Group[]
  /** Messages before this position stand behind a provider's own compaction: nothing there is touched. */
  readonly barrierEnd: number
  readonly repairs: readonly Repair[]
  /** Read when something may be shortened, once. */
  readonly outputs: () => readonly VisibleOutput[]
  readonly edits: ReadonlyMap<string, Edit>
  /** Calibrated Tokens of each visible message, edits applied. */
  readonly sizes: readonly Tokens[]
  readonly summary: Tokens
  readonly overhead: { readonly system: Tokens; readonly tools: Tokens; readonly memory: Tokens; readonly total: Tokens }
  /** By estimate. */
  readonly total: Tokens
  /** By the provider's last measurement plus what came after, where there is one. */
  readonly used: Tokens
}

export const editKey = (index: number, callId: string): string => `${index}\u0000${callId}`

/** Uncalibrated Tokens of the tags and the preface around a summary. */
export const wrapping = 75

/** What depends on the messages alone: the same for every call with the same history and checkpoint. */
interface Structure {
  readonly visible: readonly number[]
  readonly shown: readonly Message[]
  readonly pairs: readonly ToolPair[]
  readonly groups: readonly Group[]
  readonly barrierEnd: number
  readonly repairs: readonly Repair[]
}

const structures = new WeakMap<readonly Message[], { readonly checkpoint: Checkpoint | undefined; readonly structure: Structure }>()

function structureOf(messages: readonly Message[], checkpoint: Checkpoint | undefined): Structure {
  const known = structures.get(messages)
  if (known !== undefined && known.checkpoint === checkpoint) return known.structure
  const visible: number[] = []
  for (const place of project(messages.length, checkpoint)) if (place.kind === 'message') visible.push(place.index)
  const shown = visible.map((index) => messages[index] as Message)
  const pairing = pairToolCalls(shown)
  const groups = groupMessages(shown, pairing)
  const barrierEnd = groups.findLast((group) => group.barrier)?.end ?? 0
  const structure = { visible, shown, pairs: pairing.pairs, groups, barrierEnd, repairs: repairHistory(shown, pairing) }
  structures.set(messages, { checkpoint, structure })
  return structure
}

export function readContext(input: PlanInput): Context {
  const { messages, checkpoint, state } = input
  const structure = structureOf(messages, checkpoint)
  const { visible, shown, groups } = structure
  const edits = new Map((checkpoint?.edits ?? []).map((edit) => [editKey(edit.index, edit.callId), edit]))
  const text =
    checkpoint?.summary === undefined ? 0 : input.estimator.count(checkpoint.summary.text) + input.estimator.count(checkpoint.summary.digest) + wrapping
  const { factor } = state.calibration
  const scale = (tokens: Tokens): Tokens => Math.ceil(tokens * factor)
  const overhead = {
    system: scale(input.overhead.system),
    tools: scale(input.overhead.tools) + state.calibration.overhead,
    memory: scale(input.overhead.memory),
  }
  let outputs: readonly VisibleOutput[] | undefined
  const partial = {
    input,
    visible,
    messages: shown,
    groups,
    barrierEnd: structure.barrierEnd,
    repairs: structure.repairs,
    outputs: () => {
      outputs ??= visibleOutputs(shown, structure.pairs, input.tokens)
      return outputs
    },
    summary: scale(text),
    overhead: { ...overhead, total: overhead.system + overhead.tools + overhead.memory },
  }
  return withEdits(partial, edits)
}

export function withEdits(partial: Omit<Context, 'edits' | 'sizes' | 'total' | 'used'>, edits: ReadonlyMap<string, Edit>): Context {
  const { input, visible, messages } = partial
  const freed = new Map<number, Tokens>()
  for (const edit of edits.values()) freed.set(edit.index, (freed.get(edit.index) ?? 0) + edit.freed)
  const { factor } = input.state.calibration
  const sizes = visible.map((index, at) => Math.ceil(Math.max(1, input.tokens.of(messages[at] as Message) - (freed.get(index) ?? 0)) * factor))
  const total = partial.overhead.total + partial.summary + sum(sizes)
  return { ...partial, edits, sizes, total, used: usedOf(input, visible, sizes, total) }
}

/** `prompt of the last call + estimate of what was appended`, while the context was not rewritten since; otherwise the estimate. */
function usedOf(input: PlanInput, visible: readonly number[], sizes: readonly Tokens[], total: Tokens): Tokens {
  const { anchor } = input.state
  if (
    anchor === undefined ||
    anchor.checkpoint !== (input.checkpoint?.id ?? null) ||
    anchor.model !== (input.model ?? null) ||
    anchor.length > input.messages.length
  )
    return total
  const from = visible.findIndex((index) => index >= anchor.length)
  const appended = from < 0 ? [] : sizes.slice(from)
  const reply = input.policy.trigger.count === 'prompt+output' ? Math.max(0, anchor.output - (appended[0] ?? 0)) : 0
  return anchor.prompt + sum(appended) + reply
}

export function usableOf(input: PlanInput): Tokens {
  const { trigger } = input.policy
  const published = input.limits === undefined ? Infinity : usableInput(input.limits, trigger.outputCap, input.maxOutput)
  const learned = input.state.calibration.learnedWindow
  if (learned === undefined) return published
  // A provider's number may or may not include the reply: leave room for one, but never more than a quarter.
  const reply = Math.min(input.maxOutput ?? input.limits?.maxOutput ?? trigger.outputCap, trigger.outputCap, Math.floor(learned / 4))
  return Math.max(1, Math.min(published, learned - reply))
}

function visibleOutputs(messages: readonly Message[], pairs: readonly ToolPair[], tokens: TokenMemo): readonly VisibleOutput[] {
  const answered = new Map<number, ToolPair[]>()
  const stepOf = new Map<number, number>()
  for (let at = pairs.length - 1; at >= 0; at--) {
    const pair = pairs[at] as ToolPair
    if (pair.result === undefined) continue
    if (!stepOf.has(pair.call)) stepOf.set(pair.call, stepOf.size)
    const here = answered.get(pair.result)
    if (here === undefined) answered.set(pair.result, [pair])
    else here.push(pair)
  }
  const found: VisibleOutput[] = []
  messages.forEach((message, index) => {
    const here = answered.get(index)
    for (const part of message.parts) {
      if (part.type !== 'tool-result') continue
      const pair = here?.find((one) => one.callId === part.callId)
      found.push({
        index,
        callId: part.callId,
        tool: part.tool,
        input: pair?.input ?? '',
        output: part.output,
        tokens: tokens.ofOutput(part),
        isError: part.isError === true,
        step: pair === undefined ? stepOf.size : (stepOf.get(pair.call) ?? 0),
      })
    }
  })
  return found
}

export function partitionContext(context: Context, retention: Retention): Partition {
  const first = context.input.messages.findIndex(isUserRequest)
  // Only the first request of the session is worth its place; once summarised, the next one does not inherit it.
  const firstRequest = first >= 0 && context.visible.includes(first) ? retention.firstRequest : 0
  const size = (group: Group): Tokens => sum(context.sizes.slice(group.start, group.end))
  return partitionMessages(context.messages, context.groups, size, context.input.policy.retain, { ...retention, firstRequest })
}

/** What the policy wants to keep, before anything is given up. */
export function initialRetention({ retain }: CompactionPolicy, budget: Tokens): Retention {
  return {
    turns: retain.turns,
    messages: retain.messages,
    toolPairs: retain.toolPairs,
    tokens: resolveAmount(retain.tokens, budget),
    firstRequest: resolveAmount(retain.userRequests, budget),
  }
}

export function regionsOf(context: Context, partition?: Partition, summary: Tokens = context.summary): Regions {
  const parts = partition ?? partitionContext(context, initialRetention(context.input.policy, Math.max(1, Math.min(usableOf(context.input), context.total))))
  const newest = context.messages.findLastIndex(isUserRequest)
  let input = 0
  const size = (groups: readonly number[]): Tokens => sum(groups.map((at) => groupSize(context, at)))
  let pinned = size(parts.pinned)
  if (newest >= 0) {
    input = context.sizes[newest] as number
    pinned -= input
  }
  const history = partition === undefined ? size(parts.remainder) : 0
  const { system, tools, memory } = context.overhead
  return { system, tools, memory, pinned, summary, history, recent: size(parts.recent) + size(parts.toolPairs), input }
}

/** One context measured: calibrated total and regions, the uncalibrated estimate, and what must be mended before it is sent. */
export function measureContext(input: PlanInput): {
  readonly total: Tokens
  readonly estimate: Tokens
  readonly regions: Regions
  readonly repairs: readonly Repair[]
} {
  const context = readContext(input)
  const { factor, overhead } = input.state.calibration
  return { total: context.total, estimate: Math.round((context.total - overhead) / factor), regions: regionsOf(context), repairs: sourceRepairs(context) }
}

export function sourceRepairs(context: Context): readonly Repair[] {
  const source = (at: number): number => context.visible[at] as number
  return context.repairs.map((repair) =>
    'after' in repair ? { ...repair, index: source(repair.index), after: source(repair.after) } : { ...repair, index: source(repair.index) },
  )
}

export function groupSize(context: Context, at: number): Tokens {
  const group = context.groups[at] as Group
  return sum(context.sizes.slice(group.start, group.end))
}

export function membersOf(context: Context, at: number): readonly number[] {
  const group = context.groups[at] as Group
  return context.visible.slice(group.start, group.end)
}

export function sum(values: readonly number[]): number {
  let total = 0
  for (const value of values) total += value
  return total
}
