import { type CompactionReport, type CompactionSession, type CompactorOptions, createCompactor, fingerprint, type ModelCall } from '@precis/core'
import { createRedactor } from '@precis/redaction'
import { createCodec, type SdkMessage } from './codec.ts'
import { readOverhead } from './overhead.ts'
import { readUsage } from './usage.ts'

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
  readonly abortSignal?: AbortSignal
}

interface Wrapped {
  readonly params: Params
  readonly model: { readonly modelId: string; doGenerate(params: Params): Promise<Generated>; doStream(params: Params): Promise<Streamed> }
  doGenerate(): Promise<Generated>
  doStream(): Promise<Streamed>
}

interface Generated {
  readonly usage?: unknown
  readonly providerMetadata?: unknown
}

interface Streamed {
  readonly stream: ReadableStream<StreamPart>
}

interface StreamPart {
  readonly type: string
  readonly error?: unknown
  readonly usage?: unknown
  readonly providerMetadata?: unknown
}

/**
 * A guard around one model: each prompt goes through a session first, and a refusal for its size is answered with a smaller prompt, once.
 * Sees everything that is billed (instructions, tools, files), runs again on each retry, and pays for a summary once: the prompt's content names its session.
 */
export function createMiddleware(
  options: Omit<CompactorOptions<never>, 'codec'> & { readonly onReport?: (report: CompactionReport) => void },
  { session }: MiddlewareOptions,
): OverflowMiddleware {
  const { onReport, ...rest } = options
  const codec = createCodec<SdkMessage>()
  const compactor = createCompactor<SdkMessage>({ redact: createRedactor(), ...rest, codec })
  /** The history behind each prompt that we handed on, for the wrappers, which see only the latter. */
  const sources = new WeakMap<readonly SdkMessage[], readonly SdkMessage[]>()

  const sessionOf = (prompt: readonly SdkMessage[]): CompactionSession<SdkMessage> => {
    if (session !== undefined) return compactor.session(session)
    const end = prompt.findIndex((message) => message.role === 'user') + 1
    return compactor.session(`prompt-${fingerprint(prompt.slice(0, end).map((message) => codec.read(message)))}`)
  }
  const callOf = (params: Params, model: { readonly modelId: string }): ModelCall => ({
    overhead: { ...readOverhead({ tools: params.tools }), system: 0 }, // the system message is part of the prompt here
    model: model.modelId,
    ...(params.maxOutputTokens !== undefined && { maxOutput: params.maxOutputTokens }),
    ...(params.abortSignal !== undefined && { signal: params.abortSignal }),
  })
  /** A smaller or mended request after a refusal; undefined when compaction cannot help. */
  const recovered = async (error: unknown, { params, model }: Wrapped): Promise<Params | undefined> => {
    const source = sources.get(params.prompt) ?? params.prompt
    const prepared = await sessionOf(source).recover(source, error, callOf(params, model))
    if (prepared === undefined) return undefined
    onReport?.(prepared.report)
    const prompt = [...prepared.messages]
    sources.set(prompt, source)
    return { ...params, prompt }
  }
  const learn = (params: Params, { usage, providerMetadata }: Generated): void => {
    sessionOf(sources.get(params.prompt) ?? params.prompt).afterModelCall({ usage: readUsage(usage, providerMetadata) })
  }

  return {
    specificationVersion: 'v3',
    async transformParams({ params, model }: { params: Params; model: { readonly modelId: string } }) {
      const { messages, report } = await sessionOf(params.prompt).beforeModelCall(params.prompt, callOf(params, model))
      onReport?.(report)
      if (messages === params.prompt) return params
      const prompt = [...messages]
      sources.set(prompt, params.prompt)
      return { ...params, prompt }
    },
    async wrapGenerate(call: Wrapped) {
      let { params } = call
      let result: Generated
      try {
        result = await call.doGenerate()
      } catch (error) {
        const smaller = await recovered(error, call)
        if (smaller === undefined) throw error
        params = smaller
        result = await call.model.doGenerate(params)
      }
      learn(params, result)
      return result
    },
    async wrapStream(call: Wrapped) {
      let { params } = call
      let opened: Opened
      try {
        opened = await open(await call.doStream())
      } catch (error) {
        const smaller = await recovered(error, call)
        if (smaller === undefined) throw error
        params = smaller
        opened = await open(await call.model.doStream(params))
      }
      // Some providers accept the request and refuse it in the stream's first part.
      const smaller = opened.error === undefined ? undefined : await recovered(opened.error, call)
      if (smaller !== undefined && params === call.params) {
        await opened.cancel()
        params = smaller
        opened = await open(await call.model.doStream(params))
      }
      return { ...opened.result, stream: opened.stream((finish) => learn(params, finish)) }
    },
  }
}

interface Opened {
  readonly result: Streamed
  /** The error that the stream began with, before any content. */
  readonly error?: unknown
  cancel(): Promise<void>
  stream(finished: (part: StreamPart) => void): ReadableStream<StreamPart>
}

/** Parts that come before any content. */
const preliminary = new Set(['stream-start', 'response-metadata', 'raw'])

/** Reads a stream up to its first content: until then a refusal can still be answered with another request. */
async function open(result: Streamed): Promise<Opened> {
  const reader = result.stream.getReader()
  const first: StreamPart[] = []
  let error: unknown
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    first.push(value)
    if (value.type === 'error') error = value.error
    if (!preliminary.has(value.type)) break
  }
  return {
    result,
    ...(error !== undefined && { error }),
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
}
