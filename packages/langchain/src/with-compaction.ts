import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { answerRefusals, CompactionError, type ModelCall, type Prepared, type RecallOption, recallTool } from '@precis/core'
import { checkValues, givenOptions, noModel, oneOf, recallUnder, restAfter, sharedRecallMemory, withSharedStorage } from '@precis/core/adapters'
import { strictly, toolNames, toolsIn, wantsObject, withTool } from './bound-tools.ts'
import { deadlineIn, derive, isChatModel, type ProviderModel, type RunManager, type Settings, threadIn } from './derived-model.ts'
import { endpointOf } from './endpoint.ts'
import { modelName, readBody, readOverhead } from './overhead.ts'
import { generate } from './recall/generate-rounds.ts'
import type { KeptRounds } from './recall/memory.ts'
import { asChunks, asEvents, type StreamForm } from './recall/stream-forms.ts'
import { createTurn, instructionsOf, preparedWith, recoveringWith, type Turn } from './recall/turn.ts'
import { type CompactionOptions, createThreads, noMiddleware } from './seam.ts'
import { answeringTool } from './tools.ts'

/** Classes that were said to go around us. */
const toldOf = new WeakSet<object>()

export interface WithCompactionOptions extends CompactionOptions {
  /** Conversation of all calls through this model. Default: `configurable.thread_id`, `session_id` or `sessionId` of the call; without one, known by what it says. */
  readonly session?: string | undefined
  /**
   * Whether the model may look up what left its context. Its calls of `precis_recall` are answered inside the model call, and what a question of the user
   * asks about comes back by itself. `asked`: only what the model asks for. `off`: neither. Default `on`.
   */
  readonly recall?: Exclude<RecallOption, 'tool'> | undefined
}

/**
 * A chat model that stays inside its context window: `withCompaction(new ChatOpenAI({ model: "gpt-5.2" }))`, for chains, nodes of graphs and `createReactAgent`.
 * Every call is counted whole, compacted when it has to be, and sent again smaller when it is refused for its size; with tools bound, what left the context can be
 * looked up by the model itself. The result inherits from the model: `bindTools`, `withStructuredOutput`, `stream`, `batch` and callbacks are its own.
 *
 * @throws InvalidConfigurationError for anything but a chat model, for limits or a policy that cannot be meant.
 */
export function withCompaction<M extends BaseChatModel>(model: M, options: WithCompactionOptions = {}): M {
  if (!isChatModel(model))
    throw noModel(
      model,
      'expected a chat model such as new ChatOpenAI({ model: "gpt-5.2" }); tools are bound behind it: withCompaction(model).bindTools(tools)',
    )
  const { session: name, recall, ...given } = givenOptions(options)
  checkValues({ recall }, { recall: oneOf('on', 'asked', 'off') })
  const wrapping = ['langchain', modelName(model), endpointOf(model), recall]
  const shared = withSharedStorage(given, ...wrapping)
  const threads = createThreads({ restAfter, ...shared })
  const { compactor } = threads
  const shownBefore = sharedRecallMemory<KeptRounds>(shared.storage, ...wrapping)
  const definition = answeringTool(threads, () => undefined)

  const prepare = async (inner: ProviderModel, history: readonly BaseMessage[], settings: Settings) => {
    const body = await readBody(inner, settings)
    const tools = toolsIn(settings)
    const names = tools.flatMap(toolNames)
    const deadline = deadlineIn(settings)
    const call: ModelCall = {
      overhead: { ...readOverhead({ tools, format: settings['response_format'] }), system: 0 }, // the system message is part of the messages here
      ...(await threads.learnModel(inner)),
      settled: true,
      ...body,
      ...(deadline !== undefined && { deadline }),
      ...(settings['signal'] instanceof AbortSignal && { signal: settings['signal'] }),
    }
    const id = name ?? threadIn(settings)
    const session = id === undefined ? compactor.conversation(history) : compactor.session(id)
    const memory = recallUnder(shownBefore, instructionsOf(history))
    const made = await preparedWith(session, call, memory.of(session), history)
    return {
      made,
      session,
      history,
      call,
      recall,
      offersIn: inner.bindTools === undefined ? ([] as const) : (['on'] as const),
      handsOver: 'whole',
      tools: names,
      settings,
      model: inner,
      compactor,
      memory,
    } as const
  }
  type Ready = Awaited<ReturnType<typeof prepare>>
  const prepared = (inner: ProviderModel, messages: readonly BaseMessage[], settings: Settings): Promise<Ready | undefined> =>
    compactor.guard(
      () => prepare(inner, messages, settings),
      () => undefined,
      settings['signal'] as AbortSignal | undefined,
    )
  const answered = <R>(ready: Ready, attempt: (turn: Turn) => Promise<R>): Promise<R> => {
    const send = async (made: Prepared<BaseMessage>): Promise<R> => attempt(await createTurn(ready, made))
    return answerRefusals(recoveringWith(ready.session, ready.memory), ready, () => send(ready.made), send)
  }
  const asked = (inner: ProviderModel, settings: Settings, withOurs: boolean): Settings =>
    withOurs ? strictly(inner, withTool(inner, settings, definition), new Set([recallTool.name])) : settings

  const streamed = <T>(form: StreamForm<T>) =>
    async function* (inner: ProviderModel, messages: BaseMessage[], settings: Settings, run?: RunManager): AsyncGenerator<T> {
      const open = form.open(inner)
      const ready = await prepared(inner, messages, settings)
      if (ready === undefined) return yield* open(messages, settings, run)
      const { parts, first } = await answered(ready, async (turn) => {
        const parts = form.rounds(turn, turn.messages, (sent, withOurs) => open(sent, asked(inner, settings, withOurs), run), wantsObject(settings))
        return { parts, first: await parts.next() }
      })
      if (first.done === true) return
      yield first.value
      yield* parts
    }

  const compacting = derive(model, {
    async generate(inner, messages, settings, run): Promise<ChatResult> {
      const ready = await prepared(inner, messages, settings)
      if (ready === undefined) return inner._generate(messages, settings, run)
      return answered(ready, (turn) =>
        generate(turn, turn.messages, (sent, withOurs) => inner._generate(sent, asked(inner, settings, withOurs), run), wantsObject(settings)),
      )
    },
    stream: streamed(asChunks),
    events: streamed(asEvents),
    passedBy(model) {
      if (toldOf.has(model.constructor)) return
      toldOf.add(model.constructor)
      const found = `${model.constructor.name} answers by an invoke of its own, which goes around withCompaction; wrap the models that it calls`
      void compactor.guard(
        () => Promise.reject(new CompactionError(found)),
        () => undefined,
      )
    },
  })
  return noMiddleware(compacting, 'withCompaction(…)', 'middleware: [compaction(options)], with the model itself')
}
