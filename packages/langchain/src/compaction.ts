import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { DynamicStructuredTool } from '@langchain/core/tools'
import { answerRefusals, type CompactionSession, InvalidConfigurationError, type ModelCall, type Prepared, type RecallOption } from '@precis/core'
import {
  aText,
  checkValues,
  givenOptions,
  oneOf,
  ownToolNames,
  readWhole,
  recallUnder,
  restAfter,
  sharedRecallMemory,
  withSharedStorage,
} from '@precis/core/adapters'
import { z } from 'zod'
import { type AgentState, type ModelRequest, type Runtime, signalOf, type ToolRequest } from './agent-request.ts'
import { announce } from './announce.ts'
import { toolNames } from './bound-tools.ts'
import { messageCodec } from './codec.ts'
import { createHearing, type Failure, ToldFailure } from './hearing.ts'
import { readBody, readOverhead } from './overhead.ts'
import { inRounds } from './recall/in-rounds.ts'
import type { KeptRounds } from './recall/memory.ts'
import { callsOf, isOurs } from './recall/reply.ts'
import { createTurn, instructionsOf, preparedWith, recoveringWith, type Turn } from './recall/turn.ts'
import { replacing } from './replace.ts'
import { type CompactionOptions, createThreads, noMiddleware, summarizationWords, threadOf } from './seam.ts'
import { createStandIns } from './stand-ins.ts'
import { updatingOnce } from './state-update.ts'
import { createThreadMemory, isCheckpointed } from './thread-memory.ts'
import { fromGraph, knownIn, newestOf, toGraph } from './thread-state.ts'
import { answeringTool, threadTools } from './tools.ts'

/** Everything of `createCompaction`, and what the middleware does with state and tools. */
export interface MiddlewareOptions extends CompactionOptions {
  /** Default "SummarizationMiddleware": under that name it takes the place of deepagents' own summarizer, and LangChain refuses its own beside it. */
  readonly name?: string | undefined
  /** `view` (default): `state.messages` stays complete, only what is sent is compacted. `persist`: the state's messages are replaced. */
  readonly mode?: 'view' | 'persist' | undefined
  /**
   * Whether the model may look up what left its context. `on`: from the first compaction on it is offered one tool, `precis_recall`, and its calls of that are
   * answered inside the model call: messages, steps and streams never show them; what a question of the user asks about comes back by itself. `asked`:
   * only what the model asks for. `tool`: its calls are answered by the agent's tool node. `off`: neither. Default `on`.
   */
  readonly recall?: RecallOption | undefined
  /** Gives the model our tools: `compact_context`, `recall_history` with an archive, `tool_output_cache` and `tool_output_cache_grep` with a store. Needs thread ids. Default false. */
  readonly modelTools?: boolean | undefined
  /** Long tool outputs go to the store and never into the state, which keeps a view and a reference. Needs `outputs`. Default false. */
  readonly cacheToolOutputs?: boolean | undefined
}

/** A plain object that `createAgent` and `createDeepAgent` take: no import of theirs is needed. */
export interface CompactionMiddleware {
  readonly name: string
  readonly stateSchema: z.ZodObject<{ _precis: z.ZodOptional<z.ZodAny> }>
  readonly tools?: DynamicStructuredTool[]
  /** As `wrapModelCall` of LangChain’s middleware. */
  // biome-ignore lint/suspicious/noExplicitAny: the request and the answer are LangChain's own generic types, which differ by agent
  wrapModelCall(request: any, handler: (request: any) => any): Promise<any>
  /** As `wrapToolCall` of LangChain’s middleware. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  wrapToolCall?(request: any, handler: (request: any) => any): Promise<any>
  /** The conversation of a thread: to compact it now, to have it compacted with the next call, to take a compaction back. */
  session(thread: string): CompactionSession<BaseMessage>
  /** Waits for exporters. */
  flush(): Promise<void>
  /** Waits for exporters and closes them. */
  close(): Promise<void>
}

/**
 * Keeps an agent's requests inside the window: `createAgent({ model, tools, middleware: [compaction()] })`. It sees tools and system prompt, shows the model the
 * compacted context, recovers from refusals, and lets the model look up what left. The graph has as many steps as without it; what a thread remembers is written
 * beside the model's reply, into a private key of the graph's state, when there was a compaction. A failing summarizer never costs a message.
 *
 * @throws InvalidConfigurationError for limits or a policy that cannot be meant.
 */
export function compaction(given: MiddlewareOptions = {}): CompactionMiddleware {
  const {
    name = 'SummarizationMiddleware',
    mode = 'view',
    recall,
    modelTools = false,
    cacheToolOutputs = false,
    ...options
  } = givenOptions(given, summarizationWords)
  checkValues({ name, mode }, { name: aText(), mode: oneOf('view', 'persist') })
  // A state whose messages are replaced is no whole history.
  const threads = createThreads(mode === 'view' ? { restAfter, ...options } : options)
  if (cacheToolOutputs && options.outputs === undefined) throw new InvalidConfigurationError('outputs', null, 'write createToolOutputStore(storage)')
  const alike = ['langchain threads', mode, recall, modelTools]
  const { storage } = withSharedStorage(options, ...alike)
  const threadMemory = mode === 'view' ? createThreadMemory(options, storage) : undefined
  const { guard } = threads.compactor
  const ownTools = threadTools(threads, options)
  const shownBefore = sharedRecallMemory<KeptRounds>(storage, ...alike)
  /** Replies that our tool is called in, with the requests that they answer: no longer than somebody has the reply. */
  const asking = new WeakMap<AIMessage, Turn>()
  const standIns = createStandIns()
  const updateOnce = updatingOnce()
  const lookUps = answeringTool(threads, (reply) => asking.get(reply))
  const ownNames = ownToolNames(options)

  const sessionFor = async ({ messages, _precis: carried }: AgentState, runtime: Runtime | undefined) => {
    const named = threadOf(runtime)
    // The process knows of calls whose reply took no update of the state.
    const known = newestOf(fromGraph(carried), await threadMemory?.get(named, messages))
    const thread = named ?? known?.thread ?? threads.compactor.conversation(messages).id
    // Several runs that nobody named may begin alike.
    const history = mode === 'view' && named === undefined ? messages : undefined
    return { thread, known, session: threads.compactor.session(thread, known?.state, history) }
  }
  /** What a call needs before it is made. */
  const prepare = async ({ state, runtime, messages, model, modelSettings, systemMessage, responseFormat, tools = [] }: ModelRequest) => {
    const config = { configurable: runtime?.configurable }
    const body = await readBody(model, modelSettings, config)
    const theirs = tools.filter((tool) => tool !== lookUps)
    const its: ModelCall = {
      overhead: readOverhead({ system: systemMessage, tools: theirs, format: responseFormat }),
      ...(await threads.learnModel(model, config)),
      settled: true,
      ...body,
      ...signalOf(runtime),
    }
    const own = await sessionFor(state, runtime)
    const call = standIns.narrowest(own.thread, its)
    const memory = recallUnder(shownBefore, Object(systemMessage).content, instructionsOf(messages))
    const asked = (one: ModelCall): Promise<Prepared<BaseMessage>> => preparedWith(own.session, one, memory.of(own.session), messages)
    const first = await asked(mode === 'persist' ? { ...call, replaces: true } : call)
    const replaced = mode === 'persist' && first.messages !== messages && first.report.outcome !== 'unchanged' && first.report.outcome !== 'projected'
    // What cannot be put on record stays in the state, and is shown smaller all the same.
    const isRefused = mode === 'persist' && first.messages === messages && first.report.warnings.length > 0
    const prepared = isRefused ? await asked(call) : first
    standIns.measured(call, prepared.report)
    return {
      ...own,
      memory,
      its,
      call,
      prepared,
      replaced,
      theirs,
      tools: theirs.flatMap(toolNames),
      recall,
      offersIn: ['on', 'tool'],
      handsOver: mode === 'view' ? 'whole' : 'cut',
    } as const
  }

  return {
    name,
    stateSchema: z.object({ _precis: z.any().optional() }),
    tools: [...(recall === 'off' ? [] : [lookUps]), ...(modelTools ? ownTools : [])],
    session: (thread) => threads.compactor.session(thread),
    flush: () => threads.compactor.flush(),
    close: () => threads.compactor.shutdown(),
    async wrapModelCall(request: ModelRequest, handler) {
      const { runtime, messages: history, state } = request
      const ready = await guard(
        () => prepare(request),
        () => undefined,
        runtime?.signal,
      )
      if (ready === undefined) return handler({ ...request, ...(request.tools && { tools: request.tools.filter((tool) => tool !== lookUps) }) })
      const { thread, known: before, session, its } = ready
      let call = ready.call
      let begun = (): boolean => false
      let hasReplied = (): boolean => false
      let hearing = createHearing()
      const recovering = recoveringWith(session, ready.memory)
      /** What fits into the model that refused. */
      const recover: typeof recovering.recover = async (given, error) => {
        // A second run would show once more what the first has shown.
        if (begun() || hasReplied()) return undefined
        for (const failure of [...hearing.behind(error), { error }] as readonly Failure[]) {
          const failed: ModelCall = failure.model === undefined ? its : { ...its, ...failure.model }
          const smaller = await recovering.recover(given, failure.error, failed)
          if (smaller === undefined) continue
          call = failed
          standIns.measured(call, smaller.report)
          return smaller
        }
        return undefined
      }
      const send = async (prepared: Prepared<BaseMessage>): Promise<unknown> => {
        await announce(prepared.report, runtime)
        hearing = createHearing()
        hasReplied = () => false
        const turn = await guard(
          () => createTurn({ ...ready, call, compactor: threads.compactor, history, settings: request.modelSettings, model: request.model }, prepared),
          () => undefined,
          runtime?.signal,
        )
        if (turn === undefined) return handler({ ...request, messages: [...prepared.messages], tools: ready.theirs })
        const tools = turn.offered ? [...ready.theirs, lookUps] : ready.theirs
        const asked = await inRounds(request.model, turn, ownNames, runtime?.configurable, hearing)
        begun = asked.begun
        hasReplied = asked.answered
        const answer = await hearing.during(() =>
          handler({ ...request, model: asked.model, messages: [...turn.messages], ...(request.tools !== undefined && { tools }) }),
        )
        if (hearing.isToldIn(answer)) throw new ToldFailure(answer)
        const other = asked.answered() ? undefined : hearing.answeredBy()
        if (!asked.heard() || (other !== undefined && call !== its)) turn.learn(answer)
        standIns.answered(thread, its, other)
        // One with more room answered: what was refused before is known all the same, and the next call fits.
        const learned = other && (await recover(history, undefined).catch(() => undefined))
        if (learned !== undefined) await announce(learned.report, runtime)
        if (AIMessage.isInstance(answer) && callsOf(answer).some(isOurs)) asking.set(answer, turn)
        return answer
      }
      const answer = await answerRefusals({ recover }, { history, call }, () => send(ready.prepared), send).catch((error: unknown) => {
        if (error instanceof ToldFailure) return error.reply
        throw error
      })
      // A reply with an object in it takes no update of the state beside it.
      const isReply = AIMessage.isInstance(answer)
      return guard(
        async () => {
          const remembered = session.state()
          const isKnown = remembered.checkpoints.at(-1)?.id === (before?.checkpoint || undefined)
          const known = isKnown
            ? undefined
            : knownIn(thread, remembered, await readWhole(session, messageCodec, history), options.storage !== undefined, before)
          if (known !== undefined && !(isReply && isCheckpointed(runtime?.configurable))) await threadMemory?.add(threadOf(runtime), state.messages, known)
          if (!isReply) return answer
          const update = {
            ...(ready.replaced && { messages: replacing(state.messages, history, ready.prepared.messages, answer) }),
            ...(known !== undefined && known.checkpoint !== before?.checkpoint && { _precis: toGraph(known) }),
          }
          return Object.keys(update).length === 0 ? answer : (updateOnce(state.messages, update) ?? answer)
        },
        () => answer,
      )
    },
    ...(cacheToolOutputs && {
      async wrapToolCall(request: ToolRequest, handler: (request: ToolRequest) => unknown): Promise<unknown> {
        const answer = await handler(request)
        const [part] = ToolMessage.isInstance(answer) ? messageCodec.read(answer).parts : []
        const { name: tool } = request.toolCall
        if (part?.type !== 'tool-result' || ownNames.has(tool)) return answer
        const text = await threads.compactor.receiveOutput(tool, part.output, signalOf(request.runtime))
        if (text === part.output) return answer
        return messageCodec.edit(answer as ToolMessage, { outputs: new Map([[part.callId, { text, keepAttachments: true }]]), inputs: new Map() })
      },
    }),
  }
}

// `middleware: [compaction]` compiles: a function has a name, and nothing else is asked of a middleware.
noMiddleware(compaction, 'compaction', 'compaction()')
