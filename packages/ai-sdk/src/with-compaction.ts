import { InvalidConfigurationError, type RecallOption } from '@precis/core'
import { awaitLookUp, givenOptions, noModel, onlyNames, sessionName, sharedRecallMemory, withSharedStorage } from '@precis/core/adapters'
import type { LanguageModel } from 'ai'
import { compacting } from './compacts-itself.ts'
import { createDoor, type DoorOptions } from './door.ts'
import { endpointOf } from './endpoint.ts'
import type { Params, ProviderModel, ReplyPart } from './provider-call.ts'
import { generate, type Intercepting } from './recall/generate-rounds.ts'
import type { KeptRounds } from './recall/memory.ts'
import { isOurs } from './recall/reply-parts.ts'
import { stream } from './recall/stream-rounds.ts'
import { createTurn, type Turn } from './recall/turn.ts'
import type { CompactionOptions } from './seam.ts'

export interface WithCompactionOptions extends CompactionOptions {
  /** Conversation of all calls through this model; a call names its own by `providerOptions: { precis: { session } }`, a text or a number. Default: told apart by how their prompts begin. */
  readonly session?: string | undefined
  /**
   * Whether the model may look up what left its context. `on`: from the first compaction on it is offered one tool, and its calls of that are answered inside
   * the model call: steps, history and callbacks never see them; what a question of the user asks about comes back by itself. `asked`: only what the model asks for.
   * `tool`: you give it `recallTool()` among your own. `off`: neither. Default `on`.
   */
  readonly recall?: RecallOption | undefined
}

/** A model object of any provider package, in every major. */
export interface WrappableModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  /** As the AI SDK’s language models have it. */
  // biome-ignore lint/suspicious/noExplicitAny: options and results differ by major
  doGenerate(options: any): PromiseLike<any>
  /** As the AI SDK’s language models have it. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  doStream(options: any): PromiseLike<any>
}

/** What a wrapped model has of the given one: what the SDK calls, and nothing of its class besides. Of a name, a model of the SDK's own. */
export type CompactingModel<M> = M extends string ? Exclude<LanguageModel, string> : Pick<M, Extract<keyof M, keyof WrappableModel | 'supportedUrls'>>

/**
 * A model that stays inside its context window: `withCompaction(openai("gpt-5.2"))`. Every call is counted whole, compacted when it has to be, and sent again
 * smaller when it is refused for its size; what left the context can be looked up by the model itself. The result is a model of the same specification version.
 *
 * @param options Everything that `createCompaction` takes. Without `limits` those of `@precis/models`, and what refusals teach.
 * @throws InvalidConfigurationError for a model's name where the SDK has no provider for names, for limits or a policy that cannot be meant.
 */
export function withCompaction<M extends WrappableModel | string>(model: M, options: WithCompactionOptions = {}): CompactingModel<M> {
  const inner: WrappableModel = typeof model === 'string' ? resolved(model) : model
  if (typeof inner?.doGenerate !== 'function') throw noModel(model, 'expected a model object such as openai("gpt-5.2")')
  const { session, recall, ...given } = givenOptions(options)
  const wrapping = ['ai-sdk', inner.modelId, endpointOf(inner), recall]
  const shared = withSharedStorage(given, ...wrapping) as DoorOptions
  const door = createDoor(shared)
  const memory = sharedRecallMemory<KeptRounds>(shared.storage, ...wrapping)
  const provider = inner as unknown as ProviderModel
  /** The agent answers calls of its own tool, from what stood behind the request. */
  const noted = (content: readonly ReplyPart[], turn: Turn): void => {
    for (const { toolCallId = '' } of content.filter(isOurs)) awaitLookUp(wrapped, toolCallId, turn.lookUp)
  }

  /** Ours of a call's options, and the call as the provider shall see it. */
  const opened = ({ providerOptions, ...params }: Params): { readonly params: Params; readonly own: OwnOptions } => {
    if (providerOptions == null) return { params, own: {} }
    const { precis, ...others } = providerOptions
    return { params: { ...params, providerOptions: others }, own: ownOptions(precis) }
  }
  const answering = (params: Params, { maxRetries }: OwnOptions): Intercepting => ({
    noted,
    isObject: params.responseFormat?.type === 'json',
    retries: maxRetries,
  })
  const turnFor = (params: Params, own: OwnOptions): Promise<Turn | undefined> =>
    door.compactor.guard(
      () =>
        createTurn(params, {
          door,
          memory,
          model: provider,
          recall,
          session: own.session ?? session,
          deadline: own.deadline,
        }),
      () => undefined,
      params.abortSignal,
    )

  const wrapped: WrappableModel & { readonly supportedUrls: unknown; readonly [compacting]: true } = {
    [compacting]: true,
    specificationVersion: inner.specificationVersion,
    provider: inner.provider,
    modelId: inner.modelId,
    get supportedUrls() {
      return (inner as { readonly supportedUrls?: unknown }).supportedUrls
    },
    async doGenerate(options: Params) {
      const { params, own } = opened(options)
      const turn = await turnFor(params, own)
      return turn === undefined ? provider.doGenerate(params) : generate(turn, provider, answering(params, own))
    },
    async doStream(options: Params) {
      const { params, own } = opened(options)
      const turn = await turnFor(params, own)
      return turn === undefined ? provider.doStream(params) : stream(turn, provider, answering(params, own))
    },
  }
  return wrapped as unknown as CompactingModel<M>
}

/** What a call says to us, under `precis` of its `providerOptions`. */
interface OwnOptions {
  readonly session?: string | undefined
  readonly deadline?: number | undefined
  readonly maxRetries?: number | undefined
}

/** @throws InvalidConfigurationError for a name that would be passed over, and for a session that is no name: its conversation could not be deleted by it. */
function ownOptions(given: unknown): OwnOptions {
  const own = (given ?? {}) as Readonly<Record<keyof OwnOptions, unknown>>
  onlyNames('providerOptions.precis', own, ['session', 'deadline', 'maxRetries'], { sessionId: 'session', id: 'session', thread: 'session' })
  const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
  return {
    session: sessionName(own.session, 'providerOptions.precis.session'),
    deadline: numberOf(own.deadline),
    maxRetries: numberOf(own.maxRetries),
  }
}

/** A name, by the provider that the SDK itself uses for names. */
function resolved(id: string): WrappableModel {
  const { AI_SDK_DEFAULT_PROVIDER: provider } = globalThis as unknown as { readonly AI_SDK_DEFAULT_PROVIDER?: { languageModel?(id: string): WrappableModel } }
  if (typeof provider?.languageModel !== 'function')
    throw new InvalidConfigurationError('model', id, `expected a model object: import { gateway } from "ai" and write withCompaction(gateway("${id}"))`)
  return provider.languageModel(id)
}
