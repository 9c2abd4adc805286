import { classifyError } from '@precis/core'
import type { Params, ProviderModel, Streamed, StreamPart } from './provider-call.ts'

interface ResponseEvent {
  readonly type?: unknown
  readonly response?: { readonly error?: { readonly message?: string } | null } | null
}

/**
 * Opens streams of a model. AI SDK 5’s package for OpenAI passes over `response.failed`, and the answer would be empty. Its raw chunks say it: a refusal for size is
 * told as an error of the stream, as later majors tell it.
 */
export function openStream(model: ProviderModel, params: Params, open: () => PromiseLike<Streamed> = () => model.doStream(params)): PromiseLike<Streamed> {
  const passesOver = model.specificationVersion === 'v2' && model.provider?.endsWith('.responses') === true
  return passesOver ? hearing(model, params) : open()
}

async function hearing(model: ProviderModel, params: Params): Promise<Streamed> {
  const { stream, ...rest } = await model.doStream({ ...params, includeRawChunks: true })
  const heard = new TransformStream<StreamPart, StreamPart>({
    transform(part, controller) {
      if (part.type !== 'raw' || params.includeRawChunks === true) controller.enqueue(part)
      const error = part.type === 'raw' ? refusalIn(part.rawValue) : undefined
      if (error !== undefined) controller.enqueue({ type: 'error', error })
    },
  })
  return { ...rest, stream: stream.pipeThrough(heard) }
}

function refusalIn(rawValue: unknown): Error | undefined {
  const { type, response } = Object(rawValue) as ResponseEvent
  const failure = type === 'response.failed' ? response?.error : undefined
  return failure != null && classifyError(failure).kind === 'overflow' ? Object.assign(new Error(failure.message), failure) : undefined
}
