// The shape that this framework wants its tools in, and nothing else: what they do is core's `ToolDefinition`, what becomes of an output its `receiveOutput`.
import { builtInEstimator, jsonText, recallTool as recallDefinition, type ToolDefinition } from '@precis/core'
import { lookUp, lookUpOf, toolsOf } from '@precis/core/adapters'
import type { SdkMessage } from '@precis/wire/ai-sdk'
import { createCodec } from '@precis/wire/ai-sdk'
import type { Tool } from 'ai'
import { schemaMarks } from './schema.ts'

/**
 * Our tools as the SDK's own: `compact_context`, and with a store or an archive `tool_output_cache`, `tool_output_cache_grep`, `recall_history`.
 * Spread them beside yours: `tools: { ...yours, ...compactionTools(session) }`.
 */
export function compactionTools(session: { tools(): readonly ToolDefinition[] }): Record<string, Tool<Record<string, unknown>, string>> {
  const tools = toolsOf(session, 'compactionTools(compaction.session(id))').map(({ name, description, inputSchema, execute }) => [
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

interface GivenTool {
  readonly type?: string
  readonly execute?: Execute
  readonly outputSchema?: unknown
  readonly toModelOutput?: unknown
}

type Execute = (input: unknown, options?: { readonly abortSignal?: AbortSignal }) => unknown

/**
 * Tools whose long outputs go to the store and never into the prompt. A text is replaced by its view; any other value stays what it is, for the chat that
 * stores it and for its `outputSchema`, and the model is shown the view (`toModelOutput`). Left as they are: tools that run elsewhere (no `execute`),
 * those that say themselves what the model is shown, and a provider's own whose answers have a shape, such as OpenAI's shell.
 */
export function withCachedOutputs<T extends object>(tools: T, receive: Receive, except: ReadonlySet<string>): T {
  const views = new WeakMap<object, string>()
  const wrapped = Object.entries(tools).map(([name, tool]: [string, GivenTool]) => {
    const { execute } = tool
    const isShaped = tool.type?.startsWith('provider') === true && tool.outputSchema !== undefined
    if (typeof execute !== 'function' || tool.toModelOutput !== undefined || isShaped || except.has(name)) return [name, tool]
    const shown = async (output: unknown, signal: AbortSignal | undefined): Promise<unknown> => {
      if (typeof output === 'string') return receive(name, output, signal)
      if (typeof output !== 'object' || output === null) return output
      const text = jsonText(output)
      const view = await receive(name, text, signal)
      if (view !== text) views.set(output, view)
      return output
    }
    const cached: Execute = (input, options) => {
      const output = execute.call(tool, input, options)
      return isStream(output)
        ? lastShown(output, (last) => shown(last, options?.abortSignal))
        : Promise.resolve(output).then((one) => shown(one, options?.abortSignal))
    }
    const modelOutput = (output: unknown, view: string | undefined): object =>
      typeof output === 'string' || view !== undefined ? { type: 'text', value: view ?? output } : { type: 'json', value: output ?? null }
    const toModelOutput = (given: unknown): object => {
      const call = callIn(given)
      const output = call === undefined ? given : call.output
      if (typeof output !== 'object' || output === null) return modelOutput(output, undefined)
      const view = views.get(output)
      // Of a chat that was loaded anew: what is stored has the same name again. Version 5 does not wait for it.
      if (view === undefined && call !== undefined) return shown(output, undefined).then(() => modelOutput(output, views.get(output)))
      return modelOutput(output, view)
    }
    // What the SDK hides in a tool goes with it.
    return [
      name,
      Object.create(Object.getPrototypeOf(tool) as object, {
        ...Object.getOwnPropertyDescriptors(tool),
        ...Object.getOwnPropertyDescriptors({ execute: cached, toModelOutput }),
      }),
    ]
  })
  return Object.fromEntries(wrapped) as T
}

/** Version 5 hands over the output, later ones the call around it. */
function callIn(given: unknown): { readonly output: unknown } | undefined {
  const isCall = typeof given === 'object' && given !== null && 'toolCallId' in given && 'input' in given && 'output' in given
  return isCall ? given : undefined
}

function isStream(output: unknown): output is AsyncIterable<unknown> {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output
}

/** A tool that yields tells its progress, as it comes; what it yields last is its output, and nobody knows before the end which that is. */
async function* lastShown(values: AsyncIterable<unknown>, shown: (last: unknown) => Promise<unknown>): AsyncGenerator<unknown> {
  let last: unknown
  for await (const value of values) {
    last = value
    yield value
  }
  const output = await shown(last)
  if (output !== last) yield output
}
