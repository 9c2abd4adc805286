import { type CompactionReport, type CompactorOptions, createCompactor, type ModelCall, type Prepared } from '@precis/core'
import { type AgentItem, type CodecOptions, createCodec } from './codec.ts'
import { readOverhead } from './overhead.ts'
import { readUsage } from './usage.ts'

/** Everything that core's `createCompactor` takes, and who wants to see the receipts. */
export interface CompactionOptions extends Omit<CompactorOptions<AgentItem>, 'codec'>, CodecOptions {
  /** Called after each look at a context, also when nothing had to be done. */
  readonly onReport?: (report: CompactionReport) => void
  /** Called once for what cannot be helped, such as a conversation that the server keeps. */
  readonly onWarning?: (warning: string) => void
}

/** What we use of a request to a model. */
interface Request {
  readonly input: string | readonly AgentItem[]
  readonly systemInstructions?: string
  readonly previousResponseId?: string
  readonly conversationId?: string
  readonly modelSettings?: { readonly maxTokens?: number }
  readonly tools?: unknown
  readonly handoffs?: unknown
  readonly outputType?: unknown
  readonly signal?: AbortSignal
}

interface Model {
  getResponse(request: never): Promise<unknown>
  getStreamedResponse(request: never): AsyncIterable<unknown>
}

interface Provider {
  getModel(name?: string): unknown
}

const serverManaged =
  'The conversation is kept by the server (previousResponseId or conversationId): requests carry only what is new, so there is nothing to compact here. Use server-side compaction, or run without these ids.'

/**
 * A model whose requests stay inside the window, for every agent that uses it. Strictly a view: run state, history and session keep everything.
 * Refusals are recovered from, in streams as long as nothing has been said.
 */
export function wrapModel<M extends object>(model: M, options: CompactionOptions = {}): M {
  const { onReport, onWarning, protect, ...rest } = options
  const session = createCompactor<AgentItem>({ ...rest, codec: createCodec(protect === undefined ? {} : { protect }) }).session(`model-${crypto.randomUUID()}`)
  const inner = model as unknown as Model
  let warned = false
  let memo: { readonly input: string | readonly AgentItem[]; readonly items: readonly AgentItem[] } | undefined

  const isOurs = (request: Request): boolean => {
    if (request.previousResponseId === undefined && request.conversationId === undefined) return true
    if (!warned) onWarning?.(serverManaged)
    warned = true
    return false
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
  const shown = (request: Request, prepared: Prepared<AgentItem>): never => {
    onReport?.(prepared.report)
    return { ...request, input: [...prepared.messages] } as never
  }

  const getResponse = async (request: Request): Promise<unknown> => {
    if (!isOurs(request)) return inner.getResponse(request as never)
    const items = itemsOf(request)
    const call = callOf(request)
    const answered = async (prepared: Prepared<AgentItem>): Promise<unknown> => {
      const response = (await inner.getResponse(shown(request, prepared))) as { readonly usage?: unknown } | undefined
      session.afterModelCall({ usage: readUsage(response?.usage) })
      return withSpent(response, prepared.report.spent)
    }
    try {
      return await answered(await session.beforeModelCall(items, call))
    } catch (error) {
      const recovered = await session.recover(items, error, call)
      if (recovered === undefined) throw error
      return answered(recovered)
    }
  }

  async function* getStreamedResponse(request: Request): AsyncGenerator<unknown> {
    if (!isOurs(request)) return yield* inner.getStreamedResponse(request as never)
    const items = itemsOf(request)
    const call = callOf(request)
    let said = false
    const pass = async function* (prepared: Prepared<AgentItem>): AsyncGenerator<unknown> {
      for await (const event of inner.getStreamedResponse(shown(request, prepared))) {
        const { type, response } = event as { readonly type?: string; readonly response?: { readonly usage?: unknown } }
        if (type === 'response_done') {
          session.afterModelCall({ usage: readUsage(response?.usage) })
          yield { ...(event as object), response: withSpent(response, prepared.report.spent) }
          continue
        }
        // Announcements of a beginning are not yet an answer.
        said ||= type !== 'response_started' && type !== 'model'
        yield event
      }
    }
    try {
      yield* pass(await session.beforeModelCall(items, call))
    } catch (error) {
      const recovered = said ? undefined : await session.recover(items, error, call)
      if (recovered === undefined) throw error
      yield* pass(recovered)
    }
  }

  // A proxy keeps the inner model's class name and every other member: parts of the SDK look at them.
  return new Proxy(model, {
    get(target, name) {
      if (name === 'getResponse') return getResponse
      if (name === 'getStreamedResponse') return getStreamedResponse
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' && name !== 'constructor' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
}

/** What summaries cost belongs to the run: the answer's usage carries it, as a request of its own where the SDK keeps a list. */
function withSpent<R extends { readonly usage?: unknown } | undefined>(response: R, spent: CompactionReport['spent']): R {
  const { prompt, reply } = spent
  if (response === undefined || prompt + reply === 0) return response
  const own = { requests: 1, inputTokens: prompt, outputTokens: reply, totalTokens: prompt + reply }
  const usage = response.usage as (Partial<typeof own> & { add?(more: object): void }) | undefined
  if (typeof usage?.add === 'function') {
    usage.add({ ...own, inputTokensDetails: [], outputTokensDetails: [], requestUsageEntries: [{ ...own, endpoint: 'compaction.summary' }] })
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
