// What OpenAI's package sends of a reply as it came, beside its content and its tool calls: items of the Responses API, raw fields of Chat Completions.
import { AIMessage, type BaseMessage } from '@langchain/core/messages'

/** One item of a reply as the Responses API made it. */
export interface Item {
  readonly type?: string
  readonly [field: string]: unknown
}

/** Of a message in LangChain's standard blocks nothing but these is sent. */
const isStandard = ({ response_metadata }: BaseMessage): boolean => response_metadata?.['output_version'] === 'v1'

/** The output of a reply, where all of it goes back in place of the message. */
export function outputOf(message: BaseMessage): readonly Item[] {
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
