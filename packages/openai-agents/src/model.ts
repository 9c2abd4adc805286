import {
  answerRefusals,
  CompactionError,
  type CompactionReport,
  type CompactionSession,
  type CompactorOptions,
  createCompactor,
  type ModelCall,
  type Prepared,
} from '@precis/core'
import { createRedactor } from '@precis/redaction'
import { type AgentItem, type CodecOptions, createCodec } from './codec.ts'
import { readOverhead } from './overhead.ts'
import { readUsage, summaryUsage } from './usage.ts'

/** Everything that core's `createCompactor` takes, and whose conversation it is. */
export interface CompactionOptions extends Omit<CompactorOptions<AgentItem>, 'codec'>, CodecOptions {
  /** Conversation of all calls through one wrapped model. Default: told apart by how their inputs begin. */
  readonly session?: string
  /** Called once for what cannot be helped, such as a conversation that the server keeps. */
  readonly onWarning?: (warning: string) => void
}

/** What we use of a request to a model. */
interface Request {
  readonly input: string | readonly AgentItem[]
  readonly systemInstructions?: string
  readonly previousResponseId?: string
  readonly conversationId?: string
  readonly modelSettings?: { readonly maxTokens?: number; readonly contextManagement?: readonly { readonly type?: string }[] }
  readonly tools?: unknown
  readonly handoffs?: unknown
  readonly outputType?: unknown
  readonly signal?: AbortSignal
}

interface Model {
  getResponse(request: never): Promise<unknown>
  getStreamedResponse(request: never): AsyncIterable<unknown>
}

/** One call, made ready. */
interface Ready {
  readonly items: readonly AgentItem[]
  readonly session: CompactionSession<AgentItem>
  readonly call: ModelCall
  readonly first: Prepared<AgentItem>
}

interface Provider {
  getModel(name?: string): unknown
}

/** What each wrapped model of one conversation remembers. */
const sessions = new WeakMap<object, CompactionSession<AgentItem>>()

/** The session of a model that was wrapped with a `session`: `compact`, `schedule`, `rewind`, `state`, `tools`. @throws CompactionError for any other object. */
export function sessionOf(model: object): CompactionSession<AgentItem> {
  const found = sessions.get(model)
  if (found === undefined)
    throw new CompactionError('This model has no session of its own: wrap it with wrapModel(model, { session }), and pass what that returns.')
  return found
}

const serverManaged =
  'The conversation is kept by the server (previousResponseId or conversationId): requests carry only what is new, so there is nothing to compact here. Use server-side compaction, or run without these ids.'

const compactsTwice =
  'The server is asked to compact too (modelSettings.contextManagement): whichever threshold is lower comes first. Its compaction items are kept as they are, and only what follows them is compacted here.'

/**
 * A model whose requests stay inside the window, for every agent that uses it. Strictly a view: run state, history and session keep everything.
 * Refusals are recovered from, in streams as long as nothing has been said.
 */
export function wrapModel<M extends object>(model: M, options: CompactionOptions = {}): M {
  const { onWarning, protect, session: named, ...rest } = options
  const codec = createCodec<AgentItem>(protect === undefined ? {} : { protect })
  const compactor = createCompactor<AgentItem>({ redact: createRedactor(), ...rest, codec })
  const inner = model as unknown as Model
  const warned = new Set<string>()
  const warn = (warning: string): void => {
    if (!warned.has(warning)) onWarning?.(warning)
    warned.add(warning)
  }

  let memo: { readonly input: string | readonly AgentItem[]; readonly items: readonly AgentItem[] } | undefined

  const isOurs = (request: Request): boolean => {
    if (request.previousResponseId !== undefined || request.conversationId !== undefined) {
      warn(serverManaged)
      return false
    }
    if (request.modelSettings?.contextManagement?.some((one) => one.type === 'compaction') === true) warn(compactsTwice)
    return true
  }
  const itemsOf = ({ input }: Request): readonly AgentItem[] => {
    if (typeof input !== 'string') return input
    // The same text is the same item, so that a context keeps its identity.
    if (memo?.input !== input) memo = { input, items: [{ type: 'message', role: 'user', content: input }] }
    return memo.items
  }
  const callOf = (request: Request): ModelCall => ({
    overhead: readOverhead(request),
    ...(request.modelSettings?.maxTokens !== undefined && { maxOutput: request.modelSettings.maxTokens }),
    ...(request.signal !== undefined && { signal: request.signal }),
  })
  const conversation = (items: readonly AgentItem[]): CompactionSession<AgentItem> =>
    named === undefined ? compactor.conversation(items) : compactor.session(named)
  const shown = (request: Request, prepared: Prepared<AgentItem>): never => ({ ...request, input: [...prepared.messages] }) as never
  /** What a call needs before it is made; undefined where it is none of ours. */
  const prepare = (request: Request): Promise<Ready | undefined> =>
    compactor.guard<Ready | undefined>(
      async () => {
        if (!isOurs(request)) return undefined
        const items = itemsOf(request)
        const session = conversation(items)
        const call = callOf(request)
        return { items, session, call, first: await session.beforeModelCall(items, call) }
      },
      () => undefined,
      request.signal,
    )

  const getResponse = async (request: Request): Promise<unknown> => {
    const ready = await prepare(request)
    if (ready === undefined) return inner.getResponse(request as never)
    const { items, session, call, first } = ready
    const answered = async (prepared: Prepared<AgentItem>): Promise<unknown> => {
      const response = (await inner.getResponse(shown(request, prepared))) as { readonly usage?: unknown } | undefined
      session.afterModelCall({ usage: readUsage(response?.usage) })
      return withSpent(response, prepared.report.spent)
    }
    return answerRefusals(session, { history: items, call }, () => answered(first), answered)
  }

  async function* getStreamedResponse(request: Request): AsyncGenerator<unknown> {
    const ready = await prepare(request)
    if (ready === undefined) return yield* inner.getStreamedResponse(request as never)
    const { items, session, call, first } = ready
    const opened = async (prepared: Prepared<AgentItem>): Promise<Opened> => open(inner.getStreamedResponse(shown(request, prepared)), prepared)
    const { events, report } = await answerRefusals(session, { history: items, call }, () => opened(first), opened)
    for await (const event of events) {
      const { type, response } = event as StreamEvent
      if (type === 'response_done') {
        session.afterModelCall({ usage: readUsage(response?.usage) })
        yield { ...(event as object), response: withSpent(response, report.spent) }
      } else yield event
    }
  }

  // A proxy keeps the inner model's class name and every other member: parts of the SDK look at them.
  const wrapped = new Proxy(model, {
    get(target, name) {
      if (name === 'getResponse') return getResponse
      if (name === 'getStreamedResponse') return getStreamedResponse
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' && name !== 'constructor' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
  if (named !== undefined) sessions.set(wrapped, compactor.session(named))
  return wrapped
}

interface StreamEvent {
  readonly type?: string
  readonly response?: { readonly usage?: unknown }
  readonly delta?: unknown
  /** What the provider sent, as it came. */
  readonly event?: { readonly type?: string; readonly choices?: readonly { readonly delta?: Readonly<Record<string, unknown>> }[] }
}

interface Opened {
  readonly events: AsyncIterable<unknown>
  readonly report: CompactionReport
}

/** Announcements, keep-alives and empty pieces: an answer has not begun. */
function isSilent({ type, event, delta }: StreamEvent): boolean {
  if (type !== 'model') return type === 'response_started' || (type === 'output_text_delta' && delta === '')
  const said = (event?.choices ?? []).flatMap((choice) => Object.entries(choice.delta ?? {}).filter(([name, value]) => name !== 'role' && Boolean(value)))
  return said.length === 0 && !/delta|done|completed/.test(event?.type ?? '')
}

/** Reads a stream up to its first content: until then a refusal is thrown, and can still be answered with another request. */
async function open(stream: AsyncIterable<unknown>, { report }: Prepared<AgentItem>): Promise<Opened> {
  const iterator = stream[Symbol.asyncIterator]()
  const first: unknown[] = []
  for (;;) {
    const { done, value } = await iterator.next()
    if (done === true) break
    first.push(value)
    if (!isSilent(value as StreamEvent)) break
  }
  const events = async function* (): AsyncGenerator<unknown> {
    try {
      yield* first
      yield* { [Symbol.asyncIterator]: () => iterator }
    } finally {
      await iterator.return?.()
    }
  }
  return { events: events(), report }
}

/** What summaries cost belongs to the run: the answer's usage carries it, as a request of its own where the SDK keeps a list. */
function withSpent<R extends { readonly usage?: unknown } | undefined>(response: R, spent: CompactionReport['spent']): R {
  const entry = summaryUsage(spent)
  if (response === undefined || entry === undefined) return response
  const { endpoint: _summary, ...counts } = entry
  const own = { requests: 1, ...counts }
  const usage = response.usage as (Partial<typeof own> & { add?(more: object): void }) | undefined
  if (typeof usage?.add === 'function') {
    usage.add({ ...own, inputTokensDetails: [], outputTokensDetails: [], requestUsageEntries: [entry] })
    return response
  }
  const sum = (name: keyof typeof own): number => (usage?.[name] ?? 0) + own[name]
  const merged = {
    ...usage,
    requests: (usage?.requests ?? 1) + 1,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    totalTokens: sum('totalTokens'),
  }
  return { ...response, usage: merged }
}

/** A provider whose models are all wrapped: reaches agents that are used as tools, and those that are handed over to. */
export function wrapProvider<P extends object>(provider: P, options: CompactionOptions = {}): P {
  const models = new Map<unknown, object>()
  const wrapped = (model: object): object => {
    const known = models.get(model) ?? wrapModel(model, options)
    models.set(model, known)
    return known
  }
  return new Proxy(provider, {
    get(target, name) {
      if (name === 'getModel') return async (model?: string) => wrapped((await (target as unknown as Provider).getModel(model)) as object)
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' && name !== 'constructor' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
}
