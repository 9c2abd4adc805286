// The shape that this framework wants its tools in, and nothing else: what they do is core's `ToolDefinition`, what becomes of an output its `receiveOutput`.
import { builtInEstimator, jsonText, lookUp, recallTool as recallDefinition, type ToolDefinition } from '@precis/core'
import type { SdkMessage } from '@precis/wire/ai-sdk'
import { createCodec } from '@precis/wire/ai-sdk'
import type { Tool } from 'ai'
import { lookUpOf } from './agent-look-ups.ts'
import { schemaMarks } from './schema.ts'

/**
 * Our tools as the SDK's own: `compact_context`, and with a store or an archive `tool_output_cache`, `tool_output_cache_grep`, `recall_history`.
 * Spread them beside yours: `tools: { ...yours, ...compactionTools(session) }`.
 */
export function compactionTools(session: { tools(): readonly ToolDefinition[] }): Record<string, Tool<Record<string, unknown>, string>> {
  const tools = session.tools().map(({ name, description, inputSchema, execute }) => [
    name,
    {
      description,
      // Input is read without trust by the tools themselves: a wrong field is answered in words.
      inputSchema: { ...schemaMarks, jsonSchema: inputSchema, validate: undefined },
      execute: (input: unknown, { abortSignal }: { readonly abortSignal?: AbortSignal } = {}) =>
        execute(input, abortSignal === undefined ? {} : { signal: abortSignal }),
    },
  ])
  return Object.fromEntries(tools) as Record<string, Tool<Record<string, unknown>, string>>
}

/** Tokens of one answer. */
const mostShown = 4_000

/**
 * For `withCompaction(model, { recall: "tool" })`: the look-up as a tool of the agent's own, among yours: `tools: { ...yours, ...recallTool(model) }`.
 * It reads the history behind the request in which it was called; of a call that `model` did not make, the messages that the SDK hands to every tool.
 */
export function recallTool(model: object): Record<string, Tool<Record<string, unknown>, string>> {
  const { name, description, inputSchema } = recallDefinition
  const codec = createCodec<SdkMessage>()
  const tool = {
    description,
    inputSchema: { ...schemaMarks, jsonSchema: inputSchema, validate: undefined },
    execute: async (input: unknown, { toolCallId = '', messages = [] }: { readonly toolCallId?: string; readonly messages?: readonly SdkMessage[] } = {}) => {
      const found = lookUpOf(model, toolCallId)
      if (found !== undefined) return found(input)
      const history = messages.map((message) => codec.read(message))
      return lookUp(history, input, { tokens: mostShown, estimator: builtInEstimator }).text
    },
  }
  return { [name]: tool } as unknown as Record<string, Tool<Record<string, unknown>, string>>
}

/** What a conversation keeps of an output. */
export type Receive = (tool: string, output: string, signal: AbortSignal | undefined) => Promise<string>

type Execute = (input: unknown, options?: { readonly abortSignal?: AbortSignal }) => unknown

/**
 * Tools whose long outputs go to the store and never into the conversation. Left as they are: tools that run elsewhere (no `execute`),
 * and those that say themselves what the model is shown (`toModelOutput`).
 */
export function withCachedOutputs<T extends object>(tools: T, receive: Receive, except: ReadonlySet<string>): T {
  const wrapped = Object.entries(tools).map(([name, tool]: [string, { readonly execute?: Execute; readonly toModelOutput?: unknown }]) => {
    const { execute } = tool
    if (typeof execute !== 'function' || tool.toModelOutput !== undefined || except.has(name)) return [name, tool]
    const shown = async (output: unknown, signal: AbortSignal | undefined): Promise<unknown> => {
      if (output === undefined) return output
      const text = typeof output === 'string' ? output : jsonText(output)
      const view = await receive(name, text, signal)
      return view === text ? output : view
    }
    const cached: Execute = (input, options) => {
      const output = execute.call(tool, input, options)
      return isStream(output)
        ? lastShown(output, (last) => shown(last, options?.abortSignal))
        : Promise.resolve(output).then((one) => shown(one, options?.abortSignal))
    }
    return [name, { ...tool, execute: cached }]
  })
  return Object.fromEntries(wrapped) as T
}

function isStream(output: unknown): output is AsyncIterable<unknown> {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output
}

/** A tool that yields tells its progress; what it yields last is its output. */
async function* lastShown(values: AsyncIterable<unknown>, shown: (last: unknown) => Promise<unknown>): AsyncGenerator<unknown> {
  let last: { readonly value: unknown } | undefined
  for await (const value of values) {
    if (last !== undefined) yield last.value
    last = { value }
  }
  if (last !== undefined) yield await shown(last.value)
}
