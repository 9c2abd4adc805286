// The shape that this framework wants its tools in, and nothing else: what they do is core's `ToolDefinition`, what becomes of an output its `receiveOutput`.
import { createCompactor, InvalidConfigurationError, jsonText, recallTool as recallDefinition, type ToolDefinition } from '@precis/core'
import { givenOptions, lookUpOf, ownToolNames, toolsOf } from '@precis/core/adapters'
import { createRedactor } from '@precis/redaction'
import { type AgentItem, createCodec } from '@precis/wire/openai-agents'
import type { CompactionOptions } from './door.ts'
import { functionTool } from './own-tools.ts'
import { doorOf } from './with-compaction.ts'

/** What we use of the SDK's function tool. */
interface FunctionTool {
  readonly type?: unknown
  readonly name: string
  /** What it answers is read by others. */
  readonly outputSchema?: unknown
  /** Of an agent as a tool alone, which the SDK knows by its object: what stands in its place would be another. */
  readonly on?: unknown
  invoke(runContext: unknown, input: string, details?: { readonly signal?: AbortSignal }): Promise<unknown>
}

/**
 * Our tools as the SDK's own: `compact_context`, and with a store or an archive `tool_output_cache`, `tool_output_cache_grep`, `recall_history`.
 * `tools: [...yours, ...compactionTools(sessionOf(wrapped))]`. Plain objects: nothing of the SDK is imported.
 */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's tool type is a closed union that differs by version
export function compactionTools(session: { tools(): readonly ToolDefinition[] }): any[] {
  return toolsOf(session, 'compactionTools(sessionOf(wrapped))').map(({ execute, ...definition }) =>
    // Input is read without trust by the tools themselves: a wrong field is answered in words.
    functionTool(definition, (input, details) => execute(input, details?.signal === undefined ? {} : { signal: details.signal })),
  )
}

/**
 * For `withCompaction(provider, { recall: 'tool' })`: the look-up as a tool of the agent's own: `tools: [...yours, recallTool(wrapped)]`. It reads the history
 * behind the request in which it was called.
 * @throws CompactionError for what `withCompaction` did not return.
 */
// biome-ignore lint/suspicious/noExplicitAny: the SDK's tool type is a closed union that differs by version
export function recallTool(wrapped: object): any {
  const door = doorOf(wrapped)
  return functionTool(recallDefinition, async (input, details) => {
    const found = lookUpOf(door, details?.toolCall?.callId ?? '')
    return found === undefined
      ? 'Nothing can be looked up here: it is not known which request of the wrapped model this call came from. Go on with what you have.'
      : found(input)
  })
}

/**
 * Function tools whose long outputs go to the store and never into the conversation, which gets a view and a reference. Other kinds of tools (hosted, shell,
 * computer), agents as tools and tools with an `outputSchema` are handed back as they are.
 *
 * @throws InvalidConfigurationError without `outputs`.
 */
export function cacheToolOutputs<T extends readonly object[]>(tools: T, options: CompactionOptions): T {
  const { onWarning: _warnings, protect: _pins, session: _conversation, ...rest } = givenOptions(options)
  if (rest.outputs === undefined) throw new InvalidConfigurationError('outputs', null, 'write createToolOutputStore(storage)')
  const compactor = createCompactor<AgentItem>({ redact: createRedactor(), ...rest, codec: createCodec() })
  const except = ownToolNames(rest)
  return tools.map((tool) => {
    const { type, name, invoke, outputSchema, on } = tool as FunctionTool
    if (type !== 'function' || typeof invoke !== 'function' || except.has(name) || outputSchema !== undefined || on !== undefined) return tool
    const cached: FunctionTool['invoke'] = async (runContext, input, details) => {
      const output = await invoke.call(tool, runContext, input, details)
      // Structured outputs with attachments go on as they are; their texts are shortened when they are shown.
      const text = typeof output === 'string' ? output : isPlain(output) ? jsonText(output) : undefined
      if (text === undefined) return output
      const view = await compactor.receiveOutput(name, text, { signal: details?.signal })
      return view === text ? output : view
    }
    return new Proxy(tool, { get: (target, member) => (member === 'invoke' ? cached : Reflect.get(target, member, target)) })
  }) as unknown as T
}

/** A value that is neither a text nor one of the SDK's own output shapes. */
function isPlain(output: unknown): boolean {
  if (Array.isArray(output)) return output.every((item) => Array.isArray(item) || isPlain(item) || typeof item !== 'object')
  return typeof output === 'object' && output !== null && !/^(text|image|file|input_)/.test(String((output as { readonly type?: unknown }).type ?? ''))
}
