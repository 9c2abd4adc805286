import { sumOf } from './sum-of.ts'
/** Whole model tokens. */
export type Tokens = number

/** Who speaks. `developer` is OpenAI’s word for instructions that go before the user’s. */
export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool'

/** One message as planning sees it: a reading of the caller's message, never a replacement for it. */
export interface Message {
  readonly role: Role
  readonly parts: readonly Part[]
  /** The framework's own id, where it has one. Never used as an anchor alone: some frameworks renumber or clone. */
  readonly id?: string
  /** Set by the user through the framework's metadata slot: never summarized, edited or dropped. */
  readonly protected?: boolean
  /** An item of an assistant's reply, where a framework has several for each: what stands between a call and its result may be of the same reply. */
  readonly item?: boolean
  /** This message is a summary that we made. */
  readonly summary?: { readonly version: number }
}

/** One part of a message, told apart by `type`. Switch over it exhaustively: what no other type fits is `opaque`. */
export type Part = TextPart | ReasoningPart | MediaPart | ToolCallPart | ToolResultPart | ApprovalPart | MarkerPart | OpaquePart

/** Text that is sent as it is. */
export interface TextPart {
  readonly type: 'text'
  readonly text: string
}
/** `sealed`: encrypted or signed, so its text may be empty while it still costs tokens. `sealedSize`: characters (base64) of what is encrypted or signed and sent back. */
export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
  readonly sealed?: boolean
  readonly sealedSize?: number
}
/** `bytes` is the payload size where known; it decides no token cost (providers bill media by kind), unless a document hides its pages. */
export interface MediaPart {
  readonly type: 'media'
  readonly mediaType: string
  readonly bytes?: number
  /** Of a document whose bytes are at hand; counted when somebody asks. */
  readonly pages?: number
  readonly name?: string
  /** What tells it from others, as the framework has it: its bytes, base64, URL or file id. Never shown or stored. */
  readonly data?: unknown
}
/** `input` is the serialized arguments, as sent. */
export interface ToolCallPart {
  readonly type: 'tool-call'
  readonly callId: string
  readonly tool: string
  readonly input: string
  readonly providerExecuted?: boolean
  /** Id of the call that made it: of a program that the provider runs, and that calls tools. */
  readonly caller?: string
}
/** `output` is its text; what else it holds are `attachments`. In a message of the assistant it is what a tool of the provider's own returned: shown whole or not at all. */
export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly callId: string
  readonly tool: string
  readonly output: string
  readonly isError?: boolean
  readonly attachments?: readonly MediaPart[]
}
/** A person’s permission for one call: asked for, given or refused. It belongs to its call, as a result does. */
export interface ApprovalPart {
  readonly type: 'approval'
  readonly callId: string
  readonly state: 'requested' | 'granted' | 'denied'
}
/** A compaction that was asked for and not done yet: never sent to a model. `auto`: by the agent loop, not by a person. */
export interface MarkerPart {
  readonly type: 'marker'
  readonly auto: boolean
  readonly focus?: string
}
/** Anything else: kept whole, counted by size in characters and by the `attachments` inside it. A `barrier` (a provider's own compaction item) also guards all before it. */
export interface OpaquePart {
  readonly type: 'opaque'
  readonly kind: string
  readonly size: number
  readonly attachments?: readonly MediaPart[]
  /** The item as the framework has it: tells it from others. Never shown or stored. */
  readonly value?: unknown
  readonly barrier?: boolean
}

/** All plain text of a message: text parts joined by a line break; reasoning, calls and results left out. */
export function textOf(message: Message): string {
  let text = ''
  for (const part of message.parts) if (part.type === 'text') text = text === '' ? part.text : `${text}\n${part.text}`
  return text
}

/** What one part says, calls or returns; "" for reasoning and for what is no text. */
export function partText(part: Part): string {
  if (part.type === 'text') return part.text
  return part.type === 'tool-call' ? part.input : part.type === 'tool-result' ? part.output : ''
}

/** Attachments: itself, or what it holds. */
export function mediaIn(part: Part): readonly MediaPart[] {
  return part.type === 'media' ? [part] : ('attachments' in part && part.attachments) || []
}

/** Characters of all its texts. */
export function textLength({ parts }: Message): number {
  return sumOf(parts, (part) => partText(part).length)
}

/** A request typed by the user: role `user`, not one of our summaries, with something in it that a model is shown. */
export function isUserRequest(message: Message): boolean {
  return message.role === 'user' && !message.summary && message.parts.some((part) => part.type !== 'marker')
}

/** What whoever runs the agent tells the model: shown always, and no part of what was said. */
export function instructs({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

/** A message that only asks for a compaction. */
export function isMarker(message: Message): boolean {
  return message.parts.length > 0 && message.parts.every((part) => part.type === 'marker')
}
