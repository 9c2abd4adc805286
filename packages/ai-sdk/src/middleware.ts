import { answerRefusals, type CompactionSession, type CompactorOptions, createCompactor, type ModelCall, type Prepared } from '@precis/core'
import { createRedactor } from '@precis/redaction'
import { createCodec } from './codec.ts'
import { readOverhead } from './overhead.ts'
import type { SdkMessage } from './read-message.ts'
import { createReplySizes } from './reply.ts'
import { readUsage } from './usage.ts'

/** Which conversation the calls of one wrapped model belong to. */
export interface MiddlewareOptions {
  /** Conversation of all calls through this model. Default: told apart by how their prompts begin. */
  readonly session?: string
}

/** Structurally a `LanguageModelMiddleware` of AI SDK 5, 6 and 7. */
export interface OverflowMiddleware {
  // biome-ignore lint/suspicious/noExplicitAny: 'v3' is required by 6, ignored by 5 and accepted by 7; the literal types differ
  readonly specificationVersion: any
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's parameter and result types differ by major
  transformParams(options: any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  wrapGenerate(options: any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  wrapStream(options: any): Promise<any>
}

interface Params {
  readonly prompt: readonly SdkMessage[]
  readonly tools?: unknown
  readonly maxOutputTokens?: number
  readonly providerOptions?: unknown
  readonly abortSignal?: AbortSignal
}

interface Wrapped {
  readonly params: Params
  readonly model: { readonly modelId: string; doGenerate(params: Params): Promise<Generated>; doStream(params: Params): Promise<Streamed> }
  doGenerate(): Promise<Generated>
  doStream(): Promise<Streamed>
}

/** What an answer shows of the request behind it. */
interface Sent {
  readonly request?: { readonly body?: unknown } | undefined
}

interface Generated extends Sent {
  readonly usage?: unknown
  readonly providerMetadata?: unknown
}

interface Streamed extends Sent {
  readonly stream: ReadableStream<StreamPart>
}

interface StreamPart {
  readonly type: string
  readonly delta?: unknown
  readonly error?: unknown
  readonly usage?: unknown
  readonly providerMetadata?: unknown
}

/**
 * A guard around one model: each prompt goes through a session first, and a refusal for its size is answered with a smaller prompt, up to three times.
 * Sees everything that is billed (instructions, tools, files), runs again on each retry, and pays for a summary once: the prompt's content names its session.
 */
export function createMiddleware(options: Omit<CompactorOptions<never>, 'codec'>, { session }: MiddlewareOptions): OverflowMiddleware {
  const codec = createCodec<SdkMessage>()
  const compactor = createCompactor<SdkMessage>({ redact: createRedactor(), ...options, codec })
  /** The history behind each prompt that we handed on, for the wrappers, which see only the latter. */
  const sources = new WeakMap<readonly SdkMessage[], readonly SdkMessage[]>()

  const sessionOf = (prompt: readonly SdkMessage[]): CompactionSession<SdkMessage> =>
    session === undefined ? compactor.conversation(prompt) : compactor.session(session)
  const replies = createReplySizes()
  const callOf = async (params: Params, model: { readonly modelId: string }): Promise<ModelCall> => {
    const maxOutput = await replies.of(model, params)
    return {
      overhead: { ...readOverhead({ tools: params.tools }), system: 0 }, // the system message is part of the prompt here
      model: model.modelId,
      ...(maxOutput !== undefined && { maxOutput }),
      ...(params.abortSignal !== undefined && { signal: params.abortSignal }),
    }
  }
  /** Sends the call as it came, and with smaller or mended prompts while it is refused. */
  const sent = async <R extends Sent>({ params, model }: Wrapped, first: () => Promise<R>, again: (params: Params) => Promise<R>): Promise<R> => {
    const ready = await compactor.guard(
      async () => {
        const history = sources.get(params.prompt) ?? params.prompt
        return { history, session: sessionOf(history), call: await callOf(params, model) }
      },
      () => undefined,
      params.abortSignal,
    )
    if (ready === undefined) return first()
    const result = await answerRefusals(ready.session, ready, first, ({ messages }: Prepared<SdkMessage>) => again({ ...params, prompt: [...messages] }))
    replies.learn(model, params, result.request?.body)
    return result
  }
  const learn = (params: Params, { usage, providerMetadata }: Generated): Promise<void> =>
    compactor.guard(
      () => sessionOf(sources.get(params.prompt) ?? params.prompt).afterModelCall({ usage: readUsage(usage, providerMetadata) }),
      () => undefined,
    )
  const prepared = async (params: Params, model: { readonly modelId: string }): Promise<Params> => {
    const { messages } = await sessionOf(params.prompt).beforeModelCall(params.prompt, await callOf(params, model))
    if (messages === params.prompt) return params
    const prompt = [...messages]
    sources.set(prompt, params.prompt)
    return { ...params, prompt }
  }

  return {
    specificationVersion: 'v3',
    transformParams: ({ params, model }: { params: Params; model: { readonly modelId: string } }) =>
      compactor.guard(
        () => prepared(params, model),
        () => params,
        params.abortSignal,
      ),
    async wrapGenerate(call: Wrapped) {
      const result = await sent(
        call,
        () => call.doGenerate(),
        (params) => call.model.doGenerate(params),
      )
      await learn(call.params, result)
      return result
    },
    async wrapStream(call: Wrapped) {
      let refused: Opened | undefined
      const opening = async (begin: () => Promise<Streamed>): Promise<Opened> => {
        await refused?.cancel()
        return open(await begin(), (one) => {
          refused = one
        })
      }
      const opened = await sent(
        call,
        () => opening(() => call.doStream()),
        (params) => opening(() => call.model.doStream(params)),
      ).catch((error: unknown) => {
        // Nothing helped: the caller gets the stream as it came, with its error in it.
        if (error instanceof RefusedInStream && refused !== undefined) return refused
        throw error
      })
      const { result, stream } = opened
      return { ...result, stream: stream((finish) => void learn(call.params, finish)) }
    },
  }
}

interface Opened extends Sent {
  readonly result: Streamed
  cancel(): Promise<void>
  stream(finished: (part: StreamPart) => void): ReadableStream<StreamPart>
}

/** Some providers accept a request and refuse it in the stream, before any content: the cause is that error. */
class RefusedInStream extends Error {}

/** Parts that say something. All others (announcements, keep-alives, what later versions add) may come before a refusal. */
const content = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'tool-call',
  'tool-result',
  'file',
  'reasoning-file',
  'source',
  'custom',
  'finish',
])

/** Reads a stream up to its first content: until then a refusal can still be answered with another request. @throws RefusedInStream for an error before it. */
async function open(result: Streamed, refused: (opened: Opened) => void): Promise<Opened> {
  const reader = result.stream.getReader()
  const first: StreamPart[] = []
  const opened: Opened = {
    request: result.request,
    result,
    cancel: () => reader.cancel(),
    stream: (finished) =>
      new ReadableStream<StreamPart>({
        async pull(controller) {
          const part = first.shift() ?? (await reader.read()).value
          if (part === undefined) return controller.close()
          if (part.type === 'finish') finished(part)
          controller.enqueue(part)
        },
        cancel: (reason) => reader.cancel(reason),
      }),
  }
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return opened
    first.push(value)
    if (value.type === 'error') {
      refused(opened)
      throw new RefusedInStream('refused in the stream', { cause: value.error })
    }
    if (content.has(value.type) && value.delta !== '') return opened
  }
}
