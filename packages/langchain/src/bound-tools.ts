// Tools as a provider package spells them in the settings of a call.
import { RunnableBinding } from '@langchain/core/runnables'
import type { ProviderModel, Settings } from './derived-model.ts'

/** Name of a tool in whichever spelling: LangChain's, OpenAI's, Anthropic's. undefined for what a provider executes itself without a name. */
export function toolName(tool: unknown): string | undefined {
  const { name, function: inner, toolSpec } = Object(tool) as { readonly name?: unknown; readonly function?: unknown; readonly toolSpec?: unknown }
  const found = name ?? (Object(inner ?? toolSpec) as { readonly name?: unknown }).name
  return typeof found === 'string' ? found : undefined
}

export function toolsIn({ tools }: Settings): readonly unknown[] {
  return Array.isArray(tools) ? tools : []
}

/** Whether the reply shall be an object: words before a look-up are no part of it. */
export function wantsObject(settings: Settings): boolean {
  return ['response_format', 'responseSchema', 'outputConfig', 'ls_structured_output_format'].some((name) => settings[name] != null)
}

/** Settings with one more tool behind the others; as they are where a model takes no tools. */
export function withTool(model: ProviderModel, settings: Settings, tool: unknown): Settings {
  return { ...settings, tools: [...toolsIn(settings), ...boundTools(model.bindTools?.([tool])).tools] }
}

export function withoutTool(settings: Settings, name: string): Settings {
  return { ...settings, tools: toolsIn(settings).filter((tool) => toolName(tool) !== name) }
}

interface OpenAIFunction {
  readonly name: string
  readonly strict?: boolean
  readonly parameters: { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>; readonly required?: readonly string[] }
}

/** Whether OpenAI's package will mark every function of a call as strict. */
function isStrict({ supportsStrictToolCalling }: ProviderModel, settings: Settings): boolean {
  const { type } = Object(settings['response_format']) as { readonly type?: unknown }
  return settings['strict'] !== false && (settings['strict'] === true || supportsStrictToolCalling === true || type === 'json_schema')
}

/** Settings in which our tools obey OpenAI's rule for strict functions: every argument is required, so that one that may be left out may be null. */
export function strictly(model: ProviderModel, settings: Settings, ours: ReadonlySet<string>): Settings {
  const strict = isStrict(model, settings)
  const tools = toolsIn(settings).map((tool) => {
    const { function: inner } = Object(tool) as { readonly function?: OpenAIFunction }
    if (inner?.parameters?.properties === undefined || !ours.has(inner.name) || !(strict || inner.strict === true)) return tool
    const { properties, required = [] } = inner.parameters
    const nullable = Object.entries(properties).map(([name, one]) => [name, required.includes(name) ? one : { ...one, type: [one.type, 'null'] }] as const)
    const parameters = { ...inner.parameters, properties: Object.fromEntries(nullable), required: Object.keys(properties) }
    return { ...(tool as object), function: { ...inner, parameters } }
  })
  return tools.length === 0 ? settings : { ...settings, tools }
}

/** A model and the tools that are bound to it, whichever way its package binds them. */
export function boundTools(model: unknown): { readonly inner: unknown; readonly tools: readonly unknown[] } {
  const { bound, kwargs, config, defaultOptions } = Object(model) as { readonly [name: string]: object | undefined }
  if (RunnableBinding.isRunnableBinding(model)) {
    const { inner, tools } = boundTools(bound)
    return { inner, tools: [...tools, ...toolsIn({ ...kwargs, ...config } as Settings)] }
  }
  return { inner: model, tools: toolsIn((defaultOptions ?? {}) as Settings) }
}
