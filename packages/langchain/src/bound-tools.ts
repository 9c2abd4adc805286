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

/** A model and the tools that are bound to it, whichever way its package binds them. */
export function boundTools(model: unknown): { readonly inner: unknown; readonly tools: readonly unknown[] } {
  const { bound, kwargs, config, defaultOptions } = Object(model) as { readonly [name: string]: object | undefined }
  if (RunnableBinding.isRunnableBinding(model)) {
    const { inner, tools } = boundTools(bound)
    return { inner, tools: [...tools, ...toolsIn({ ...kwargs, ...config } as Settings)] }
  }
  return { inner: model, tools: toolsIn((defaultOptions ?? {}) as Settings) }
}
