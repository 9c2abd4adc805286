import { parseJson } from '../history/json.ts'
import type { Tokens } from '../history/message.ts'
import { omitUndefined } from '../history/omit-undefined.ts'
import { requestedReply } from './limits.ts'

/**
 * What a provider's error means for us. `overflow`: too many tokens, bytes or attachments, compact and retry; `output`: the requested output alone does not fit,
 * ask for less; `malformed`: the history is invalid, repair and retry; `other`: not ours.
 */
export type ErrorClass =
  | ({ readonly kind: 'overflow'; readonly unit: OverflowUnit } & StatedNumbers)
  | { readonly kind: 'output'; readonly limit?: Tokens; readonly requested?: Tokens }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'other' }

/** What there was too much of; `media`: attachments. */
type OverflowUnit = 'tokens' | 'bytes' | 'media'

/** The numbers in a refusal, in the provider's Tokens. */
export interface StatedNumbers {
  /** Of attachments, their number. */
  readonly limit?: Tokens
  /** What was refused: the prompt, or prompt and reply together. */
  readonly requested?: Tokens
  /** The prompt alone, where the text says that it is. */
  readonly input?: Tokens
  /** The reply that was asked for, where the text counts it: then the limit is of both. */
  readonly reply?: Tokens
  /** The reply that the request's body asked for, where the error carries the body. */
  readonly sent?: Tokens
}

/** One wording. Capture groups named `limit`, `input` (the prompt), `reply` and `requested` (the prompt, or prompt and reply) are read as numbers. */
export interface ErrorPattern {
  readonly kind: 'overflow' | 'malformed'
  readonly pattern: RegExp
  readonly unit?: OverflowUnit
  /** Too vague alone: counts only with HTTP status 400, 413 or 422. */
  readonly needsStatus?: boolean
}

const n = (name: string): string => `(?<${name}>[\\d,]+)`
const overflow = (source: string, more: Partial<ErrorPattern> = {}): ErrorPattern => ({
  kind: 'overflow',
  pattern: new RegExp(source, 'i'),
  ...more,
})
const malformed = (source: string): ErrorPattern => ({ kind: 'malformed', pattern: new RegExp(source, 'i') })

/** Provider wordings, most specific first. Source of each: the overflow table of shipping agents, November 2026 (docs/faults.md). */
const errorPatterns: readonly ErrorPattern[] = [
  overflow(`prompt is too long(?:: ${n('input')}(?: tokens? >|,[\\s\\S]{0,40}? length:) ${n('limit')})?`), // Anthropic, Fireworks
  overflow(`input length and .?max_tokens.? exceed context limit(?:: ${n('input')} \\+ ${n('reply')} > ${n('limit')})?`), // Anthropic
  overflow('request_too_large|exceeds the maximum (?:size|allowed number of bytes)|payload size exceeds', { unit: 'bytes' }), // Anthropic (HTTP 413), Google (HTTP 400)
  overflow(
    `maximum context length is ${n('limit')}(?: tokens)?(?:[\\s\\S]{0,80}?(?:requested (?:about )?${n('requested')}(?![\\d,]| output)|resulted in ${n('input')}))?`,
  ), // OpenAI, DeepSeek, vLLM, OpenRouter
  overflow(`input token count(?: \\(${n('input')}\\))? exceeds the maximum number of tokens allowed(?: \\(${n('limit')}\\))?`), // Google
  overflow(`input token count is ${n('input')} but (?:the )?model (?:only )?supports up to ${n('limit')}`), // Vertex AI
  overflow(`input tokens exceed the configured limit of ${n('limit')}(?:[\\s\\S]{0,40}?resulted in ${n('input')})?`), // OpenAI, Azure
  overflow(`maximum prompt length is ${n('limit')}(?:[\\s\\S]{0,60}?contains ${n('input')})?`), // xAI
  overflow(`too large for model with ${n('limit')} maximum context length`), // Mistral
  overflow(`maximum allowed input length of ${n('limit')}`), // OpenRouter
  overflow(`(?:\\(length ${n('input')}\\) )?is longer than the maximum model length of ${n('limit')}`), // vLLM
  overflow(`current length is ${n('input')} while limit is ${n('limit')}`), // Cerebras
  overflow(`tokens \\(${n('requested')}\\) exceeded this model context window limit \\(${n('limit')}`), // Cloudflare Workers AI
  overflow(`input \\(${n('input')} tokens\\) is longer than[\\s\\S]{0,40}?context length \\(${n('limit')}`), // Together
  overflow(`tokens \\+ .?max_new_tokens.? must be <= ${n('limit')}(?:[\\s\\S]{0,20}?given: ${n('input')} .?inputs.? tokens and ${n('reply')})?`), // Text Generation Inference, Together (HTTP 422)
  overflow(`inputs.? must have less than ${n('limit')} tokens\\.(?: given: ${n('input')})?`), // Text Generation Inference
  overflow(`number of input tokens ${n('input')} cannot exceed the total tokens limit ${n('limit')}`), // watsonx
  overflow(
    `(?:input length|input tokens|prompt_tokens)(?: \\(?${n('input')}(?: tokens)?\\)?)? (?:exceeds|has exceeded|must be less than) (?:(?:the )?maximum (?:allowed )?length|max_\\w+)(?: \\(?${n('limit')})?`,
  ), // Ark, Nova, SiliconFlow, SGLang
  overflow(`range of input length should be \\[\\d+, ${n('limit')}`), // DashScope
  overflow('prompt exceeds max length|prompt 超长|tokens in request more than max tokens allowed'), // Z.AI
  overflow(`token count of ${n('input')} exceeds the limit of ${n('limit')}`), // GitHub Copilot
  overflow(`(?:request|prompt).{0,10}\\(${n('input')}.{0,7}\\) exceeds? .{0,15}(?:context|input) (?:size|window|length).{1,4}?${n('limit')}`), // llama.cpp, llama-cpp-python, TensorRT-LLM
  overflow(`prompt is ${n('input')} tokens long[\\s\\S]{0,200}? just ${n('limit')}`), // SambaNova
  overflow(`exceeds (?:the )?(?:model'?s )?maximum context length(?:\\D{0,10}${n('limit')})?`), // LiteLLM and proxies
  overflow(`context length (?:is|of) only ${n('limit')}`), // vLLM, LM Studio
  overflow(
    'exceeds the context window|prompt contains[\\s\\S]{0,40}?\\d+ input tokens|input length[\\s\\S]{0,60}?exceeds[\\s\\S]{0,40}?context length|requested input length[\\s\\S]{0,40}?exceeds[\\s\\S]{0,40}?maximum',
  ), // OpenAI Responses, vLLM, Alibaba
  // Bedrock, Groq, Ollama, MiniMax, llama.cpp, LM Studio
  overflow(
    'input is too long|reduce the length of (?:the |either )|prompt too long; exceeded (?:max )?context length|context window exceeds limit|exceeds the available context size|context size has been exceeded|context shift is disabled|greater than the context length',
  ),
  overflow(`exceeded model token limit:? ?${n('limit')}?(?:[\\s\\S]{0,20}?requested:? ?${n('requested')})?`), // Moonshot
  overflow('ContextOverflowError|^CONTEXT_OVERFLOW$'), // class names: LangChain
  overflow('(?:request entity|payload|content) too large|string too long\\. Expected [\\w ]+ maximum length \\d{6}', { unit: 'bytes' }), // HTTP 413, OpenAI
  overflow(`too (?:many images|much media:)(?:[\\s\\S]{0,60}?(?: > |up to |maximum (?:is|of) )${n('limit')}(?![\\d,]| ?(?:[KM]B|px|pixels|x ?\\d)))?`, {
    unit: 'media',
  }), // Anthropic, Groq
  overflow(`at most ${n('limit')} (?:image|video|audio)\\w*(?:\\(s\\))? may be provided`, { unit: 'media' }), // vLLM
  overflow('exceed max allowed size for many-image requests', { unit: 'media' }), // Anthropic: fewer of them may be large
  overflow('^4(?:00|13) ?(?:status code)? ?\\(no body\\)$'), // Cerebras
  overflow('(?:context.?(?:length|window|size|limit)|max_prompt_tokens).?exceeded'), // codes, class names and words of Anthropic, OpenAI, GitHub Copilot, LiteLLM and many others
  overflow('too many (?:input )?tokens|token limit exceeded', { needsStatus: true }),

  malformed('tool_use.? ids were found without .?tool_result'), // Anthropic
  malformed('unexpected .?tool_use_id.? found in .?tool_result'), // Anthropic
  malformed('must have a corresponding .?tool_(?:use|result).? block'),
  malformed('each tool_use must have a single result|multiple .?tool_result.? blocks with id'), // Anthropic
  malformed('thinking.? or .?redacted_thinking.? blocks in the latest assistant message cannot be modified'), // Anthropic
  malformed('no tool (?:call|output) found for function call'), // OpenAI Responses
  malformed('must be followed by tool messages responding to each .?tool_call_id'), // OpenAI Chat
  malformed('messages with role .?tool.? must be a response to a preceding message with .?tool_calls'), // OpenAI Chat
  malformed('was provided without its required (?:following item|.?reasoning.? item)'), // OpenAI Responses
  malformed('missing field .?tool_call_id|missing .?reasoning_content'), // DeepSeek
  malformed('number of function response parts is equal to the number of function call parts'), // Google
  malformed('text content blocks must be non-empty|all messages must have non-empty content'), // Anthropic
]

/** Rate limits and quotas speak of tokens too, ids and descriptions of lengths; none of them must be answered with a compaction. */
const vetoes =
  /rate[ _-]?limit|per[ _-]?(?:minute|hour|day)|daily|too many requests|quota|throttl|overloaded|max_?(?:output_?)?tokens must be|max_?output_?tokens value|max_tokens exceeds|temperature|schema is too long|metadata length|LengthFinishReason|string too long\. Expected [\w ]+ maximum length \d{1,5}\b/i

const deepest = 8

/**
 * Classifies whatever a model call threw: walks `cause`, nested bodies, lists of errors and JSON in strings, to depth 8.
 * A status of 429 or 529, or any wording of a rate limit, is never an overflow, unless it says that this request alone is larger than the rate.
 *
 * @param more Wordings of the user's own gateway; tried first.
 * @returns The kind, with the numbers that the refusal states, in Tokens; `other` for whatever is not recognized. Never throws.
 */
export function classifyError(error: unknown, more: readonly ErrorPattern[] = []): ErrorClass {
  const found = gather(error)
  const sent = found.replies[0]
  const has = (...statuses: readonly number[]): boolean => found.statuses.some((status) => statuses.includes(status))
  const tooLarge = found.texts.map(aboveRate).find((refusal) => refusal !== undefined)
  if (tooLarge !== undefined) return { ...tooLarge, ...omitUndefined({ sent }) }
  if (has(429, 529)) return { kind: 'other' }
  let vague: ErrorClass | undefined
  for (const text of found.texts) {
    if (vetoes.test(text)) return { kind: 'other' }
    for (const pattern of [...more, ...errorPatterns]) {
      if (pattern.needsStatus === true && !has(400, 413, 422)) continue
      const match = pattern.pattern.exec(text)
      if (match === null) continue
      if (pattern.kind === 'malformed') return { kind: 'malformed' }
      const classified = overflowOf(pattern, match, text, sent)
      // A nested text may hold the numbers that this one lacks.
      if (classified.kind === 'output' || classified.limit !== undefined) return classified
      vague ??= classified
      break
    }
  }
  return vague ?? (has(413) ? { kind: 'overflow', unit: 'bytes' } : { kind: 'other' })
}

/** A rate that one request exceeds is a window: waiting does not help. OpenAI (HTTP 429), Groq (HTTP 413). */
function aboveRate(text: string): Extract<ErrorClass, { kind: 'overflow' }> | undefined {
  const { limit, requested } =
    /request too large for[\s\S]{0,200}?tokens per [\s\S]{0,30}?limit:? (?<limit>[\d,]+)[\s\S]{0,20}?requested:? (?<requested>[\d,]+)/i.exec(text)?.groups ?? {}
  const [most, asked] = [numberIn(limit), numberIn(requested)]
  return most !== undefined && asked !== undefined && asked > most ? { kind: 'overflow', unit: 'tokens', limit: most, requested: asked } : undefined
}

/** Prompt and reply, counted apart. */
const apart = [
  /(?<input>[\d,]+) (?:in the messages|of text input|in your prompt|tokens from the input)[\s\S]{0,60}?(?<reply>[\d,]+) (?:tokens )?(?:in|for) the (?:completion|output)/i, // OpenAI, Azure, OpenRouter, SGLang
  /requested (?<reply>[\d,]+) output tokens[\s\S]{0,80}?(?<input>[\d,]+) input tokens/i, // vLLM
  /has (?<input>[\d,]+) input tokens \((?<reply>[\d,]+) >/i, // vLLM
]

function overflowOf(
  pattern: ErrorPattern,
  match: RegExpExecArray,
  text: string,
  sent: Tokens | undefined,
): Extract<ErrorClass, { kind: 'overflow' | 'output' }> {
  const stated = (name: string): Tokens | undefined => numberIn(match.groups?.[name])
  const parts = apart.map((one) => one.exec(text)?.groups).find((groups) => groups !== undefined)
  const limit = stated('limit')
  const reply = stated('reply') ?? numberIn(parts?.['reply'])
  // What else was counted, such as functions, is part of the prompt.
  const requested = stated('requested') ?? sumOf(stated('input') ?? numberIn(parts?.['input']), reply)
  const input = stated('input') ?? (requested === undefined || reply === undefined ? undefined : requested - reply)
  // The reply that was asked for is at fault, not the history: compacting would lose work and not help.
  if (limit !== undefined && reply !== undefined && reply >= limit) return { kind: 'output', limit, ...omitUndefined({ requested }) }
  return { kind: 'overflow', unit: pattern.unit ?? 'tokens', ...omitUndefined({ limit, requested, input, reply, sent }) }
}

function sumOf(input: Tokens | undefined, reply: Tokens = 0): Tokens | undefined {
  return input === undefined ? undefined : input + reply
}

function numberIn(digits: string | undefined): number | undefined {
  const value = Number(digits?.replaceAll(',', ''))
  return value > 0 && Number.isFinite(value) ? value : undefined
}

interface Gathered {
  readonly texts: string[]
  readonly statuses: number[]
  /** Replies that refused bodies asked for. Nothing else is read of a body: it holds the conversation. */
  readonly replies: number[]
}

function gather(error: unknown): Gathered {
  const found: Gathered = { texts: [], statuses: [], replies: [] }
  const seen = new Set<unknown>()
  const visit = (value: unknown, depth: number): void => {
    if (depth > deepest || value === null) return
    if (typeof value === 'string') {
      found.texts.push(value)
      const json = /^[[{]/.test(value) ? parseJson(value) : undefined
      if (json !== undefined) visit(json, depth + 1)
      return
    }
    if (typeof value !== 'object' || seen.has(value)) return
    seen.add(value)
    for (const key of ['status', 'statusCode', 'code']) {
      const status = read(value, key)
      if (typeof status === 'number') found.statuses.push(status)
    }
    const reply = requestedReply(read(value, 'requestBodyValues'))
    if (reply !== undefined) found.replies.push(reply)
    for (const key of textKeys) visit(read(value, key), depth + 1)
    if (Array.isArray(value)) for (const item of value.slice(0, 20)) visit(item, depth + 1)
  }
  visit(error, 0)
  return found
}

const textKeys = [
  'message',
  'name',
  'code',
  'lc_error_code',
  'type',
  'detail',
  'error',
  'error_message',
  'body',
  'responseBody',
  'data',
  'response',
  'cause',
  'lastError',
  'errors',
  'reason',
  'metadata',
  'raw',
] as const

function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key]
  } catch {
    return undefined // a getter that throws hides nothing that we could use
  }
}
