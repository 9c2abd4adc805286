import { InvalidConfigurationError } from './errors.ts'
import type { MediaCost } from './estimate.ts'
import type { Amount, Threshold } from './limits.ts'
import type { Role, Tokens } from './message.ts'
import type { SummaryStyle } from './summary/style.ts'

/** What to do and when, as plain JSON: the same value serves every adapter. Complete in memory; `mergePolicy` fills what a user leaves out. */
export interface CompactionPolicy {
  readonly trigger: TriggerPolicy
  readonly retain: RetainPolicy
  readonly prune: PrunePolicy
  readonly summary: SummaryPolicy
}

export interface TriggerPolicy {
  /** false: only on request, or when a provider refuses a prompt. Default true. */
  readonly auto: boolean
  /** From here on the report says `soft`: a good moment for a host to compact while it is idle. */
  readonly soft?: Threshold
  /** Compaction before the next call. Lower: more often, cheaper prompts. Higher: more stays verbatim. */
  readonly hard: Threshold
  /** From here on no model is asked for a summary: the record made by code takes its place. Absent: a model may always be asked. */
  readonly emergency?: Threshold
  /** Size that a compaction aims at. The distance to `hard` is the room it wins: small distances mean many compactions. */
  readonly target: Threshold
  /** `prompt`: what the next request holds. `prompt+output`: the last reply is counted as billed, hidden reasoning included. */
  readonly count: 'prompt' | 'prompt+output'
  /** Most output tokens ever reserved for a reply. */
  readonly outputCap: Tokens
  /** Subtracted from `hard`, so that the request for a summary fits too. */
  readonly reserve: Amount
  /** What attachments cost, by kind: providers differ, and none bills by payload length. */
  readonly media: MediaCost
  /** Fraction (0–1) of the context that a compaction must free; less is no progress and is not done. */
  readonly minimumGain: number
}

export interface RetainPolicy {
  /** Newest user turns kept verbatim, as far as `tokens` allows. */
  readonly turns: number
  /** Newest messages kept verbatim beyond those turns, as far as `tokens` allows. */
  readonly messages: number
  /** Most tokens that the verbatim tail may take. At least the newest group always stays. */
  readonly tokens: Amount
  /** Newest tool calls with their results, kept even outside the tail while `tokens` allows. */
  readonly toolPairs: number
  /** Budget for the user's own words: the first request stays as a message, older ones word for word in the record. */
  readonly userRequests: Amount
  /** Messages of these roles are never touched. */
  readonly roles: readonly Role[]
}

export interface PrunePolicy {
  /** Largest view of one tool output outside the newest group, and how far a single line may reach (characters). */
  readonly view: { readonly tokens: Tokens; readonly lineLength: number }
  /** Outputs that a later call made worthless: the same call again, the same file read again or written later. */
  readonly supersede: boolean
  /** Old outputs become a one-line reference: newest `protect` tokens of output stay, and the last `steps` tool steps; done only if it frees `minimum`. */
  readonly age?: { readonly protect: Amount; readonly minimum: Amount; readonly steps: number }
  /** By tool name, or a pattern with `*`. */
  readonly tools: Readonly<Record<string, ToolPolicy>>
}

/** What kind of text a tool returns; decides which parts of it a short view shows. */
export type ToolShape = 'head-tail' | 'match-list' | 'file-content' | 'generic'

export interface ToolPolicy {
  /** `always`: outputs of this tool are never shortened (they are instructions, say). */
  readonly keep?: 'always' | 'prunable'
  readonly shape?: ToolShape
}

export interface SummaryPolicy {
  readonly style: SummaryStyle
  /** Asked for when the first attempt failed. */
  readonly fallbackStyle: SummaryStyle
  /** Role of the message that carries the summary. `user` is accepted by every provider. */
  readonly role: 'user' | 'assistant' | 'system'
  /** Most tokens of the model's own text. */
  readonly tokens: Amount
  /** Most tokens of the record made by code; what the target leaves over is filled up to here. */
  readonly digest: Amount
  /** Lines added to every request for a summary, as bullets. */
  readonly directives: readonly string[]
  /** Appended behind an automatic summary, to keep the agent going; null for nothing. */
  readonly continuation: string | null
  /** Milliseconds that all attempts at one summary may take together. */
  readonly deadline: number
}

/** A policy with any field left out, at any depth. Arrays and thresholds are replaced whole. */
export type PolicyOverrides = {
  readonly [Section in keyof CompactionPolicy]?: Partial<CompactionPolicy[Section]>
}

/** `base` with the fields of `overrides` in their place. @throws InvalidConfigurationError */
export function mergePolicy(base: CompactionPolicy, overrides: PolicyOverrides): CompactionPolicy {
  return validatePolicy({
    trigger: { ...base.trigger, ...overrides.trigger },
    retain: { ...base.retain, ...overrides.retain },
    prune: { ...base.prune, ...overrides.prune },
    summary: { ...base.summary, ...overrides.summary },
  })
}

/** @throws InvalidConfigurationError for numbers that cannot be meant. Thresholds are compared where they share a unit. */
export function validatePolicy(policy: CompactionPolicy): CompactionPolicy {
  const { trigger, retain, prune, summary } = policy
  for (const name of ['hard', 'emergency', 'target', 'soft'] as const) {
    const threshold = trigger[name]
    if (threshold !== undefined) checkAmount(`trigger.${name}`, threshold)
  }
  if (inOrder(trigger.target, trigger.hard) === false) {
    throw new InvalidConfigurationError('trigger.target', trigger.target, `expected less than trigger.hard (${JSON.stringify(trigger.hard)})`)
  }
  checkAmount('trigger.reserve', trigger.reserve)
  checkFraction('trigger.minimumGain', trigger.minimumGain)
  checkCount('trigger.outputCap', trigger.outputCap, 1)
  for (const kind of ['image', 'document', 'recording', 'other'] as const) checkCount(`trigger.media.${kind}`, trigger.media[kind], 0)
  checkCount('retain.turns', retain.turns, 0)
  checkCount('retain.messages', retain.messages, 0)
  checkCount('retain.toolPairs', retain.toolPairs, 0)
  checkAmount('retain.tokens', retain.tokens)
  checkAmount('retain.userRequests', retain.userRequests)
  checkCount('prune.view.tokens', prune.view.tokens, 50)
  checkCount('prune.view.lineLength', prune.view.lineLength, 20)
  checkAmount('summary.tokens', summary.tokens)
  checkAmount('summary.digest', summary.digest)
  checkCount('summary.deadline', summary.deadline, 1)
  return policy
}

/** The rules for one tool: its own name first, then the first pattern that matches. */
export function toolPolicy(prune: PrunePolicy, tool: string): ToolPolicy {
  const own = prune.tools[tool]
  if (own !== undefined) return own
  for (const [pattern, rules] of Object.entries(prune.tools)) if (matches(pattern, tool)) return rules
  return {}
}

function matches(pattern: string, name: string): boolean {
  const pieces = pattern.split('*')
  if (pieces.length === 1) return pattern === name
  if (!name.startsWith(pieces[0] ?? '') || !name.endsWith(pieces.at(-1) ?? '')) return false
  let from = 0
  for (const piece of pieces) {
    const at = name.indexOf(piece, from)
    if (at < 0) return false
    from = at + piece.length
  }
  return true
}

function inOrder(low: Threshold, high: Threshold): boolean | undefined {
  if ('fraction' in low && 'fraction' in high) return low.fraction < high.fraction
  if ('tokens' in low && 'tokens' in high) return low.tokens < high.tokens
  if ('free' in low && 'free' in high) return low.free > high.free
  return undefined
}

function checkAmount(field: string, amount: Amount | Threshold): void {
  if ('fraction' in amount) checkFraction(`${field}.fraction`, amount.fraction)
  else if ('tokens' in amount) checkCount(`${field}.tokens`, amount.tokens, 0)
  else if ('free' in amount) checkCount(`${field}.free`, amount.free, 0)
  else throw new InvalidConfigurationError(field, amount, 'expected { fraction }, { tokens } or, for thresholds, { free }')
}

function checkFraction(field: string, value: number): void {
  if (!(value >= 0 && value <= 1)) throw new InvalidConfigurationError(field, value, 'expected a fraction from 0 to 1')
}

function checkCount(field: string, value: number, least: number): void {
  if (!(value >= least && Number.isFinite(value))) throw new InvalidConfigurationError(field, value, `expected a number ≥ ${least}`)
}
