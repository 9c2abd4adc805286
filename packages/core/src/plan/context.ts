import { learnedInput } from '../budget/calibrate.ts'
import type { TokenEstimator, TokenMemo } from '../budget/estimate.ts'
import { type ModelLimits, replyReserve, resolveAmount, usableInput } from '../budget/limits.ts'
import { countedPrompt } from '../budget/usage.ts'
import { fingerprint } from '../history/fingerprint.ts'
import { type Group, groupMessages, pairToolCalls, type ToolPair } from '../history/groups.ts'
import { memoized } from '../history/memoize.ts'
import { isUserRequest, type MarkerPart, type Message, type Tokens } from '../history/message.ts'
import { type Partition, partitionMessages, type Retention } from '../partition/partition.ts'
import { freedByRepair, type Repair, repairHistory } from '../partition/repair.ts'
import { type CompactionPolicy, type ToolPolicy, toolPolicy } from '../policy/policy.ts'
import type { RedactedReading } from '../privacy/redact-message.ts'
import { type Checkpoint, type Edit, project } from '../state/checkpoint.ts'
import type { Asked } from '../state/reason.ts'
import type { CompactionState } from '../state/state.ts'
import { emptySummary } from '../summary/parse.ts'
import { shownTokens } from '../summary/render.ts'

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
  readonly asked?: Asked
  /** Largest prompt that a refusal leaves, in Tokens: goes before whatever the window is believed to be. */
  readonly ceiling?: Tokens
  readonly focus?: string
  /** What tools declare about their outputs. */
  readonly tools?: Readonly<Record<string, ToolPolicy>>
  /** Whole outputs are stored, and the model has a tool to read them: shortened texts name the reference. */
  readonly stored?: boolean
  /** Milliseconds since the last call of this session; undefined: no call yet, or long ago. */
  readonly idle?: number
  /** Parts as they may leave the process: texts that are shown in place of others are stored, so they are made of these. Absent: as they are. */
  readonly redacted?: RedactedReading
  /** The summary's model is not asked this time, unless a person does: it failed of late, or another process is writing this summary. */
  readonly summaryModelAway?: boolean
  /** Source indices that speak of what is asked now; kept verbatim while there is room. */
  readonly related?: ReadonlySet<number>
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
  readonly edits: ReadonlyMap<string, Edit>
  /** Calibrated Tokens of each visible message, edits applied. */
  readonly sizes: readonly Tokens[]
  readonly summary: Tokens
  readonly overhead: { readonly system: Tokens; readonly tools: Tokens; readonly memory: Tokens; readonly total: Tokens }
  /** By estimate. */
  readonly total: Tokens
  /** Uncalibrated, without what was measured in excess. */
  readonly estimate: Tokens
  /** By the provider's last measurement plus what came after, where there is one. */
  readonly used: Tokens
}

const surfaceOf = (kind: Edit['kind'], callId: string): string => (kind === 'arguments' ? 'input' : kind === 'media' && callId === '' ? 'media' : 'output')

/** One place that can be shown in other words: at most one edit each. */
export const editKey = ({ index, callId, kind }: Pick<Edit, 'index' | 'callId' | 'kind'>): string => `${index}\u0000${callId}\u0000${surfaceOf(kind, callId)}`

/** What depends on the messages alone: the same for every call with the same history and checkpoint. */
interface Structure {
  readonly visible: readonly number[]
  readonly shown: readonly Message[]
  readonly pairs: readonly ToolPair[]
  readonly groups: readonly Group[]
  readonly barrierEnd: number
  readonly repairs: readonly Repair[]
  readonly marker: MarkerPart | undefined
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
  const structure = { visible, shown, pairs: pairing.pairs, groups, barrierEnd, repairs: repairHistory(shown, pairing), marker: newestMarker(shown) }
  structures.set(messages, { checkpoint, structure })
  return structure
}

function newestMarker(messages: readonly Message[]): MarkerPart | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    for (const part of messages[at]?.parts ?? []) if (part.type === 'marker') return part
  }
  return undefined
}

/** @param arrival Edits that outputs get from their arrival on; empty where the policy wants none. */
export function readContext(input: PlanInput, arrival: (context: Context) => readonly Edit[] = () => []): Context {
  const { messages, checkpoint, policy } = input
  const structure = structureOf(messages, checkpoint)
  const { visible, shown, groups, pairs, barrierEnd, repairs, marker } = structure
  const { factor, overhead: excess } = input.state.calibration
  // The simpler rule corrects the messages alone: what is declared is taken as it is.
  const scale = (tokens: Tokens): Tokens => (policy.trigger.accounting === 'calibrated' ? tokens : Math.ceil(tokens * factor))
  const overhead = { system: scale(input.overhead.system), tools: scale(input.overhead.tools) + excess, memory: scale(input.overhead.memory) }
  const partial: Unmeasured = {
    input,
    visible,
    messages: shown,
    pairs,
    groups,
    barrierEnd,
    repairs,
    marker,
    summary: Math.ceil(summaryTokens(input) * factor),
    overhead: { ...overhead, total: overhead.system + overhead.tools + overhead.memory },
  }
  const stored = new Map((checkpoint?.edits ?? []).map((edit) => [editKey(edit), edit]))
  const context = withEdits(partial, stored)
  const views = arrival(context).filter((edit) => !stored.has(editKey(edit)))
  return views.length === 0 ? context : withEdits(partial, new Map([...views.map((edit) => [editKey(edit), edit] as const), ...stored]))
}

const counted = new WeakMap<Checkpoint, Tokens>()

/** A summary is as long as the context it stands in: it is counted once, not before each call. Sessions do not share their checkpoints, so one estimator counts it. */
function summaryTokens({ checkpoint, estimator, policy }: PlanInput): Tokens {
  if (checkpoint?.summary === undefined) return 0
  const { summary } = checkpoint
  return memoized(counted, checkpoint, () => shownTokens(summary, policy.summary, checkpoint, estimator))
}

/** Uncalibrated Tokens of what stands around a summary's own words; at most, as a word to go on does not follow every one. */
export function tokensAround({ policy, estimator }: PlanInput): Tokens {
  return shownTokens(emptySummary, policy.summary, { dropped: [], automatic: true }, estimator)
}

type Unmeasured = Omit<Context, 'edits' | 'sizes' | 'total' | 'used' | 'estimate'>

export function withEdits(partial: Unmeasured, edits: ReadonlyMap<string, Edit>): Context {
  const { input, visible, messages, repairs } = partial
  const freed = new Map<number, Tokens>()
  const free = (index: number, tokens: Tokens): unknown => freed.set(index, (freed.get(index) ?? 0) + tokens)
  for (const edit of edits.values()) free(edit.index, edit.freed)
  for (const repair of repairs) {
    const index = visible[repair.index] as number
    // What is left out counts once, whatever an edit made of it.
    const edit = repair.kind === 'orphan-result' ? edits.get(editKey({ ...repair, index, kind: 'view' })) : undefined
    free(index, freedByRepair(repair, messages[repair.index] as Message, input.tokens) - (edit?.freed ?? 0))
  }
  const { factor } = input.state.calibration
  let raw = 0
  const sizes = visible.map((index, at) => {
    const whole = input.tokens.of(messages[at] as Message)
    const tokens = freed.size === 0 ? whole : Math.max(1, whole - (freed.get(index) ?? 0))
    raw += tokens
    return Math.ceil(tokens * factor)
  })
  const total = partial.overhead.total + partial.summary + sum(sizes)
  const { system, tools, memory } = input.overhead
  const estimate = system + tools + memory + summaryTokens(input) + raw
  return { ...partial, edits, sizes, total, estimate, used: usedOf(input, visible, sizes, total) }
}

/** `prompt of the last call + estimate of what was appended`, while the context was not rewritten since; otherwise the estimate. */
function usedOf(input: PlanInput, visible: readonly number[], sizes: readonly Tokens[], total: Tokens): Tokens {
  const { anchor } = input.state
  const { count, accounting } = input.policy.trigger
  if (
    accounting === 'calibrated' ||
    anchor === undefined ||
    anchor.checkpoint !== (input.checkpoint?.id ?? null) ||
    anchor.model !== (input.model ?? null) ||
    anchor.length > input.messages.length ||
    (anchor.fingerprint !== undefined && anchor.fingerprint !== fingerprint(input.messages, anchor.length))
  )
    return total
  const from = visible.findIndex((index) => index >= anchor.length)
  const appended = from < 0 ? [] : sizes.slice(from)
  const reply = count.includes('output') ? Math.max(0, anchor.usage.output - (appended[0] ?? 0)) : 0
  return countedPrompt(anchor.usage, count) + sum(appended) + reply
}

export function usableOf(input: PlanInput): Tokens {
  const { limits, maxOutput, ceiling } = input
  if (ceiling !== undefined) return ceiling
  const { outputCap, buffer } = input.policy.trigger
  const published = limits === undefined ? Infinity : usableInput(limits, outputCap, maxOutput)
  const learned = learnedInput(input.state.calibration, (contextWindow) => replyReserve({ ...limits, contextWindow }, outputCap, maxOutput))
  const usable = Math.min(published, learned)
  return usable === Infinity ? usable : Math.max(1, usable - Math.min(buffer, Math.floor(usable / 4)))
}

/** The rules for one tool, its own declaration included. */
export function rulesFor(context: Context, tool: string): ToolPolicy {
  return hasToolRules(context) ? toolPolicy(context.input.policy.prune, tool, context.input.tools) : noRules
}

const noRules: ToolPolicy = {}

function hasToolRules({ input }: Context): boolean {
  if (input.tools !== undefined) return true
  for (const _ in input.policy.prune.tools) return true
  return false
}

export function partitionContext(context: Context, retention: Retention): Partition {
  const { input, visible } = context
  const first = input.messages.findIndex(isUserRequest)
  // Only the first request of the session is worth its place; once summarized, the next one does not inherit it.
  const firstRequest = first >= 0 && visible.includes(first) ? retention.firstRequest : 0
  const size = (group: Group): Tokens => sum(context.sizes.slice(group.start, group.end))
  return partitionMessages(context.messages, context.groups, size, {
    retain: input.policy.retain,
    retention: { ...retention, firstRequest },
    isPinnedTool: hasToolRules(context) ? (tool) => rulesFor(context, tool).pinned === true : undefined,
    isRelated: (at) => input.related?.has(visible[at] as number) === true,
  })
}

/** What the policy wants to keep, before anything is given up. */
export function initialRetention({ retain }: CompactionPolicy, budget: Tokens): Retention {
  return {
    turns: retain.turns,
    messages: retain.messages,
    toolPairs: retain.toolPairs,
    tokens: resolveAmount(retain.tokens, budget),
    related: resolveAmount(retain.semantic?.tokens ?? { tokens: 0 }, budget),
    firstRequest: resolveAmount(retain.userRequests, budget),
    newestRequest: retain.newestRequest === undefined ? Infinity : resolveAmount(retain.newestRequest, budget),
  }
}

const regionsFor = new WeakMap<Context, Regions>()

/** Tokens by region; with a partition, as they will be after it: the remainder gone, `summary` in its place. */
export function regionsOf(context: Context, partition?: Partition, summary: Tokens = context.summary): Regions {
  return partition === undefined ? memoized(regionsFor, context, () => countRegions(context, partition, summary)) : countRegions(context, partition, summary)
}

function countRegions(context: Context, partition: Partition | undefined, summary: Tokens): Regions {
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
  return { system, tools, memory, pinned, summary, history, recent: size(parts.recent) + size(parts.toolPairs) + size(parts.related), input }
}

/** One context measured: calibrated total and regions, the uncalibrated estimate, and what must be changed or mended before it is sent. */
export interface Measured {
  readonly total: Tokens
  readonly estimate: Tokens
  readonly regions: Regions
  readonly edits: readonly Edit[]
  readonly repairs: readonly Repair[]
}

export function measured(context: Context): Measured {
  return { total: context.total, estimate: context.estimate, regions: regionsOf(context), edits: editsOf(context), repairs: sourceRepairs(context) }
}

/** Edits of visible messages, in the order of the history. */
export function editsOf(context: Context, kept?: ReadonlySet<number>): readonly Edit[] {
  return [...context.edits.values()].filter((edit) => kept === undefined || kept.has(edit.index)).sort((a, b) => a.index - b.index)
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
