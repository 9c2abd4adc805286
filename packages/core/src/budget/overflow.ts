import { attempt } from '../history/attempt.ts'
import { parseJson } from '../history/json.ts'
import type { Tokens } from '../history/message.ts'
import { omitUndefined } from '../history/omit-undefined.ts'
import { requestedReply } from './limits.ts'
import { type ErrorPattern, errorPatterns, type OverflowUnit, vetoes } from './wordings.ts'

/**
 * What a provider's error means for us. `overflow`: too many tokens, bytes or attachments, compact and retry; `output`: the requested output alone does not fit,
 * ask for less; `malformed`: the history is invalid, repair and retry; `other`: not ours.
 */
export type ErrorClass =
  | ({ readonly kind: 'overflow'; readonly unit: OverflowUnit } & StatedNumbers)
  | { readonly kind: 'output'; readonly limit?: Tokens; readonly requested?: Tokens }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'other' }

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
  const has = (...statuses: readonly number[]): boolean => found.statuses.some((status) => statuses.includes(status as number))
  const tooLarge = found.texts.map(aboveRate).find((refusal) => refusal !== undefined)
  if (tooLarge !== undefined) return { ...tooLarge, ...omitUndefined({ sent }) }
  if (has(429, 529)) return { kind: 'other' }
  let vague: ErrorClass | undefined
  for (const text of found.texts) {
    if (vetoes.test(text)) return { kind: 'other' }
    for (const pattern of [...more, ...errorPatterns]) {
      if (pattern.needsStatus && !has(400, 413, 422)) continue
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
  /(?<![\d,])(?<input>[\d,]+) (?:in the messages|of text input|in your prompt|tokens from the input)[\s\S]{0,60}?(?<reply>[\d,]+) (?:tokens )?(?:in|for) the (?:completion|output)/i, // OpenAI, Azure, OpenRouter, SGLang
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
  const prompt = stated('input') ?? numberIn(parts?.['input'])
  const requested = stated('requested') ?? (prompt === undefined ? undefined : prompt + (reply ?? 0))
  const input = stated('input') ?? (requested === undefined || reply === undefined ? undefined : requested - reply)
  // The reply that was asked for is at fault, not the history: compacting would lose work and not help.
  if (limit !== undefined && reply !== undefined && reply >= limit) return { kind: 'output', limit, ...omitUndefined({ requested }) }
  return { kind: 'overflow', unit: pattern.unit ?? 'tokens', ...omitUndefined({ limit, requested, input, reply, sent }) }
}

function numberIn(digits: string | undefined): number | undefined {
  const value = Number(digits?.replaceAll(',', ''))
  return value > 0 && Number.isFinite(value) ? value : undefined
}

interface Gathered {
  readonly texts: string[]
  readonly statuses: unknown[]
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
      if (/^[[{]/.test(value)) visit(parseJson(value), depth + 1)
      return
    }
    // Some make a new object for each look.
    if (typeof value !== 'object' || seen.has(value) || seen.size > 999) return
    seen.add(value)
    found.statuses.push(...['status', 'statusCode', 'code'].map((key) => read(value, key)))
    const reply = requestedReply(read(value, 'requestBodyValues'))
    if (reply !== undefined) found.replies.push(reply)
    for (const key of textKeys) visit(read(value, key), depth + 1)
    if (Array.isArray(value)) for (const item of value.slice(0, 20)) visit(item, depth + 1)
  }
  // An error that cannot be read, or only in part: what was found until then counts.
  attempt(() => visit(error, 0), undefined)
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
  // A getter that throws hides nothing that we could use.
  return attempt(() => (value as Record<string, unknown>)[key], undefined)
}
