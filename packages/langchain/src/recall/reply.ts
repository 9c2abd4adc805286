// Replies of a model as LangChain spells them: our calls in them, what is left without those, and the bill of several.
import type { AIMessage, MessageContent } from '@langchain/core/messages'
import { recallTool } from '@precis/core'
import { createParagraphs, sumCounts, withoutParagraph } from '@precis/core/adapters'
import { cloned } from '../codec.ts'
import type { Block } from '../read-media.ts'
import { blocksOf, isCallBlock, slot } from '../read-message.ts'

/** One call of a tool in a reply. */
export interface ReplyCall {
  readonly id?: string | undefined
  readonly name: string
  readonly args: unknown
}

/** Whether a call, or a block that holds one, is of our tool. */
export function isOurs(call: { readonly name?: unknown } | Block): boolean {
  const { name, functionCall } = call as { readonly name?: unknown; readonly functionCall?: { readonly name?: unknown } }
  return (functionCall?.name ?? name) === recallTool.name
}

/** All calls of a reply, those whose arguments could not be read among them: they are answered in words. */
export function callsOf(message: AIMessage): readonly ReplyCall[] {
  const broken = (message.invalid_tool_calls ?? []).filter(isOurs).map(({ id, args }) => ({ id, name: recallTool.name, args }))
  return [...(message.tool_calls ?? []), ...broken]
}

/** A reply as it may be sent back: each of our calls is one that a provider package sends. */
export function sendable(message: AIMessage): AIMessage {
  const broken = (message.invalid_tool_calls ?? []).filter(isOurs)
  if (broken.length === 0) return message
  return cloned(message, {
    tool_calls: [...(message.tool_calls ?? []), ...broken.map(({ id }) => ({ id, name: recallTool.name, args: {}, type: 'tool_call' }))],
    invalid_tool_calls: (message.invalid_tool_calls ?? []).filter((call) => !isOurs(call)),
  }) as AIMessage
}

type Fields = Readonly<Record<string, unknown>>

/** Items of the Responses API by the ids of their calls, as LangChain keeps them. */
const itemIds = '__openai_function_call_ids__'

/** What `additional_kwargs` and `response_metadata` repeat of a reply, without our calls. */
export function fieldsWithoutOurs(fields: Fields, ids: ReadonlySet<unknown>): Record<string, unknown> {
  const { tool_calls: raw, output, [itemIds]: items, ...rest } = fields
  const calls = Array.isArray(raw) ? raw.filter((one: { readonly id?: unknown }) => !ids.has(one?.id)) : raw
  const left = Array.isArray(output) ? output.filter((item: Block) => !(item?.type === 'function_call' && isOurs(item))) : output
  const kept = Object.entries(Object(items) as Fields).filter(([id]) => !ids.has(id))
  return {
    ...rest,
    ...(raw !== undefined && (!Array.isArray(calls) || calls.length > 0) && { tool_calls: calls }),
    ...(output !== undefined && { output: left }),
    ...(kept.length > 0 && { [itemIds]: Object.fromEntries(kept) }),
  }
}

/** A reply without our calls: what the agent is given of it. */
export function withoutOurs(message: AIMessage): AIMessage {
  const ours = callsOf(message).filter(isOurs)
  if (ours.length === 0) return message
  const ids = new Set<unknown>(ours.map(({ id }) => id))
  const left = (message.tool_calls ?? []).filter((call) => !isOurs(call))
  const emptied = left.length === 0
  return cloned(message, {
    content: contentWithoutOurs(message),
    tool_calls: left,
    invalid_tool_calls: (message.invalid_tool_calls ?? []).filter((call) => !isOurs(call)),
    ...('tool_call_chunks' in message && { tool_call_chunks: (message.tool_call_chunks as readonly Fields[]).filter(({ id }) => !ids.has(id)) }),
    additional_kwargs: fieldsWithoutOurs(message.additional_kwargs, ids),
    response_metadata: { ...fieldsWithoutOurs(message.response_metadata, ids), ...(emptied && finishedOf(message.response_metadata)) },
  }) as AIMessage
}

function contentWithoutOurs(message: AIMessage): MessageContent {
  return typeof message.content === 'string'
    ? message.content
    : (blocksOf(message).filter((block) => !(isCallBlock(block) && isOurs(block))) as unknown as MessageContent)
}

/** No call is left that anybody could answer. */
function finishedOf({ finish_reason, stop_reason }: Fields): Fields {
  return { ...(finish_reason !== undefined && { finish_reason: 'stop' }), ...(stop_reason !== undefined && { stop_reason: 'end_turn' }) }
}

/** How much of a reply was said in rounds before its last: characters of a text, or blocks. */
interface RoundsMark {
  readonly lookUps: number
  readonly said: number
  /** Blocks of the last round that stand before it. */
  readonly behind?: number
  readonly prompt?: object
}

/** Blocks that have to begin a reply: they are signed. */
const thoughts = new Set(['thinking', 'redacted_thinking', 'reasoning_content', 'reasoning'])

/**
 * All rounds of a call as one reply: what they said before it and what the provider's own tools did, behind its thoughts, their bill, and in
 * `response_metadata.precis` the newest prompt.
 */
export function joined(
  message: AIMessage,
  before: readonly AIMessage[],
  { prompt, isObject }: { readonly prompt: object | undefined; readonly isObject: boolean },
): AIMessage {
  const inParagraphs = createParagraphs()
  const first = isObject ? [] : before.flatMap((one, round) => saidIn(one).map((block) => apart(block, (text) => inParagraphs(text, round))))
  const round = before.length
  const usage = [...before, message].map(({ usage_metadata }) => usage_metadata as unknown).reduce((sum, one) => sumCounts(sum, one))
  const outputs = [...before, message].flatMap(({ additional_kwargs: { tool_outputs: items } }) => (Array.isArray(items) ? (items as readonly unknown[]) : []))
  const isText = typeof message.content === 'string' && first.every((block) => Object.keys(block).every((field) => field === 'type' || field === 'text'))
  const own = (typeof message.content === 'string' ? asBlocks(message.content) : blocksOf(message)).map((block) =>
    apart(block, (text) => inParagraphs(text, round)),
  )
  const behind = first.length === 0 ? 0 : own.findLastIndex(({ type = '' }) => thoughts.has(type)) + 1
  const blocks = own.toSpliced(behind, 0, ...first)
  const text = isText ? blocks.map((block) => String(block['text'])).join('') : undefined
  const said = text === undefined ? first.length : text.length - message.content.length
  const mark: RoundsMark = { lookUps: round, said, ...(behind > 0 && { behind }), ...(prompt !== undefined && { prompt }) }
  return cloned(message, {
    content: text ?? (blocks as unknown as MessageContent),
    ...(usage !== undefined && { usage_metadata: usage }),
    ...(outputs.length > 0 && { additional_kwargs: { ...message.additional_kwargs, tool_outputs: outputs } }),
    response_metadata: { ...message.response_metadata, [slot]: mark },
  }) as AIMessage
}

/** A block with other words; one that has none as it is. */
export function apart<B extends Readonly<Record<string, unknown>>>(block: B, shownAs: (text: string) => string): B {
  if (block['type'] !== 'text' || typeof block['text'] !== 'string') return block
  const text = shownAs(block['text'])
  return text === block['text'] ? block : { ...block, text }
}

const asBlocks = (text: string): readonly Block[] => (text === '' ? [] : [{ type: 'text', text }])

/** Of a round that looked up, what is the user's: words with their sources, and whatever the provider ran. */
function saidIn(message: AIMessage): readonly Block[] {
  if (typeof message.content === 'string') return asBlocks(message.content)
  return blocksOf(message).flatMap((block) => {
    const { type = '', text, citations, annotations } = block as Block & Fields
    if (type !== 'text') return thoughts.has(type) ? [] : [block]
    const sources = { ...(citations != null && { citations }), ...(Array.isArray(annotations) && annotations.length > 0 && { annotations }) }
    return text === '' ? [] : [{ type, text, ...sources }]
  })
}

/** The part of a reply that its last round said: what was said before stands in the rounds that are shown before it. */
export function newestRoundOnly(message: AIMessage): AIMessage {
  const mark = message.response_metadata?.[slot] as RoundsMark | undefined
  if (mark === undefined || !(mark.said > 0)) return message
  const { said, behind = 0 } = mark
  if (typeof message.content === 'string') return cloned(message, { content: message.content.slice(said) }) as AIMessage
  const own = blocksOf(message).toSpliced(behind, said)
  const first = own.findIndex(({ type }) => type === 'text')
  return cloned(message, { content: own.map((block, at) => (at === first ? apart(block, withoutParagraph) : block)) as unknown as MessageContent }) as AIMessage
}
