// Tools of ours that the host's agent carries, and calls of them as the SDK can hand them on.
import type { ToolDefinition } from '@precis/core'
import { isRecord, parseJson } from '@precis/core/adapters'
import type { AgentItem } from '@precis/wire/openai-agents'
import type { Reply, Request } from './model-call.ts'

export interface InvokeDetails {
  readonly signal?: AbortSignal
  readonly toolCall?: { readonly callId?: string }
}

/** Descriptions of those that were made in this process, by their names. */
const made = new Map<string, string>()

/** A plain object in the shape of the SDK's function tool. */
export function functionTool(
  { name, description, inputSchema }: Omit<ToolDefinition, 'execute'>,
  execute: (input: unknown, details: InvokeDetails | undefined) => Promise<string>,
): object {
  made.set(name, description)
  return {
    type: 'function',
    name,
    description,
    parameters: inputSchema,
    strict: false,
    needsApproval: async () => false,
    isEnabled: async () => true,
    invoke: (_runContext: unknown, input: string, details?: InvokeDetails) => execute(parseJson(input) ?? {}, details),
  }
}

/**
 * A reply in which calls of our tools have an object for arguments. The SDK asks a person to approve a call whose arguments it cannot read, unless the tool is
 * of its own making; our tools answer a missing field in words.
 */
export function withReadableCalls<R extends Reply | undefined>(reply: R, { tools = [] }: Request): R {
  const ours = new Set(tools.flatMap(({ name = '', description }) => (description !== undefined && made.get(name) === description ? [name] : [])))
  const unreadable = ({ type, name = '', arguments: written = '' }: AgentItem): boolean =>
    type === 'function_call' && ours.has(name) && !isRecord(parseJson(written))
  if (reply?.output?.some(unreadable) !== true) return reply
  return { ...reply, output: reply.output.map((item) => (unreadable(item) ? { ...item, arguments: '{}' } : item)) }
}
