import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { AIMessage } from '@langchain/core/messages'
import { type ModelCall, requestedReply } from '@precis/core'
import { hearAll } from '#hear-all'
import { endpointOf } from './endpoint.ts'

/** What tells a model from others. */
export type ServedModel = Pick<ModelCall, 'model' | 'endpoint' | 'maxOutput'>

export interface Failure {
  readonly error: unknown
  /** Undefined for the model that we handed the request to. */
  readonly model?: ServedModel
}

/** Listens to what becomes of one request that we hand on: middleware behind us may call the model more than once, and other models. */
export interface Hearing {
  /** The model that replied last. */
  answeredBy(): ServedModel | undefined
  /** Notes a failure of the model that we handed the request to. */
  failed(error: unknown): void
  /** Hears each model that is called meanwhile. */
  during<T>(work: () => T | Promise<T>): Promise<T>
  /** Whether a reply is made of an error that was heard: some middleware turns an error into a message. */
  isToldIn(reply: unknown): boolean
  /**
   * The failures that a request came to, those of the model that was handed on first. What another model failed with counts where it is what the request ended
   * with: a middleware may ask one of its own, and do without it.
   * @param error - What the request ended with; undefined where another model answered it.
   */
  behind(error: unknown): readonly Failure[]
}

export function createHearing(): Hearing {
  const failures: Failure[] = []
  const models = new Map<string, ServedModel>()
  let answered: ServedModel | undefined
  const handler = BaseCallbackHandler.fromMethods({
    handleChatModelStart(serialized, _messages, run, _parent, extra, _tags, metadata) {
      models.set(run, servedModel(serialized, extra?.['invocation_params'], metadata))
    },
    handleLLMError(error: unknown, run) {
      const model = models.get(run)
      if (model !== undefined && failures.every((one) => one.error !== error)) failures.push({ error, model })
    },
    handleLLMEnd(_reply, run) {
      answered = models.get(run)
    },
  })
  handler.awaitHandlers = true
  return {
    answeredBy: () => answered,
    failed: (error) => failures.push({ error }),
    during: (work) =>
      Promise.resolve().then(() => {
        hearAll(handler)
        return work()
      }),
    isToldIn: (reply) => failures.some(({ error }) => tells(reply, error)),
    behind(error) {
      const own = failures.filter(({ model }) => model === undefined)
      return [...own, ...failures.filter((one) => one.model !== undefined && isBehind(error, one.error))]
    },
  }
}

function tells(reply: unknown, error: unknown): boolean {
  return AIMessage.isInstance(reply) && error instanceof Error && error.message !== '' && reply.text.includes(error.message)
}

/** Middleware may wrap what it was thrown. */
function isBehind(error: unknown, failure: unknown): boolean {
  if (error === failure) return true
  if (error instanceof ToldFailure) return tells(error.reply, failure)
  return error instanceof Error && error.cause !== undefined && isBehind(error.cause, failure)
}

/** Of a model its run says only its settings. */
function servedModel(serialized: object, parameters: unknown, metadata: Readonly<Record<string, unknown>> = {}): ServedModel {
  const { kwargs } = serialized as { readonly kwargs?: { readonly configuration?: unknown } }
  const { ls_model_name: name } = metadata
  const maxOutput = requestedReply(Object(parameters))
  return {
    model: typeof name === 'string' ? name : 'default',
    endpoint: endpointOf({ ...kwargs, clientConfig: kwargs?.configuration, getLsParams: () => metadata }),
    ...(maxOutput !== undefined && { maxOutput }),
  }
}

/** A failure that other middleware made a reply of. */
export class ToldFailure extends Error {
  readonly reply: unknown
  constructor(reply: unknown) {
    super('a reply tells of a failure')
    this.reply = reply
  }
}
