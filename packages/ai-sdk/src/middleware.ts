import { answerRefusals, type CompactionReport, type CompactionSession, type Prepared } from '@precis/core'
import { causeOf } from '@precis/core/adapters'
import type { SdkMessage } from '@precis/wire/ai-sdk'
import { compactsItself } from './compacts-itself.ts'
import { createDoor, type DoorOptions } from './door.ts'
import { openStream } from './failed-response.ts'
import { createOpener, type Opened, streamOf } from './first-content.ts'
import type { Generated, Metered, Params, ProviderModel, Sent, Streamed, StreamPart } from './provider-call.ts'

/** Which conversation the calls of one wrapped model belong to. */
export interface MiddlewareOptions {
  /** Conversation of all calls through this model. Default: told apart by how their prompts begin. */
  readonly session?: string | undefined
}

/** Structurally a `LanguageModelMiddleware` of AI SDK 5, 6 and 7. */
export interface OverflowMiddleware {
  // biome-ignore lint/suspicious/noExplicitAny: 'v3' is required by 6, ignored by 5 and accepted by 7; the literal types differ
  readonly specificationVersion: any
  /** As `transformParams` of the AI SDK’s middleware. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's parameter and result types differ by major
  transformParams(options: any): Promise<any>
  /** As `wrapGenerate` of the AI SDK’s middleware. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  wrapGenerate(options: any): Promise<any>
  /** As `wrapStream` of the AI SDK’s middleware. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  wrapStream(options: any): Promise<any>
}

interface Wrapped {
  readonly params: Params
  readonly model: ProviderModel
  doGenerate(): Promise<Generated>
  doStream(): Promise<Streamed>
}

/**
 * A guard around one model: each prompt goes through a session first, and a refusal for its size is answered with a smaller prompt, up to six times.
 * Sees everything that is billed (instructions, tools, files), runs again on each retry, and pays for a summary once: the prompt's content names its session.
 */
export function createMiddleware(options: DoorOptions, { session }: MiddlewareOptions): OverflowMiddleware {
  const door = createDoor(options)
  const { compactor } = door
  /** The history behind each prompt that we handed on, and its receipt, for the wrappers, which see only the latter. */
  const sources = new WeakMap<readonly SdkMessage[], { readonly history: readonly SdkMessage[]; readonly report: CompactionReport }>()
  const historyOf = ({ prompt }: Params): readonly SdkMessage[] => sources.get(prompt)?.history ?? prompt
  const sessionOf = (params: Params): CompactionSession<SdkMessage> => door.sessionOf(historyOf(params), session)
  const learn = (params: Params, reply: Metered): Promise<void> => door.learnUsage(() => sessionOf(params), reply, sources.get(params.prompt)?.report)
  /** Sends the call as it came, and with smaller or mended prompts while it is refused. */
  const sent = async <R extends Sent>({ params, model }: Wrapped, first: () => Promise<R>, again: (params: Params) => Promise<R>): Promise<R> => {
    const ready = await compactor.guard(
      async () => ({ history: historyOf(params), session: sessionOf(params), call: await door.callOf(params, model) }),
      () => undefined,
      params.abortSignal,
    )
    if (ready === undefined) return first()
    const smaller = ({ messages, report }: Prepared<SdkMessage>): Promise<R> => {
      sources.set(params.prompt, { history: ready.history, report })
      return again({ ...params, prompt: [...messages] })
    }
    const result = await answerRefusals(door.ascribing(ready.session), ready, first, smaller)
    door.learnBody(params, model, result)
    return result
  }
  const prepared = async (params: Params, model: ProviderModel): Promise<Params> => {
    const call = await door.callOf(params, model)
    const { messages, report } = await sessionOf(params).beforeModelCall(params.prompt, call)
    const prompt = messages === params.prompt ? params.prompt : [...messages]
    sources.set(prompt, { history: params.prompt, report })
    return { ...params, prompt }
  }

  return {
    specificationVersion: 'v3',
    transformParams: ({ params, model }: { params: Params; model: ProviderModel }) =>
      compactor.guard(
        () => (compactsItself(model) ? params : prepared(params, model)),
        () => params,
        params.abortSignal,
      ),
    async wrapGenerate(call: Wrapped) {
      if (compactsItself(call.model)) return call.doGenerate()
      const result = await sent(
        call,
        () => call.doGenerate(),
        async (params) => call.model.doGenerate(params),
      )
      await learn(call.params, result)
      return result
    },
    async wrapStream(call: Wrapped) {
      if (compactsItself(call.model)) return call.doStream()
      const opener = createOpener()
      const opening = sent(
        call,
        () => opener.open(() => openStream(call.model, call.params, call.doStream)),
        (params) => opener.open(() => openStream(call.model, params)),
      ).catch(opener.orAsItCame)
      return {
        ...(await opener.begun(opening)),
        stream: streamOf(
          partsOf(opener, opening, (finish) => void learn(call.params, finish)),
          opener.cancel,
        ),
      }
    },
  }
}

async function* partsOf(opener: ReturnType<typeof createOpener>, opening: Promise<Opened>, finished: (part: StreamPart) => void): AsyncGenerator<StreamPart> {
  yield* opener.told(opening)
  let opened: Opened
  try {
    opened = await opening
  } catch (error) {
    yield { type: 'error', error: causeOf(error) }
    return
  }
  for (let part = await opened.next(); part !== undefined; part = await opened.next()) {
    if (part.type === 'finish') finished(part)
    yield part
  }
}
