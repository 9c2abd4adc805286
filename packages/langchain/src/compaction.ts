import { dispatchCustomEvent } from '@langchain/core/callbacks/dispatch'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { DynamicStructuredTool } from '@langchain/core/tools'
import {
  answerRefusals,
  type CompactionReport,
  type CompactionSession,
  type CompactionState,
  InvalidConfigurationError,
  type ModelCall,
  type Overhead,
  type Prepared,
  type Tokens,
} from '@precis/core'
import { z } from 'zod'
import { messageCodec } from './codec.ts'
import { readOverhead, readReply } from './overhead.ts'
import { replacing } from './replace.ts'
import { type CompactionOptions, createThreads, threadOf } from './seam.ts'
import { threadTools } from './tools.ts'
import { readUsage } from './usage.ts'

/** Everything of `createCompaction`, and what the middleware does with state and tools. */
export interface MiddlewareOptions extends CompactionOptions {
  /** Default "PrecisCompaction". deepagents' own summarizer is replaced by a middleware that is called "SummarizationMiddleware". */
  readonly name?: string
  /** `view` (default): `state.messages` stays complete, only what is sent is compacted. `persist`: the state's messages are replaced. */
  readonly mode?: 'view' | 'persist'
  /** Gives the model our tools: `compact_context`, `recall_history` with an archive, `tool_output_cache` and `tool_output_cache_grep` with a store. Needs thread ids. Default false. */
  readonly modelTools?: boolean
  /** Long tool outputs go to the store and never into the state, which keeps a view and a reference. Needs `outputs`. Default false. */
  readonly cacheToolOutputs?: boolean
}

/** What a thread remembers, in the graph's own state: hidden from the output, kept by the checkpointer. */
interface ThreadState {
  readonly thread: string
  readonly state: CompactionState
  readonly overhead?: Overhead
  readonly maxOutput?: Tokens
}

interface AgentState {
  readonly messages: BaseMessage[]
  readonly _precis?: ThreadState | undefined
}

interface Runtime {
  readonly configurable?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
  readonly writer?: (chunk: unknown) => void
}

interface ModelRequest {
  readonly model: unknown
  readonly modelSettings?: object
  readonly messages: BaseMessage[]
  readonly systemMessage?: unknown
  readonly tools?: readonly unknown[]
  readonly state: AgentState
  readonly runtime?: Runtime
}

interface ToolRequest {
  readonly toolCall: { readonly name: string }
  readonly runtime?: Runtime
}

/** A plain object that `createAgent` and `createDeepAgent` take: no import of theirs is needed. */
export interface CompactionMiddleware {
  readonly name: string
  readonly stateSchema: z.ZodObject<{ _precis: z.ZodOptional<z.ZodAny> }>
  readonly tools?: DynamicStructuredTool[]
  beforeModel(state: AgentState, runtime: Runtime): Promise<Record<string, unknown> | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: the request and the answer are LangChain's own generic types, which differ by agent
  wrapModelCall(request: any, handler: (request: any) => any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  wrapToolCall?(request: any, handler: (request: any) => any): Promise<any>
  afterModel(state: AgentState, runtime: Runtime): Record<string, unknown> | undefined
}

/**
 * Keeps an agent's requests inside the window. `wrapModelCall` sees tools and system prompt, shows the model the compacted context and recovers from
 * refusals; what the thread remembers is written into a private key of the graph's state. A failing summarizer never costs a message.
 */
export function compactionMiddleware({
  name = 'PrecisCompaction',
  mode = 'view',
  modelTools = false,
  cacheToolOutputs = false,
  ...options
}: MiddlewareOptions = {}): CompactionMiddleware {
  const threads = createThreads(options)
  if (cacheToolOutputs && options.outputs === undefined)
    throw new InvalidConfigurationError('outputs', null, 'expected a store for whole outputs: createToolOutputStore(storage)')
  const ownTools = threadTools(threads)
  const ownNames = new Set(ownTools.map((tool) => tool.name))
  /** What a call came to, until the hook after it may write to the state; by the id of the answer. */
  const pending = new Map<string, ThreadState>()

  const { guard } = threads.compactor

  const sessionFor = (state: AgentState, runtime: Runtime | undefined): { readonly thread: string; readonly session: CompactionSession<BaseMessage> } => {
    const thread = threadOf(runtime) ?? state._precis?.thread ?? threads.compactor.conversation(state.messages).id
    return { thread, session: threads.compactor.session(thread, state._precis?.state) }
  }
  const announce = async (report: CompactionReport, runtime: Runtime | undefined): Promise<void> => {
    if (report.outcome === 'unchanged' || report.outcome === 'projected') return
    const { plan, tokens, messages, outcome } = report
    const data = { outcome, reason: plan.decision.reason, tokensBefore: tokens.before, tokensAfter: tokens.after, ...messages }
    try {
      runtime?.writer?.({ type: 'context_compaction', ...data })
      await dispatchCustomEvent('context_compaction', data)
    } catch {
      // Nobody listens where nothing is traced.
    }
  }

  const persisted = async (state: AgentState, runtime: Runtime): Promise<Record<string, unknown> | undefined> => {
    const { thread, session } = sessionFor(state, runtime)
    const { overhead, maxOutput } = state._precis ?? {}
    const known = { ...(overhead !== undefined && { overhead }), ...(maxOutput !== undefined && { maxOutput }) }
    const { messages, report } = await session.beforeModelCall(state.messages, { replaces: true, ...known, ...signalOf(runtime) })
    if (messages === state.messages || report.outcome === 'unchanged' || report.outcome === 'projected') return undefined
    await announce(report, runtime)
    return {
      messages: replacing(state.messages, messages),
      _precis: { thread, state: session.state(), ...known },
    }
  }
  /** What a call needs before it is made. */
  const prepare = async ({ state, runtime, messages, model, modelSettings, systemMessage, tools }: ModelRequest) => {
    const maxOutput = await readReply(model, modelSettings, { configurable: runtime?.configurable })
    const known = { overhead: readOverhead({ system: systemMessage, tools }), ...(maxOutput !== undefined && { maxOutput }) }
    const call: ModelCall = { ...known, model: threads.learnModel(model), ...signalOf(runtime) }
    const own = sessionFor(state, runtime)
    const prepared = await own.session.beforeModelCall(messages, call)
    await announce(prepared.report, runtime)
    return { ...own, known, call, prepared }
  }

  return {
    name,
    stateSchema: z.object({ _precis: z.any().optional() }),
    ...(modelTools && { tools: ownTools }),
    beforeModel: async (state, runtime) =>
      mode !== 'persist'
        ? undefined
        : guard(
            () => persisted(state, runtime),
            () => undefined,
            runtime.signal,
          ),
    async wrapModelCall(request: ModelRequest, handler) {
      const { runtime } = request
      const ready = await guard(
        () => prepare(request),
        () => undefined,
        runtime?.signal,
      )
      if (ready === undefined) return handler(request)
      const { thread, session, known, call, prepared } = ready
      const send = (messages: readonly BaseMessage[]): Promise<unknown> => handler({ ...request, messages: [...messages] })
      const learn = (answer: unknown): void => {
        session.afterModelCall({ usage: readUsage(answer) })
        if (AIMessage.isInstance(answer)) {
          answer.id ??= `precis-${crypto.randomUUID()}`
          remember(pending, answer.id, { thread, state: session.state(), ...known })
        }
      }
      const answered = async (answer: unknown): Promise<unknown> => {
        await guard(
          () => learn(answer),
          () => undefined,
        )
        return answer
      }
      const again = async ({ messages, report }: Prepared<BaseMessage>): Promise<unknown> => {
        await announce(report, runtime)
        return send(messages)
      }
      return answered(await answerRefusals(session, { history: request.messages, call }, () => send(prepared.messages), again))
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
    afterModel(state) {
      const id = state.messages.at(-1)?.id
      const found = id === undefined ? undefined : pending.get(id)
      if (id === undefined || found === undefined) return undefined
      pending.delete(id)
      return { _precis: found }
    },
  }
}

function signalOf(runtime: Runtime | undefined): { readonly signal?: AbortSignal } {
  return runtime?.signal === undefined ? {} : { signal: runtime.signal }
}

/** Answers whose run ended before its next hook are forgotten in time. */
const mostPending = 1_000

function remember(pending: Map<string, ThreadState>, id: string, state: ThreadState): void {
  if (pending.size >= mostPending) pending.delete(pending.keys().next().value as string)
  pending.set(id, state)
}
