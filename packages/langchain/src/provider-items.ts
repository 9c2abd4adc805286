// What OpenAI's package sends of a reply as it came, beside its content and its tool calls: items of the Responses API, raw fields of Chat Completions.
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { jsonText, type MessageChanges, type Part, readOpaque } from '@precis/core'

/** One item of a reply as the Responses API made it. */
export interface Item {
  readonly type?: string
  readonly [field: string]: unknown
}

/** Of a message in LangChain's standard blocks nothing but these is sent. */
const isStandard = ({ response_metadata }: BaseMessage): boolean => response_metadata?.['output_version'] === 'v1'

/** The output of a reply, where all of it goes back in place of the message. */
function outputOf(message: BaseMessage): readonly Item[] {
  const output: unknown = message.response_metadata?.['output']
  if (!AIMessage.isInstance(message) || isStandard(message) || !Array.isArray(output)) return []
  return output.every((item) => typeof (Object(item) as Item).type === 'string') ? (output as readonly Item[]) : []
}

/** A call as the model wrote it. */
export interface RawCall {
  readonly id: string
  readonly name: string
  readonly input: string
}

/** Calls that are sent as the model wrote them, whether or not their arguments are JSON. With calls that could be read, Chat Completions gets these alone. */
export function rawCallsOf(message: AIMessage): readonly RawCall[] {
  const items = outputOf(message).filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
  const raw: unknown = message.additional_kwargs?.['tool_calls']
  const isSent = Array.isArray(raw) && !isStandard(message) && (message.tool_calls ?? []).length === 0
  return [
    ...items.map((item) => rawCall(item['call_id'], item['name'], item['arguments'] ?? item['input'])),
    ...(isSent ? (raw as readonly RawChatCall[]).map((call) => rawCall(call?.id, call?.function?.name, call?.function?.arguments)) : []),
  ].filter(({ id }) => id !== '')
}

/** A call as Chat Completions spells it. */
interface RawChatCall {
  readonly id?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
}

const rawCall = (id: unknown, name: unknown, input: unknown): RawCall => ({ id: String(id ?? ''), name: String(name ?? ''), input: String(input ?? '') })

/** Items that go out even where the output of a reply is not at hand: all others are made of its content then. */
const sentApart = new Set(['mcp_call', 'code_interpreter_call', 'image_generation_call', 'shell_call', 'local_shell_call', 'computer_call'])

/** Items that a client answers by the id of their call, in a form of their own. */
const answeredByClients = new Set(['shell_call', 'local_shell_call', 'computer_call', 'apply_patch_call'])

/** What a reply holds beside its content and its tool calls, and is sent with it. */
export function readBeside(message: AIMessage): readonly Part[] {
  if (isStandard(message)) return []
  const { tool_outputs: apart, audio, refusal, function_call: called } = (message.additional_kwargs ?? {}) as Readonly<Record<string, unknown>>
  const output = outputOf(message)
  const items = output.length > 0 || !Array.isArray(apart) ? output : (apart as readonly Item[]).filter((item) => sentApart.has(item?.type ?? ''))
  const isBlank = message.content === '' || message.content.length === 0
  const known = new Set<unknown>([
    ...(message.tool_calls ?? []).map(({ id }) => id),
    ...(typeof message.content === 'string' ? [] : message.content.map((block) => (Object(block) as Item)['id'])),
  ])
  const isKnown = (item: Item): boolean => {
    const id = item['call_id'] ?? item['id']
    return id !== undefined && known.has(id)
  }
  return [
    ...items.flatMap((item) => (item.type === 'message' ? readWords(item, isBlank) : isKnown(item) ? [] : readItem(item))),
    ...(typeof refusal === 'string' && refusal !== '' && !output.some(({ type }) => type === 'message') ? [{ type: 'text' as const, text: refusal }] : []),
    ...readAudio(audio),
    ...(typeof called === 'object' && called !== null ? [readOpaque('function_call', called)] : []),
  ]
}

/** Of the words of an item those that stand in no content: refusals, and all of a message that has none. */
function readWords({ content }: Item, isBlank: boolean): readonly Part[] {
  return (Array.isArray(content) ? (content as readonly Item[]) : []).flatMap((piece): readonly Part[] => {
    const text = piece?.['refusal'] ?? (isBlank ? piece?.['text'] : undefined)
    return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : []
  })
}

/** One item that the provider made. What it runs itself, or answers in a form of its own, is a call that nobody answers in its place. */
export function readItem(item: Item): readonly Part[] {
  const { type = 'unknown' } = item
  const call = (callId: string, tool: string, input: unknown): Part => ({ type: 'tool-call', callId, tool, input: jsonText(input), providerExecuted: true })
  if (type === 'reasoning' || type === 'function_call' || type === 'custom_tool_call') return []
  if (type === 'mcp_approval_request') return [call(approvalId(item['id']), 'mcp_approval', item)]
  if (answeredByClients.has(type)) return [call(String(item['call_id'] ?? item['id'] ?? ''), type, item['action'] ?? item['operation'] ?? item)]
  if (type === 'compaction') return [readOpaque('provider-compaction', item, { barrier: true })]
  return [readOpaque(type, item, type === 'image_generation_call' ? { mediaType: 'image/*' } : {})]
}

const approvalId = (request: unknown): string => `mcp-approval:${String(request ?? '')}`

/** A person's answer to a request for approval, which stands in the content of their message. */
export function readApproval(block: Item): Part {
  return { type: 'approval', callId: approvalId(block['approval_request_id']), state: block['approve'] === true ? 'granted' : 'denied' }
}

/** A spoken reply: only its id is sent back, and billed by what was said. */
function readAudio(audio: unknown): readonly Part[] {
  const { transcript, ...sound } = Object(audio) as Item
  if (sound['id'] === undefined) return []
  return [
    ...(typeof transcript === 'string' && transcript !== '' ? [{ type: 'text' as const, text: transcript }] : []),
    readOpaque('audio', sound, { mediaType: 'audio/*' }),
  ]
}

type Fields = Readonly<Record<string, unknown>>

/** The fields of a reply in which it is sent as it came, with the same edits as its content and its calls: none where nothing of it stands there. */
export function editedBeside(message: AIMessage, { inputs, media }: Pick<MessageChanges, 'inputs' | 'media'>): Fields {
  const output = outputOf(message)
  const { tool_calls: raw, tool_outputs: apart } = (message.additional_kwargs ?? {}) as Fields
  const images = media === undefined ? new Set() : imagesIn(message)
  const items = output.map((item) => editedItem(item, inputs))
  const shown = images.size === 0 ? items : items.flatMap((item, at) => (images.has(item['id']) ? inPlaceOf(items, at, images, media ?? '') : [item]))
  const kwargs = {
    ...(Array.isArray(raw) && inputs.size > 0 && { tool_calls: (raw as readonly RawChatCall[]).map((call) => editedRaw(call, inputs)) }),
    ...(Array.isArray(apart) && images.size > 0 && { tool_outputs: (apart as readonly Item[]).filter((item) => !images.has(item?.['id'])) }),
  }
  return {
    ...(output.length > 0 && { response_metadata: { ...message.response_metadata, output: shown } }),
    ...(Object.keys(kwargs).length > 0 && { additional_kwargs: { ...message.additional_kwargs, ...kwargs } }),
  }
}

function editedItem(item: Item, inputs: MessageChanges['inputs']): Item {
  const input = inputs.get(String(item['call_id']))
  if (input === undefined) return item
  if (item.type === 'function_call') return { ...item, arguments: input }
  const { input: text } = JSON.parse(input) as { readonly input?: unknown }
  return item.type === 'custom_tool_call' && typeof text === 'string' ? { ...item, input: text } : item
}

function editedRaw(call: RawChatCall, inputs: MessageChanges['inputs']): RawChatCall {
  const input = inputs.get(String(call?.id))
  return input === undefined ? call : { ...call, function: { ...call.function, arguments: input } }
}

/** Ids of pictures that the content shows too. */
function imagesIn({ content }: AIMessage): ReadonlySet<unknown> {
  const blocks = typeof content === 'string' ? [] : content.map((block) => Object(block) as Item)
  return new Set(blocks.flatMap(({ type, id }) => (type === 'image' && id !== undefined ? [id] : [])))
}

/** What stands for a picture: the line once, and wherever a thought would have nothing behind it. */
function inPlaceOf(items: readonly Item[], at: number, images: ReadonlySet<unknown>, line: string): readonly Item[] {
  const isFirst = items.findIndex((item) => images.has(item['id'])) === at
  if (!isFirst && items[at - 1]?.type !== 'reasoning') return []
  return [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: line, annotations: [] }] }]
}
