// Counts what a request of this framework carries besides its messages. Each framework has it in other places, so each adapter reads it by itself.
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { builtInEstimator, type ModelCall, type ModelLimits, type Overhead, providerSide, requestedReply, type TokenEstimator } from '@precis/core'

/** What a request carries besides its messages: the system message, the tools' definitions, and with them the schema that the reply shall follow. */
export function readOverhead(
  request: { readonly system?: unknown; readonly tools?: readonly unknown[] | undefined; readonly format?: unknown },
  estimator: TokenEstimator = builtInEstimator,
): Overhead {
  return {
    system: estimator.count(textOf(request.system)),
    tools: (request.tools ?? []).reduce<number>(
      (total, tool) => total + estimator.count(definitionOf(tool)) + perTool,
      estimator.count([request.format].flat().map(schemaOf).join('')),
    ),
    memory: 0,
  }
}

/** Tokens of wrapping around one tool definition. */
const perTool = 12

function definitionOf(tool: unknown): string {
  try {
    return JSON.stringify(convertToOpenAITool(tool as never))
  } catch {
    // A provider's own tool, or one without a schema: its description is most of it.
    const { name, description } = (tool ?? {}) as { readonly name?: unknown; readonly description?: unknown }
    return `${typeof name === 'string' ? name : ''} ${typeof description === 'string' ? description : ''}`
  }
}

/** A schema of zod or of JSON, alone or as a strategy of LangChain's agents holds it. */
function schemaOf(format: unknown): string {
  try {
    const { schema = format } = Object(format) as { readonly schema?: unknown }
    return format == null ? '' : JSON.stringify(toJsonSchema(schema as never))
  } catch {
    return ''
  }
}

function textOf(message: unknown): string {
  const content = typeof message === 'string' ? message : (message as { readonly content?: unknown } | undefined)?.content
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((block: { readonly text?: unknown }) => (typeof block.text === 'string' ? block.text : '')).join('\n') : ''
}

/**
 * The window that a model object states about itself; undefined where it states none. What a profile calls its input is the whole window (400,000 for gpt-5),
 * which the reply shares. A capability may be more than an account is allowed: `limits` goes before it.
 */
export function profileLimits(model: unknown): ModelLimits | undefined {
  if (isGuessed(model)) return undefined
  const profile = (model as { readonly profile?: { readonly maxInputTokens?: unknown; readonly maxOutputTokens?: unknown } } | undefined)?.profile
  if (typeof profile?.maxInputTokens !== 'number') return undefined
  const { maxInputTokens: contextWindow, maxOutputTokens: maxOutput } = profile
  return { contextWindow, ...(typeof maxOutput === 'number' && { maxOutput }) }
}

/** Azure serves a deployment under any name. Where nobody says which model that is, LangChain takes it for gpt-3.5-turbo. */
function isGuessed(model: unknown): model is { readonly azureOpenAIApiDeploymentName: string } {
  const { azureOpenAIApiDeploymentName: deployment, lc_kwargs: given } = Object(model) as Readonly<Record<string, unknown>>
  return typeof deployment === 'string' && ['model', 'modelName'].every((name) => Object(given)[name] === undefined)
}

export function modelName(model: unknown): string | undefined {
  if (isGuessed(model)) return model.azureOpenAIApiDeploymentName
  const { model: name, modelName: other } = (model ?? {}) as { readonly model?: unknown; readonly modelName?: unknown }
  return typeof name === 'string' ? name : typeof other === 'string' ? other : undefined
}

/** Who serves a model, as its class says to tracers: `openai`, `google_genai`, `amazon_bedrock`. */
export function providerName(model: unknown): string {
  try {
    const { ls_provider } = (model as { getLsParams(settings: object): { readonly ls_provider?: unknown } }).getLsParams({})
    return typeof ls_provider === 'string' ? ls_provider : 'unknown'
  } catch {
    return 'unknown'
  }
}

/** What we use of a chat model, and of what stands around one: bound settings, a model that is chosen by the run's configuration. */
interface ModelView {
  readonly bound?: unknown
  readonly kwargs?: object
  invocationParams?(settings: object): unknown
  _getModelInstance?(config: object): Promise<unknown>
}

/** The chat model behind bound settings and behind a choice by the run's configuration; as given where it cannot be made yet: the call itself will say so. */
export async function modelBehind(model: unknown, config: object = {}): Promise<unknown> {
  const view = Object(model) as ModelView
  if (view.bound !== undefined) return modelBehind(view.bound, config)
  return (
    (await view._getModelInstance?.(config).then(
      (chosen) => modelBehind(chosen, config),
      () => model,
    )) ?? model
  )
}

/**
 * What a model's client will write into the request's body: the tokens of the reply, which some fill in from a table of their own, and whether the provider keeps
 * or compacts the conversation by itself.
 */
export async function readBody(model: unknown, settings: object = {}, config: object = {}): Promise<Pick<ModelCall, 'maxOutput' | 'provider'>> {
  const view = (model ?? {}) as ModelView
  if (view.bound !== undefined) return readBody(view.bound, { ...view.kwargs, ...settings }, config)
  let body: object = {}
  try {
    if (typeof view._getModelInstance === 'function') return await readBody(await view._getModelInstance(config), settings, config)
    body = view.invocationParams?.(settings) ?? {}
  } catch {
    // A model that is not complete yet, or settings that it refuses: the call itself will say so.
  }
  const maxOutput = requestedReply(body) ?? requestedReply(settings) ?? requestedReply(view)
  const provider = providerSide({ body, settings })
  return { ...(maxOutput !== undefined && { maxOutput }), ...(provider !== undefined && { provider }) }
}
