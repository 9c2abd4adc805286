import type { Violation } from '../../wire/violation.ts'
import type { PromptEntry } from '../prompt.ts'
import type { Declared, ModelReply } from '../recall-model.ts'

/** One way in which providers are spoken to, as the strict provider needs it. A handler lives as long as its server: it may remember what it answered. */
export interface WireHandler {
  readonly name: 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini'
  matches(path: string): boolean
  read(body: WireBody, path: string): Incoming
  /** The body of a 400. */
  refusal(message: string, overflow: boolean): object
  /** The wording of an overflow. */
  overflow(sizes: { readonly input: number; readonly reply: number; readonly window: number }): string
  whole(reply: ModelReply, usage: Usage, incoming: Incoming): object
  /** Server-sent events, each with its closing empty line. */
  events(reply: ModelReply, usage: Usage, incoming: Incoming): readonly string[]
}

/** A request's body, read without trust. */
export type WireBody = Readonly<Record<string, unknown>>

interface Incoming {
  readonly prompt: readonly PromptEntry[]
  readonly violations: readonly Violation[]
  /** What counts as input, piece by piece, in the order of the prompt. */
  readonly serialized: readonly string[]
  readonly stream: boolean
  readonly maxOutput: number | undefined
  readonly declared: Declared
  /** What the handler wants back when it answers. */
  readonly own?: unknown
}

export interface Usage {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
}

let replies = 0
/** Every answer has an id of its own: frameworks keep messages by them. */
export const replyId = (kind = 'reply'): string => `${kind}_${++replies}`

/** Tools of a request, by the names that each provider's format has for them. */
export function declaredOf(tools: unknown, toolChoice: unknown): Declared {
  const names = list(tools).flatMap((tool) => {
    const { name, type, function: inner, functionDeclarations } = tool as Readonly<Record<string, unknown>>
    if (functionDeclarations !== undefined) return declaredOf(functionDeclarations, undefined).tools
    return [String(name ?? (inner as { readonly name?: unknown } | undefined)?.name ?? type)]
  })
  return { tools: names, ...(toolChoice != null && { toolChoice }) }
}

export const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
/** Text and calls of a reply in the order in which the model made them. */
export const inOrder = <T>({ callsFirst = 0 }: ModelReply, text: readonly T[], calls: readonly T[]): readonly T[] => [
  ...calls.slice(0, callsFirst),
  ...text,
  ...calls.slice(callsFirst),
]
/** A signature that nobody else could make of these words. */
export const signatureOf = (thinking: string): string => Buffer.from(`strict ${thinking}`).toString('base64')
