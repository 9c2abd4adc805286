import { type Checkpoint, type Edit, project } from './checkpoint.ts'
import type { Infeasible } from './errors.ts'
import type { TokenEstimator, TokenMemo } from './estimate.ts'
import { type Group, groupMessages, pairToolCalls } from './groups.ts'
import { type ModelLimits, resolveAmount, usableInput } from './limits.ts'
import { isUserRequest, type Message, type Tokens } from './message.ts'
import { partitionMessages, type Partition, type Retention } from './partition.ts'
import type { CompactionPolicy } from './policy.ts'
import { agedOutputs } from './prune/age.ts'
import { type Candidate, isPrunable, type VisibleOutput } from './prune/outputs.ts'
import { supersededOutputs } from './prune/supersede.ts'
import { viewOutput } from './prune/view.ts'
import { toolPolicy } from './policy.ts'
import { type Repair, repairHistory } from './repair.ts'
import { type CompactionState, isBroken } from './state.ts'
import type { SummaryStyle } from './summary/style.ts'
import { decideTrigger, type TriggerDecision } from './trigger.ts'

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

/** The summary that a plan wants: data, no bodies. */
export interface SummaryOrder {
  readonly version: number
  readonly style: SummaryStyle
  /** false: made by code alone. */
  readonly askModel: boolean
  /** Most uncalibrated Tokens of the model's text. */
  readonly tokens: Tokens
  /** Most uncalibrated Tokens of text and record together. */
  readonly room: Tokens
  /** Most uncalibrated Tokens of the record alone. */
  readonly digest: Tokens
  /** Most of them for the user's own words. */
  readonly requests: Tokens
  readonly focus?: string
}

/**
 * What a compaction will do: plain JSON, indices into the history, never bodies (shortened outputs are the one exception: they are what will be sent).
 * Each index is in exactly one of `keep`, `summarise`, `drop` and `represented`.
 */
export interface CompactionPlan {
  readonly decision: TriggerDecision
  readonly keep: readonly number[]
  /** Outputs shown shortened; their messages are in `keep`. */
  readonly edits: readonly Edit[]
  /** What this plan's summary will replace. */
  readonly summarise: readonly number[]
  /** Left out, with a note in the summary that says so. */
  readonly drop: readonly number[]
  /** What earlier summaries already stand for. */
  readonly represented: readonly number[]
  readonly repairs: readonly Repair[]
  readonly summary?: SummaryOrder
  /** Calibrated. `after.summary` is the room given to the summary, of which it may use less. */
  readonly regions: { readonly before: Regions; readonly after: Regions }
  readonly tokens: { readonly before: Tokens; readonly after: Tokens }
  readonly retained: { readonly turns: number; readonly toolPairs: number }
  readonly warnings: readonly string[]
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
  readonly maxOutput?: Tokens
  readonly asked?: 'manual' | 'overflow'
  readonly focus?: string
}

/** Least uncalibrated Tokens worth calling a summary. Source: shipping-agents §5.2. */
const smallestSummary = 128
/** Uncalibrated Tokens of the tags and the preface around a summary. */
export const wrapping = 75

/**
 * The one composition: what is shown now → is there need → shorten outputs, cheapest loss first → keep the newest, summarise the rest,
 * giving up retention step by step until it fits → if nothing else helps, drop; if that does not help either, say what is at fault.
 * Pure: the same input gives the same plan. A dry run is a plan that nobody executed.
 */
export function planCompaction(input: PlanInput): CompactionPlan {
  const context = readContext(input)
  const usable = usableOf(input)
  const decision = decideTrigger(input.policy.trigger, {
    used: context.used,
    usable,
    ...(input.asked !== undefined && { asked: input.asked }),
    ...(input.state.breaker.sizeAfter !== undefined && { sizeAfter: input.state.breaker.sizeAfter }),
  })
  if (decision.action === 'none' || context.visible.length === 0) return unchanged(context, { ...decision, action: 'none' }, [])

  const shortened = shortenOutputs(context, decision.target)
  const before = context.total
  if (shortened.total <= decision.target && isWorthIt(before, shortened.total, input, decision)) {
    return { ...unchanged(shortened, decision, []), regions: { before: regionsOf(context), after: regionsOf(shortened) }, tokens: { before, after: shortened.total } }
  }
  return planSummary(context, shortened, decision, usable)
}

/** The history as it is shown now. Everything below works on visible messages and translates back at the end. */
interface Context {
  readonly input: PlanInput
  /** Source index of each visible message. */
  readonly visible: readonly number[]
  readonly messages: readonly Message[]
  readonly groups: readonly Group[]
  readonly repairs: readonly Repair[]
  readonly outputs: readonly VisibleOutput[]
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

const editKey = (index: number, callId: string): string => `${index}\u0000${callId}`

function readContext(input: PlanInput): Context {
  const { messages, checkpoint, state } = input
  const visible: number[] = []
  for (const place of project(messages.length, checkpoint)) if (place.kind === 'message') visible.push(place.index)
  const shown = visible.map((index) => messages[index] as Message)
  const pairing = pairToolCalls(shown)
  const edits = new Map((checkpoint?.edits ?? []).map((edit) => [editKey(edit.index, edit.callId), edit]))
  const text = checkpoint?.summary === undefined ? 0 : input.estimator.count(checkpoint.summary.text) + input.estimator.count(checkpoint.summary.digest) + wrapping
  const { factor } = state.calibration
  const scale = (tokens: Tokens): Tokens => Math.ceil(tokens * factor)
  const overhead = {
    system: scale(input.overhead.system),
    tools: scale(input.overhead.tools) + state.calibration.overhead,
    memory: scale(input.overhead.memory),
  }
  const partial = {
    input,
    visible,
    messages: shown,
    groups: groupMessages(shown, pairing),
    repairs: repairHistory(shown, pairing),
    outputs: visibleOutputs(shown, pairing.pairs, input.estimator),
    summary: scale(text),
    overhead: { ...overhead, total: overhead.system + overhead.tools + overhead.memory },
  }
  return withEdits(partial, edits)
}

function withEdits(partial: Omit<Context, 'edits' | 'sizes' | 'total' | 'used'>, edits: ReadonlyMap<string, Edit>): Context {
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
  if (anchor === undefined || anchor.checkpoint !== (input.checkpoint?.id ?? null) || anchor.length > input.messages.length) return total
  const from = visible.findIndex((index) => index >= anchor.length)
  const appended = from < 0 ? [] : sizes.slice(from)
  const reply = input.policy.trigger.count === 'prompt+output' ? Math.max(0, anchor.output - (appended[0] ?? 0)) : 0
  return anchor.prompt + sum(appended) + reply
}

function usableOf(input: PlanInput): Tokens {
  const { trigger } = input.policy
  const published = input.limits === undefined ? Infinity : usableInput(input.limits, trigger.outputCap, input.maxOutput)
  const learned = input.state.calibration.learnedWindow
  if (learned === undefined) return published
  // A provider's number may or may not include the reply: leave room for one, but never more than a quarter.
  const reply = Math.min(input.maxOutput ?? input.limits?.maxOutput ?? trigger.outputCap, trigger.outputCap, Math.floor(learned / 4))
  return Math.max(1, Math.min(published, learned - reply))
}

function visibleOutputs(messages: readonly Message[], pairs: readonly { callId: string; input: string; call: number; result?: number }[], estimator: TokenEstimator): readonly VisibleOutput[] {
  const inputs = new Map<string, string>()
  const callOf = new Map<string, number>()
  for (const pair of pairs) {
    if (pair.result === undefined) continue
    inputs.set(editKey(pair.result, pair.callId), pair.input)
    callOf.set(editKey(pair.result, pair.callId), pair.call)
  }
  const steps = [...new Set(callOf.values())].sort((a, b) => b - a)
  const stepOf = new Map(steps.map((call, at) => [call, at]))
  const found: VisibleOutput[] = []
  messages.forEach((message, index) => {
    for (const part of message.parts) {
      if (part.type !== 'tool-result') continue
      const key = editKey(index, part.callId)
      const call = callOf.get(key)
      found.push({
        index,
        callId: part.callId,
        tool: part.tool,
        input: inputs.get(key) ?? '',
        output: part.output,
        tokens: estimator.count(part.output),
        isError: part.isError === true,
        step: call === undefined ? steps.length : (stepOf.get(call) ?? 0),
      })
    }
  })
  return found
}

/** The rungs that need no summary, cheapest loss first; a rung runs only if the one before did not reach the target. */
function shortenOutputs(context: Context, target: Tokens): Context {
  const { policy } = context.input
  const newest = context.groups.at(-1)?.start ?? 0
  let current = context
  const rung = (candidates: () => readonly (Candidate & { readonly kind: Edit['kind'] })[]): void => {
    if (current.total > target) current = replaceOutputs(current, candidates())
  }
  const open = (): readonly VisibleOutput[] => current.outputs.filter((output) => output.index < newest && mayShorten(current, output) && !isEdited(current, output))
  if (policy.prune.supersede) rung(() => supersededOutputs(current.outputs.filter((output) => output.index >= newest || mayShorten(current, output))).filter((found) => found.output.index < newest && !isEdited(current, found.output)))
  const { age } = policy.prune
  if (age !== undefined) {
    const usable = Math.min(usableOf(context.input), Number.MAX_SAFE_INTEGER)
    const limits = { protect: resolveAmount(age.protect, usable), minimum: resolveAmount(age.minimum, usable), steps: age.steps }
    rung(() => agedOutputs(open(), limits).map((found) => ({ ...found, kind: 'aged' as const })))
  }
  rung(() => open().filter((output) => output.tokens > policy.prune.view.tokens).map((output) => viewOf(context.input, output, policy.prune.view.tokens)))
  return current
}

function viewOf(input: PlanInput, output: VisibleOutput, tokens: Tokens): Candidate & { readonly kind: 'view' } {
  const { prune } = input.policy
  const shape = toolPolicy(prune, output.tool).shape ?? 'generic'
  return { output, kind: 'view', text: viewOutput(output.output, shape, { tokens, lineLength: prune.view.lineLength }, input.estimator) }
}

function mayShorten(context: Context, output: VisibleOutput): boolean {
  const message = context.messages[output.index] as Message
  const barrier = context.groups.findLast((group) => group.barrier)
  if (barrier !== undefined && output.index < barrier.end) return false
  return message.protected !== true && !context.input.policy.retain.roles.includes(message.role) && isPrunable(context.input.policy, output.tool)
}

function isEdited(context: Context, output: VisibleOutput): boolean {
  return context.edits.has(editKey(context.visible[output.index] as number, output.callId))
}

/** Takes each candidate that is smaller than what it replaces. */
function replaceOutputs(context: Context, candidates: readonly (Candidate & { readonly kind: Edit['kind'] })[]): Context {
  const edits = new Map(context.edits)
  for (const { output, text, kind } of candidates) {
    const index = context.visible[output.index] as number
    const freed = output.tokens - context.input.estimator.count(text)
    const before = edits.get(editKey(index, output.callId))?.freed ?? 0
    if (freed > before) edits.set(editKey(index, output.callId), { index, callId: output.callId, kind, text, freed })
  }
  return withEdits(context, edits)
}

/** Retention given up step by step: turns to 1, then tool steps to 1, then the tail itself. Source: sources "layered", row 7. */
function* relaxations(policy: CompactionPolicy, budget: Tokens): Generator<Retention> {
  const { retain } = policy
  let retention: Retention = {
    turns: retain.turns,
    messages: retain.messages,
    toolPairs: retain.toolPairs,
    tokens: resolveAmount(retain.tokens, budget),
    firstRequest: resolveAmount(retain.userRequests, budget),
  }
  yield retention
  while (retention.turns > 1) yield (retention = { ...retention, turns: Math.max(1, Math.ceil(retention.turns / 2)), messages: Math.ceil(retention.messages / 2) })
  while (retention.toolPairs > 1) yield (retention = { ...retention, toolPairs: Math.max(1, retention.toolPairs >> 1) })
  while (retention.tokens > 400) yield (retention = { ...retention, toolPairs: 0, tokens: Math.floor(retention.tokens / 3) })
  yield { turns: 0, messages: 0, toolPairs: 0, tokens: 0, firstRequest: 0 }
}

function planSummary(original: Context, shortened: Context, decision: TriggerDecision, usable: Tokens): CompactionPlan {
  const { input } = original
  const { policy } = input
  const budget = usable === Infinity ? original.used : usable
  const warnings: string[] = []
  // Overheads measured in excess of the estimate count against the target too.
  const excess = Math.max(0, original.used - original.total)
  for (const goal of decision.target < budget ? [decision.target, budget] : [budget]) {
    if (goal !== decision.target) warnings.push(`target of ${decision.target} tokens is out of reach: the parts that must stay are larger`)
    for (const retention of relaxations(policy, budget)) {
      const fitted = fit(shortened, retention, goal - excess, budget)
      if (fitted === undefined) continue
      const plan = summaryPlan(original, fitted, decision, warnings)
      if (plan.summarise.length + plan.drop.length === 0 && plan.edits.length === original.edits.size) break
      if (isWorthIt(original.total, plan.tokens.after, input, decision) || original.used > usable) return plan
      break
    }
  }
  if (original.used <= budget) return unchanged(original, { ...decision, action: 'none' }, ['nothing that may be removed would free enough'])
  const tight = fitTail(shortened, budget - excess)
  if (tight !== undefined) return summaryPlan(original, tight, decision, [...warnings, 'the newest exchange was shortened to fit'])
  return unchanged(original, { ...decision, action: 'infeasible', culprit: culpritOf(shortened, budget) }, warnings)
}

interface Fitted {
  readonly context: Context
  readonly partition: Partition
  readonly retention: Retention
  /** Calibrated Tokens for the summary. */
  readonly room: Tokens
  readonly drop: readonly number[]
}

/** Whether one retention leaves room for a summary of the rest. */
function fit(context: Context, retention: Retention, goal: Tokens, budget: Tokens): Fitted | undefined {
  const partition = partitionContext(context, retention)
  if (partition.remainder.length === 0 && context.summary === 0) return context.total <= goal ? { context, partition, retention, room: 0, drop: [] } : undefined
  const kept = sum([...partition.pinned, ...partition.recent, ...partition.toolPairs].map((at) => groupSize(context, at)))
  const replaced = sum(partition.remainder.map((at) => groupSize(context, at))) + context.summary
  const { factor } = context.input.state.calibration
  const least = Math.ceil(smallestSummary * factor)
  const free = goal - context.overhead.total - kept
  if (free < least || replaced <= least) return undefined
  const { summary } = context.input.policy
  const most = Math.ceil(resolveAmount(summary.tokens, budget) + resolveAmount(summary.digest, budget))
  return { context, partition, retention, room: Math.min(free, most, Math.floor(replaced * 0.85)), drop: [] }
}

/** The last resort before giving up: shorten outputs of the tail to what fits, then leave its groups out, oldest first. Nothing pinned is touched. */
function fitTail(context: Context, goal: Tokens): Fitted | undefined {
  const bare: Retention = { turns: 0, messages: 0, toolPairs: 0, tokens: 0, firstRequest: 0 }
  const { factor } = context.input.state.calibration
  const least = Math.ceil(smallestSummary * factor)
  let current = context
  for (const tokens of [2_000, 500, 120, 40]) {
    const tail = new Set(partitionContext(current, bare).recent.concat(partitionContext(current, bare).pinned))
    const inTail = current.outputs.filter((output) => current.groups.some((group, at) => tail.has(at) && output.index >= group.start && output.index < group.end))
    current = replaceOutputs(current, inTail.filter((output) => output.tokens > tokens && mayShorten(current, output)).map((output) => viewOf(current.input, output, tokens)))
    const fitted = fit(current, bare, goal, goal)
    if (fitted !== undefined) return fitted
  }
  const partition = partitionContext(current, bare)
  const pinned = sum(partition.pinned.map((at) => groupSize(current, at)))
  const free = goal - current.overhead.total - pinned
  if (free < least || partition.recent.length === 0) return undefined
  const gone = { ...partition, recent: [], remainder: [...partition.remainder, ...partition.recent].sort((a, b) => a - b) }
  return { context: current, partition: gone, retention: bare, room: free, drop: partition.recent }
}

function partitionContext(context: Context, retention: Retention): Partition {
  const first = context.input.messages.findIndex(isUserRequest)
  // Only the first request of the session is worth its place; once summarised, the next one does not inherit it.
  const firstRequest = first >= 0 && context.visible.includes(first) ? retention.firstRequest : 0
  const size = (group: Group): Tokens => sum(context.sizes.slice(group.start, group.end))
  return partitionMessages(context.messages, context.groups, size, context.input.policy.retain, { ...retention, firstRequest })
}

function summaryPlan(original: Context, fitted: Fitted, decision: TriggerDecision, warnings: readonly string[]): CompactionPlan {
  const { context, partition, retention, room } = fitted
  const { input } = context
  const { policy, state, checkpoint } = input
  const indicesOf = (groups: readonly number[]): readonly number[] => groups.flatMap((at) => membersOf(context, at))
  const keep = [...indicesOf(partition.pinned), ...indicesOf(partition.recent), ...indicesOf(partition.toolPairs)].sort((a, b) => a - b)
  const drop = indicesOf(fitted.drop)
  const summarise = indicesOf(partition.remainder).filter((index) => !drop.includes(index))
  const kept = new Set(keep)
  const edits = [...context.edits.values()].filter((edit) => kept.has(edit.index)).sort((a, b) => a.index - b.index)
  const { factor } = state.calibration
  const uncalibrated = (tokens: Tokens): Tokens => Math.floor(tokens / factor)
  const budget = decision.usable ?? original.used
  const roomFor = uncalibrated(room)
  const order: SummaryOrder = {
    version: (checkpoint?.version ?? 0) + 1,
    style: policy.summary.style,
    askModel: decision.action !== 'emergency' && !(isBroken(state.breaker) && decision.reason !== 'manual'),
    tokens: Math.min(uncalibrated(resolveAmount(policy.summary.tokens, budget)), Math.max(0, Math.floor((roomFor - wrapping) * 0.7))),
    room: roomFor,
    digest: uncalibrated(resolveAmount(policy.summary.digest, budget)),
    requests: uncalibrated(resolveAmount(policy.retain.userRequests, budget)),
    ...(input.focus !== undefined && { focus: input.focus }),
  }
  const before = regionsOf(original)
  const after = regionsOf(context, partition, room)
  return {
    decision,
    keep,
    edits,
    summarise,
    drop,
    represented: representedBy(input, context.visible),
    repairs: sourceRepairs(context).filter((repair) => kept.has(repair.index)),
    ...(summarise.length + drop.length > 0 && { summary: order }),
    regions: { before, after },
    tokens: { before: original.total, after: totalOf(after) },
    retained: { turns: retention.turns, toolPairs: retention.toolPairs },
    warnings,
  }
}

function unchanged(context: Context, decision: TriggerDecision, warnings: readonly string[]): CompactionPlan {
  const { retain } = context.input.policy
  const regions = regionsOf(context)
  return {
    decision,
    keep: context.visible,
    edits: [...context.edits.values()].sort((a, b) => a.index - b.index),
    summarise: [],
    drop: [],
    represented: representedBy(context.input, context.visible),
    repairs: sourceRepairs(context),
    regions: { before: regions, after: regions },
    tokens: { before: context.total, after: context.total },
    retained: { turns: retain.turns, toolPairs: retain.toolPairs },
    warnings,
  }
}

function representedBy(input: PlanInput, visible: readonly number[]): readonly number[] {
  const { checkpoint } = input
  if (checkpoint === undefined) return []
  const shown = new Set(visible)
  return Array.from({ length: checkpoint.covered }, (_, index) => index).filter((index) => !shown.has(index))
}

function sourceRepairs(context: Context): readonly Repair[] {
  const source = (at: number): number => context.visible[at] as number
  return context.repairs.map((repair) => ('after' in repair ? { ...repair, index: source(repair.index), after: source(repair.after) } : { ...repair, index: source(repair.index) }))
}

function regionsOf(context: Context, partition?: Partition, summary: Tokens = context.summary): Regions {
  const parts = partition ?? partitionContext(context, relaxations(context.input.policy, Math.max(1, Math.min(usableOf(context.input), context.total))).next().value as Retention)
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

function totalOf(regions: Regions): Tokens {
  return regions.system + regions.tools + regions.memory + regions.pinned + regions.summary + regions.history + regions.recent + regions.input
}

function isWorthIt(before: Tokens, after: Tokens, input: PlanInput, decision: TriggerDecision): boolean {
  if (decision.reason === 'overflow') return after < before
  return before - after >= before * input.policy.trigger.minimumGain
}

/** The part that is largest among those that must stay. */
function culpritOf(context: Context, budget: Tokens): Infeasible {
  const { system, tools, memory, total } = context.overhead
  const partition = partitionContext(context, { turns: 0, messages: 0, toolPairs: 0, tokens: 0, firstRequest: 0 })
  const newest = context.messages.findLastIndex(isUserRequest)
  const request = newest < 0 ? 0 : (context.sizes[newest] as number)
  const pinned = sum(partition.pinned.map((at) => groupSize(context, at))) - request
  const parts: Infeasible[] = [
    { part: 'system', tokens: system, available: budget - (total - system) },
    { part: 'tools', tokens: tools, available: budget - (total - tools) },
    { part: 'memory', tokens: memory, available: budget - (total - memory) },
    { part: 'protected', tokens: pinned, available: budget - total },
    { part: 'message', tokens: request, available: budget - total - pinned, ...(newest >= 0 && { index: context.visible[newest] as number }) },
    { part: 'tail', tokens: sum(partition.recent.map((at) => groupSize(context, at))), available: budget - total - pinned - request },
  ]
  const worst = parts.reduce((most, part) => (part.tokens > most.tokens ? part : most))
  return { ...worst, available: Math.max(0, worst.available) }
}

function groupSize(context: Context, at: number): Tokens {
  const group = context.groups[at] as Group
  return sum(context.sizes.slice(group.start, group.end))
}

function membersOf(context: Context, at: number): readonly number[] {
  const group = context.groups[at] as Group
  return context.visible.slice(group.start, group.end)
}

function sum(values: readonly number[]): number {
  let total = 0
  for (const value of values) total += value
  return total
}

/** One context measured: calibrated total and regions, the uncalibrated estimate, and what must be mended before it is sent. */
export function measureContext(input: PlanInput): { readonly total: Tokens; readonly estimate: Tokens; readonly regions: Regions; readonly repairs: readonly Repair[] } {
  const context = readContext(input)
  const { factor, overhead } = input.state.calibration
  return { total: context.total, estimate: Math.round((context.total - overhead) / factor), regions: regionsOf(context), repairs: sourceRepairs(context) }
}
