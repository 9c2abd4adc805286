// Tools as a provider package spells them in the settings of a call.
import { RunnableBinding } from '@langchain/core/runnables'
import type { ProviderModel, Settings } from './derived-model.ts'

/** Names of what a tool offers, in whichever spelling: LangChain's, OpenAI's, Anthropic's, Google's, which is one for all functions. None for what a provider executes itself without a name. */
export function toolNames(tool: unknown): readonly string[] {
  const { name, function: inner, toolSpec } = Object(tool) as { readonly name?: unknown; readonly function?: unknown; readonly toolSpec?: unknown }
  const found = [name ?? (Object(inner ?? toolSpec) as { readonly name?: unknown }).name, ...(functionsIn(tool) ?? []).map((one) => one.name)]
  return found.filter((one) => typeof one === 'string')
}

/** Functions of a call in Google's spelling. */
function functionsIn(tool: unknown): readonly { readonly name?: unknown }[] | undefined {
  const { functionDeclarations: all } = Object(tool) as { readonly functionDeclarations?: unknown }
  return Array.isArray(all) ? all.map((one) => Object(one) as { readonly name?: unknown }) : undefined
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
  const [tools, bound] = [toolsIn(settings), boundTools(model.bindTools?.([tool])).tools]
  const functions = bound.flatMap((one) => functionsIn(one) ?? [])
  const at = functions.length === 0 ? -1 : tools.findIndex((one) => functionsIn(one) !== undefined)
  return { ...settings, tools: at < 0 ? [...tools, ...bound] : tools.with(at, declaring(tools[at], [...(functionsIn(tools[at]) ?? []), ...functions])) }
}

const declaring = (tool: unknown, functionDeclarations: readonly unknown[]): object => ({ ...Object(tool), functionDeclarations })

export function withoutTool(settings: Settings, name: string): Settings {
  const tools = toolsIn(settings).flatMap((tool) => {
    if (!toolNames(tool).includes(name)) return [tool]
    const left = (functionsIn(tool) ?? []).filter((one) => one.name !== name)
    return left.length === 0 ? [] : [declaring(tool, left)]
  })
  return { ...settings, tools }
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
