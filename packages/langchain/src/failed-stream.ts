import { classifyError } from '@precis/core'
import type { ProviderModel } from './derived-model.ts'

/** The part of `@langchain/openai` that opens a stream of Responses. */
interface Client {
  completionWithRetry?(...given: readonly unknown[]): Promise<unknown>
  readonly responses?: Client
}

interface ResponseEvent {
  readonly type?: string
  readonly response?: { readonly error?: { readonly message?: string } | null }
}

/**
 * Opens streams of a model. Its package passes over `response.failed`, and the answer would be empty: a refusal for size is thrown here.
 * @throws TypeError where it does not stream.
 */
export function opener(model: ProviderModel): NonNullable<ProviderModel['_streamResponseChunks']> {
  const open = model._streamResponseChunks
  if (open === undefined) throw new TypeError('this model does not stream')
  return open.bind(heard(model))
}

/** The same for the streams of events that its package makes itself. */
export function eventOpener(model: ProviderModel): NonNullable<ProviderModel['_streamChatModelEvents']> {
  const open = model._streamChatModelEvents
  if (open === undefined) throw new TypeError('this model does not stream')
  return open.bind(heard(model))
}

function heard(model: ProviderModel): ProviderModel {
  const client = model as Client
  return client.responses === undefined ? (heeding(client) as ProviderModel) : Object.create(client, { responses: { value: heeding(client.responses) } })
}

function heeding(client: Client): object {
  if (typeof client.completionWithRetry !== 'function') return client
  const completionWithRetry = async (...given: readonly unknown[]): Promise<unknown> => {
    const opened = (await client.completionWithRetry?.(...given)) as AsyncIterable<ResponseEvent> | undefined
    return typeof opened?.[Symbol.asyncIterator] === 'function' ? untilRefused(opened) : opened
  }
  return Object.create(client, { completionWithRetry: { value: completionWithRetry } })
}

async function* untilRefused(events: AsyncIterable<ResponseEvent>): AsyncGenerator<ResponseEvent> {
  for await (const event of events) {
    const failure = event?.type === 'response.failed' ? event.response?.error : undefined
    if (failure && classifyError(failure).kind === 'overflow') throw Object.assign(new Error(failure.message), failure)
    yield event
  }
}
