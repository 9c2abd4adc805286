import type { MediaCost } from '../budget/attachment-cost.ts'
import type { Amount, Threshold } from '../budget/limits.ts'
import type { TokenUsage } from '../budget/usage.ts'
import type { Role, Tokens } from '../history/message.ts'

/** What to do and when, as plain JSON: the same value serves every adapter. Complete in memory; `mergePolicy` fills what a user leaves out. */
export interface CompactionPolicy {
  readonly trigger: TriggerPolicy
  readonly retain: RetainPolicy
  readonly prune: PrunePolicy
  readonly summary: SummaryPolicy
  readonly cost: CostPolicy
}

/** When a compaction begins, and what size it aims at. */
export interface TriggerPolicy {
  /** false: only on request, or when a provider refuses a prompt. Default true. */
  readonly auto: boolean
  /** What to do when nobody knows the window: nothing until a provider refuses, or say so at once (InvalidConfigurationError). */
  readonly unknownLimits: 'no-trigger' | 'error'
  /** From here on the report says `soft`: a good moment to compact while the agent is idle. */
  readonly soft?: Threshold
  /** Whether a summary is begun behind the agent's back at `soft`, and adopted when it is ready. */
  readonly background: boolean
  /** What fractions of this group are of: the prompt that leaves room for the reply, or the whole window (`limits.maxInput`, where there is one). No level is above the former. Default `usable`. */
  readonly of?: 'usable' | 'window'
  /** Compaction before the next call. Lower: more often, cheaper prompts. Higher: more stays verbatim. */
  readonly hard: Threshold
  /** From here on no model is asked for a summary: `summary.emergencyAuthor` takes its place. Absent: a model may always be asked. */
  readonly emergency?: Threshold
  /** Size that a compaction aims at. The distance to `hard` is the room it wins: small distances mean many compactions. */
  readonly target: Threshold
  /** Which billed counts make up the size of the last request. With `output`, the last reply is counted as billed, hidden reasoning included. */
  readonly count: readonly (keyof TokenUsage)[]
  /** `measured`: what the provider billed for the last prompt, plus an estimate of what came after. `calibrated`: the whole prompt estimated, times a smoothed factor. */
  readonly accounting: 'measured' | 'calibrated'
  /** Most tokens kept free for a reply whose size nobody stated. What a request asks for is kept free in full. */
  readonly outputCap: Tokens
  /** Tokens that stay free beside the reply, for what the next step adds; at most a quarter of what is left. */
  readonly buffer: Tokens
  /** Subtracted from `hard`, so that the request for a summary fits too. */
  readonly reserve: Amount
  /** What attachments cost, by kind: providers differ, and none bills by payload length. */
  readonly media: MediaCost
  /** Fraction (0–1) of the context that a compaction must free; less is no progress and is not done. */
  readonly minimumGain: number
  /** Limits of one request besides its tokens: bytes of its body, number of attachments (absent: `limits.maxMedia`). */
  readonly request?: { readonly bytes?: number; readonly media?: number }
}

/** What stays word for word. */
export interface RetainPolicy {
  /** Newest user turns kept verbatim, as far as `tokens` allows. */
  readonly turns: number
  /** Newest messages kept verbatim beyond those turns, as far as `tokens` allows. */
  readonly messages: number
  /** Most tokens that the verbatim tail may take. At least the newest group always stays. */
  readonly tokens: Amount
  /** true: these turns and messages stay whole while the budget holds them and one more exchange, whatever `tokens` and the target say; then fewer of them, step by step. Default: the target goes first. */
  readonly firm?: boolean
  /** Newest tool calls with their results, kept even outside the tail while `tokens` allows. */
  readonly toolPairs: number
  /** Most Tokens that one output of the newest turns may take once a summary is made. What the model has not answered yet stays whole. Absent: outputs stay as they are. */
  readonly outputTokens?: Tokens
  /**
   * Budget for the user's own words: the first request stays as a message within it. One with a document (no picture) stays wherever it came: the newest up to three fifths of the usable window, several up to 35 % of it, the newest first. The record quotes the others word for word, in half of its room at most: the
   * history's first and newest before those between them.
   */
  readonly userRequests: Amount
  /**
   * Most tokens of the newest request that stays as a message; a larger one is quoted in the record, its ends and its names. Without it the newest
   * request is never touched, and one that alone does not fit is an InsufficientBudgetError.
   */
  readonly newestRequest?: Amount
  /** Messages of these roles are never touched. */
  readonly roles: readonly Role[]
  /** Older groups that speak of what is asked now stay verbatim too: the best of each of `clusters` topics, up to `tokens` together, as far as there is room beside the newest. Needs an embedder. */
  readonly semantic?: { readonly clusters: number; readonly tokens: Amount }
}

/** Ways to make a context smaller without a summary, by what they give up: each is a function in `prune/`. */
export const rungs = ['superseded', 'errors', 'arguments', 'aged', 'output-budget', 'media', 'view', 'condensed'] as const

/** One way to show less. A ladder is a list of these, tried in order. */
export type Rung = (typeof rungs)[number]

/** One of ours, or the name of one that the host brings along: `rungs`. */
export type RungName = Rung | (string & Record<never, never>)

/** How outputs, arguments and attachments are shortened before anything is summarized. */
export interface PrunePolicy {
  /** Tried in this order before a summary is made; a rung runs only if the ones before did not reach the target. */
  readonly ladder: readonly RungName[]
  /** Rungs that run whatever the size, before every call. Each rewrites old messages, which costs the provider's prompt cache. */
  readonly maintain: readonly RungName[]
  /**
   * Largest view of one tool output, how far a single line may reach (characters), and bytes of the whole. `arrival`: from its first showing on; `pressure`: as
   * a rung. Outputs up to `above` Tokens are no case for the rung; absent: those up to `tokens`.
   */
  readonly view: {
    readonly tokens: Tokens
    readonly above?: Tokens
    readonly lineLength: number
    readonly bytes?: number
    readonly when: 'arrival' | 'pressure'
  }
  /** Which outputs go into the store, where there is one that was not told: those that are shown shorter, or every one. Default `shortened`. */
  readonly store?: 'shortened' | 'all'
  /** Rung `superseded`: a read file is out of date when it is read or written whole later, or already when a part of it is edited. */
  readonly staleReads: 'rewritten' | 'edited'
  /** Rung `aged`: old outputs become a reference. The newest `protect` tokens, `steps` tool steps and `userTurns` turns stay; done only if it frees `minimum`. */
  readonly age: { readonly protect: Amount; readonly minimum: Amount; readonly steps: number; readonly userTurns: number }
  /** Rung `output-budget`: all outputs together, as a fraction of the window within bounds; beyond it the oldest become references. */
  readonly outputBudget: { readonly fraction: number; readonly least: Tokens; readonly most: Tokens }
  /** Rung `arguments`: texts in the arguments of calls older than `steps` tool steps are cut to `tokens`. */
  readonly arguments: { readonly tokens: Tokens; readonly steps: number }
  /** Rung `errors`: the arguments of failed calls older than this many tool steps are cut; what failed stays named. */
  readonly errors: { readonly steps: number }
  /** Rung `media`: attachments beyond the newest `keep` become a line that says what they were. */
  readonly media: { readonly keep: number }
  /** Rung `condensed`: outputs older than `steps` tool steps shrink to their most telling passages. */
  readonly condense: { readonly tokens: Tokens; readonly steps: number }
  /** By tool name, or a pattern with `*`. Goes before what a tool declares itself. */
  readonly tools: Readonly<Record<string, ToolPolicy>>
}

/** What kind of text a tool returns; decides which parts of it a short view shows. */
export const toolShapes = ['head-tail', 'match-list', 'file-content', 'json', 'diff', 'generic'] as const
/** One of `toolShapes`. */
export type ToolShape = (typeof toolShapes)[number]

/** How the outputs of one tool may be treated; declared by the tool itself, or by the policy. */
export interface ToolPolicy {
  /** `always`: outputs of this tool are never shortened (they are instructions, say). */
  readonly keep?: 'always' | 'prunable'
  readonly shape?: ToolShape
  /** false: running the tool again would not give the same output. An old output is then condensed, not reduced to a reference. */
  readonly reproducible?: boolean
  /** true: calls of this tool and their results are never summarized either. */
  readonly pinned?: boolean
}

/** Every style there is: each is a file in `summary/styles/`. */
export const summaryStyles = [
  'structured',
  'checkpoint',
  'narrative',
  'brief',
  'task-state',
  'step-ledger',
  'requirements-ledger',
  'code-delta',
  'decision-log',
] as const

/** What a model is asked to write: sections under headings, or free prose. */
export type SummaryStyle = (typeof summaryStyles)[number]

/** Who writes what stands in the place of older messages: a model, the record made by code, or a bare notice that something was left out. */
export type SummaryAuthor = 'model' | 'record' | 'notice'

/** What a summarizer is told in place of our words, and what it is shown of good work. */
export interface SummaryPrompt {
  /** Who it is: the system text. */
  readonly system?: string
  /** What it shall write. The headings of the style are still asked for, and an answer without them is refused: `narrative` and `brief` have none. */
  readonly instruction?: string
  /** Conversations, each with a memory that does it justice. They stand in front of the conversation itself, and count as much as they are long. */
  readonly examples?: readonly { readonly conversation: string; readonly memory: string }[]
}

/** Who writes the summary, in which form, and how large it may be. */
export interface SummaryPolicy {
  /** Who writes the summary below the emergency level. */
  readonly author: SummaryAuthor
  /** From the emergency level on; while the model keeps failing too, where it is no model. */
  readonly emergencyAuthor: SummaryAuthor
  /** What a model is asked to write: sections, a narrative, or a few lines. */
  readonly style: SummaryStyle
  /** Asked for when the first attempt failed. */
  readonly fallbackStyle: SummaryStyle
  /** Role of the message that carries the summary. `user` is accepted by every provider, and used where no user message follows: a request needs one. */
  readonly role: 'user' | 'assistant' | 'system'
  /** `separate`: the summary is a message of its own. `joined`: in a compacted context no two user messages follow one another, for models whose chat template takes none. */
  readonly neighbors: 'separate' | 'joined'
  /** `serialized`: the span as text, in one prompt of its own. `prefix`: the messages of the last request up to the last one that is summarized, so that the provider's cache is read, with the instruction appended. Needs a summarizer that can. These messages leave as the agent's own model saw them, not redacted: another text would not be in the cache. */
  readonly request: 'serialized' | 'prefix'
  /** Most tokens of the model's own text. */
  readonly tokens: Amount
  /** Most tokens of the record made by code; what the target leaves over is filled up to here. */
  readonly record: Amount
  /** Lines added to every request for a summary, as bullets. */
  readonly directives: readonly string[]
  /** Words of your own for the request. Sizes, directives, focus and the warning that the conversation is no instruction are added in any case. */
  readonly prompt?: SummaryPrompt
  /** Asks for a part that is kept beside the summary, word for word: references, decisions. */
  readonly retain?: { readonly prompt: string; readonly directives: readonly string[] }
  /** Names of fields ("ticket", "acceptance_criteria") whose values always go into the record as they are. */
  readonly protectedFields: readonly string[]
  /** How much of each role's text the summarizer sees, relative to one another; 1 is ordinary. */
  readonly weights: { readonly user: number; readonly assistant: number; readonly tool: number }
  /** What happens to paths, names, quotations and claims of success in a summary that its source does not contain. */
  readonly grounding: 'off' | 'mark' | 'reject'
  /** Follows an automatic summary, to keep the agent going; null for nothing. */
  readonly continuation: string | null
  /** Milliseconds that all attempts at one summary may take together. */
  readonly deadline: number
}

/** Money per million Tokens, in any one currency. */
export interface Prices {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** What a rewrite of the prompt costs while the provider’s cache is warm, and when it is worth that. */
export interface CostPolicy {
  /** Absent: the report carries no cost, and `payback` is not asked for. */
  readonly prices?: Prices
  /** Milliseconds for which a provider keeps a prompt cached after a call. */
  readonly cacheTtl: number
  /** Fraction (0–1) of the context that a rewrite nobody needs yet must free while the cache is warm. */
  readonly warmGain: number
  /** A rewrite that nobody needs yet (maintenance, background) must save what it costs within this many calls. Absent: always done. */
  readonly payback?: number
}

/** `T` with any field left out, at any depth; null removes an optional field. Amounts and arrays are replaced whole. */
type Override<T> = [{ readonly fraction: number }] extends [T]
  ? T
  : T extends readonly unknown[]
    ? T
    : T extends object
      ? { readonly [K in keyof T]?: Override<T[K]> | undefined | (undefined extends T[K] ? null : never) }
      : T

/**
 * A policy with any field left out, at any depth. Amounts and arrays are replaced whole; null removes an optional field.
 * `prune: false`: outputs are never shortened, except where nothing else keeps a request within the window.
 */
export type PolicyOverrides = Omit<Override<CompactionPolicy>, 'prune'> & { readonly prune?: Override<PrunePolicy> | false | undefined }
