import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import type { BaseMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs'
import { RunnableBinding } from '@langchain/core/runnables'
import { threadOf } from './seam.ts'

/** Settings of one call, as the provider's client takes them: tools in its own spelling, say. */
export type Settings = Readonly<Record<string | symbol, unknown>>
export type RunManager = CallbackManagerForLLMRun | undefined

/** What we use of a chat model: the part that its provider package wrote. */
export interface ProviderModel {
  _generate(messages: BaseMessage[], settings: Settings, run?: RunManager): Promise<ChatResult>
  _streamResponseChunks?(messages: BaseMessage[], settings: Settings, run?: RunManager): AsyncGenerator<ChatGenerationChunk>
  _streamChatModelEvents?(messages: BaseMessage[], settings: Settings, run?: RunManager): AsyncGenerator<StreamEvent>
  _getModelInstance?(config?: object): Promise<unknown>
  /** What is done with the model that a run's configuration chooses. */
  readonly _queuedMethodOperations?: Readonly<Record<string, readonly unknown[]>>
  withConfig?(config: object): unknown
  bindTools?(tools: readonly unknown[], settings?: object): unknown
  withStructuredOutput?(...given: readonly unknown[]): unknown
  invoke?(...given: readonly unknown[]): Promise<unknown>
  /** Of replies: what it holds is answered without a request. */
  readonly cache?: unknown
  readonly streaming?: boolean
  readonly supportsStrictToolCalling?: boolean | undefined
}

/** One event of LangChain's protocol of content blocks: the part of it that we read. */
export interface StreamEvent {
  readonly event: string
  readonly index?: number
  readonly content?: StreamPart
  readonly delta?: StreamPart
  readonly name?: unknown
  readonly payload?: unknown
  readonly usage?: unknown
  readonly reason?: string
  readonly responseMetadata?: Readonly<Record<string, unknown>>
}

interface StreamPart {
  readonly type?: string
  readonly [field: string]: unknown
}

/** What is done in place of one request. Callbacks, caches and retries stand around it, as around the provider's own. */
export interface Seams {
  generate(inner: ProviderModel, messages: BaseMessage[], settings: Settings, run: RunManager): Promise<ChatResult>
  /** `run`: of this call, to which tokens are told elsewhere. */
  stream(inner: ProviderModel, messages: BaseMessage[], settings: Settings, run: RunManager): AsyncGenerator<ChatGenerationChunk>
  events(inner: ProviderModel, messages: BaseMessage[], settings: Settings): AsyncGenerator<StreamEvent>
  /** A call was answered, and none of these was asked: its class has an `invoke` of its own, which goes around them. */
  passedBy?(model: object): void
}

/** How often they were asked, or a model chosen that asks them. */
const asked = new WeakMap<Seams, number>()
const ask = (seams: Seams): Seams => {
  asked.set(seams, (asked.get(seams) ?? 0) + 1)
  return seams
}

/** Of the settings of a call: the thread it runs in. A provider's client sees no symbols. */
const thread = Symbol('precis.thread')
export const threadIn = (settings: Settings): string | undefined => settings[thread] as string | undefined

/** Milliseconds that the caller gives the call (`timeout`): LangChain keeps them beside the signal that it makes of them. */
const deadline = Symbol('precis.deadline')
export const deadlineIn = (settings: Settings): number | undefined => settings[deadline] as number | undefined

/** What each derived model was derived for: a model may stand in several layers, and in each once. */
const derived = new WeakMap<object, Seams>()

export function isChatModel(model: unknown): model is ProviderModel & object {
  return typeof model === 'object' && model !== null && typeof (model as Partial<ProviderModel>)._generate === 'function'
}

/**
 * A model that inherits from another: of its class, with its settings, and still one after `bindTools`, `withConfig` and `withStructuredOutput`, of which some
 * packages make a new model. Anything that is no chat model, or has none inside, is returned as it is.
 */
export function derive<M>(model: M, seams: Seams): M {
  if (RunnableBinding.isRunnableBinding(model)) {
    const { bound, kwargs, config, configFactories } = model as unknown as ConstructorParameters<typeof RunnableBinding>[0]
    return new RunnableBinding({
      bound: derive(bound, seams),
      config,
      ...(kwargs !== undefined && { kwargs }),
      ...(configFactories !== undefined && { configFactories }),
    }) as M
  }
  if (!isChatModel(model) || derived.get(model) === seams) return model
  const inner: ProviderModel = model
  /** `withStructuredOutput` puts the model that it is asked of into a chain; the others make another one, or set what the model itself reads, but for some that do so too. */
  const again =
    (name: 'withConfig' | 'bindTools' | 'withStructuredOutput', self: () => object) =>
    (...given: readonly unknown[]): unknown => {
      const from = (model: object): unknown => derive(Reflect.apply(inner[name] as (...given: readonly unknown[]) => unknown, model, given), seams)
      const made = from(self())
      return self() === own || isDerived(made, seams) ? made : from(own)
    }
  const own: ProviderModel & object = Object.create(model, {
    ...askedOf(inner),
    ...method('_generate', (messages: BaseMessage[], settings: Settings, run: RunManager) =>
      inner.streaming === true && inner._streamResponseChunks !== undefined
        ? collected(ask(seams).stream(inner, messages, settings, silent(run)), run)
        : ask(seams).generate(inner, messages, settings, run),
    ),
    ...(isOwn(inner, '_streamResponseChunks') &&
      method('_streamResponseChunks', (messages: BaseMessage[], settings: Settings, run: RunManager) =>
        told(ask(seams).stream(inner, messages, settings, silent(run)), run),
      )),
    // Events of its own, or those that LangChain makes of its chunks.
    ...(typeof inner._streamChatModelEvents === 'function' &&
      (isOwn(inner, '_streamChatModelEvents') || isOwn(inner, '_streamResponseChunks')) &&
      method('_streamChatModelEvents', (messages: BaseMessage[], settings: Settings) => ask(seams).events(inner, messages, combined(inner, settings)))),
    ...method('_separateRunnableConfigFromCallOptionsCompat', (options: object) => {
      const [config, settings] = separated(inner, options)
      const { metadata } = config as { readonly metadata?: { readonly timeoutMs?: unknown } }
      return [config, { ...settings, [thread]: threadOf(config), [deadline]: typeof metadata?.timeoutMs === 'number' ? metadata.timeoutMs : undefined }]
    }),
    ...(typeof inner._getModelInstance === 'function' && method('_getModelInstance', chosenBehind(inner, seams))),
    ...(inner.invoke !== baseOf(inner, 'invoke') && method('invoke', watched(inner, seams))),
    ...(typeof inner.withConfig === 'function' &&
      method(
        'withConfig',
        again('withConfig', () => inner),
      )),
    ...(typeof inner.bindTools === 'function' &&
      method(
        'bindTools',
        again('bindTools', () => inner),
      )),
    ...(typeof inner.withStructuredOutput === 'function' &&
      method(
        'withStructuredOutput',
        again('withStructuredOutput', () => own),
      )),
  })
  derived.set(own, seams)
  return own as M
}

/** An `invoke` of its own: most end in LangChain's, and one that asks other models instead does not. */
function watched(inner: ProviderModel, seams: Seams): (...given: readonly unknown[]) => Promise<unknown> {
  return async function (this: object, ...given) {
    const before = asked.get(seams)
    const reply = await Reflect.apply(inner.invoke as () => Promise<unknown>, this, given)
    if (asked.get(seams) === before && !inner.cache) seams.passedBy?.(inner)
    return reply
  }
}

/** What LangChain asks a model about itself. It may be known from private fields, which only the model itself has. */
const aboutItself = ['_llmType', '_modelType', '_identifyingParams', 'getLsParams', 'invocationParams', '_combineLLMOutput']

function askedOf(inner: object): PropertyDescriptorMap {
  const found = inner as Readonly<Record<string, unknown>>
  const ask = (name: string): PropertyDescriptorMap => method(name, (...given: readonly unknown[]) => Reflect.apply(found[name] as () => unknown, inner, given))
  return Object.assign({}, ...aboutItself.filter((name) => typeof found[name] === 'function').map(ask)) as PropertyDescriptorMap
}

/** Whether calls of a model, or of what settings were bound to, go through the seams. */
function isDerived(model: unknown, seams: Seams): boolean {
  return RunnableBinding.isRunnableBinding(model) ? isDerived(model.bound, seams) : derived.get(Object(model) as object) === seams
}

/** A model that a run's configuration chooses is asked for structured output only then: behind it stands no chat model any more, so we stand before. */
function chosenBehind(inner: ProviderModel, seams: Seams): (config?: object) => Promise<unknown> {
  const { withStructuredOutput: asked, ...queued } = inner._queuedMethodOperations ?? {}
  const own = { ...method('_queuedMethodOperations', queued), ...method('_modelInstanceCache', new Map()) }
  const plain = (asked === undefined ? inner : Object.create(inner, own)) as ProviderModel
  return async (config) => {
    const chosen = derive((await plain._getModelInstance?.(config)) as ProviderModel, ask(seams))
    return asked === undefined ? chosen : (chosen.withStructuredOutput?.(...asked) ?? chosen)
  }
}

/** What LangChain has of its own, under a model of whatever package. */
type Base = ProviderModel & {
  _combineCallOptions?(settings: Settings): Settings
  _separateRunnableConfigFromCallOptionsCompat(options: object): [object, Settings]
}

const separated = (inner: ProviderModel, options: object): [object, Settings] => (inner as Base)._separateRunnableConfigFromCallOptionsCompat(options)

/** OpenAI's package keeps tools that were bound as defaults of its own, which it adds to a stream of events only inside. */
const combined = (inner: ProviderModel, settings: Settings): Settings => (inner as Base)._combineCallOptions?.(settings) ?? settings

/** The most general prototype that has a method: LangChain's own. */
function baseOf(model: object, name: string): unknown {
  let found: unknown
  for (let at: unknown = model; at !== null; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at as object, name)) found = (at as Readonly<Record<string, unknown>>)[name]
  return found
}

/** Whether its package can stream: LangChain's own method only says that it cannot. */
const isOwn = (inner: ProviderModel, name: '_streamResponseChunks' | '_streamChatModelEvents'): boolean =>
  inner[name] !== undefined && inner[name] !== baseOf(inner, name)

function method(name: string, value: unknown): PropertyDescriptorMap {
  return { [name]: { value, writable: true, configurable: true, enumerable: false } }
}

/** A run that is told everything but tokens. */
function silent(run: RunManager): RunManager {
  return (
    run &&
    (Object.create(
      run,
      method('handleLLMNewToken', async () => {}),
    ) as RunManager)
  )
}

/** Which of several replies a chunk belongs to, where more than one was asked for. */
const completionOf = ({ generationInfo }: ChatGenerationChunk): number => Number(generationInfo?.['completion'] ?? 0)

/** Chunks of a stream, each told to the callbacks once. */
async function* told(chunks: AsyncGenerator<ChatGenerationChunk>, run: RunManager): AsyncGenerator<ChatGenerationChunk> {
  for await (const chunk of chunks) {
    yield chunk
    await run?.handleLLMNewToken(chunk.text, { prompt: 0, completion: completionOf(chunk) }, undefined, undefined, undefined, { chunk })
  }
}

interface Counts {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly total_tokens: number
}

async function collected(chunks: AsyncGenerator<ChatGenerationChunk>, run: RunManager): Promise<ChatResult> {
  const replies = new Map<number, ChatGenerationChunk>()
  for await (const chunk of told(chunks, run)) {
    const completion = completionOf(chunk)
    replies.set(completion, replies.get(completion)?.concat(chunk) ?? chunk)
  }
  const generations = [...replies].sort(([one], [other]) => one - other).map(([, whole]) => whole)
  const usage = generations.map(({ message }) => (message as { readonly usage_metadata?: Counts }).usage_metadata).find((counts) => counts !== undefined)
  const tokenUsage = usage && { promptTokens: usage.input_tokens, completionTokens: usage.output_tokens, totalTokens: usage.total_tokens }
  return { generations, ...(tokenUsage !== undefined && { llmOutput: { tokenUsage } }) }
}
