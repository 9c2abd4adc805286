import { answerRefusals, type CompactionReport, type Prepared, type RecallOption, recallTool } from '@precis/core'
import { attempt, causeOf, createLookUpTurn, isKeptElsewhere, type RecallMemory, recallUnder, recovering } from '@precis/core/adapters'
import type { SdkMessage, SdkPart } from '@precis/wire/ai-sdk'
import type { Door } from '../door.ts'
import type { Metered, Params, ProviderModel, ReplyPart, Sent } from '../provider-call.ts'
import { type KeptRounds, withRounds } from './memory.ts'
import { isAsked, isOurs, parsed, toPrompt, toResults, withoutRounds } from './reply-parts.ts'

export interface TurnOptions {
  readonly door: Door
  readonly memory: RecallMemory<KeptRounds>
  readonly model: ProviderModel
  readonly recall: RecallOption | undefined
  /** Name of the conversation; told apart by how it begins when undefined. */
  readonly session: string | undefined
  /** Milliseconds that the caller gives this call; undefined when nobody says. */
  readonly deadline: number | undefined
}

/** One call of the SDK: one request, or up to two rounds of look-ups more. */
export interface Turn {
  /** Sends the next request: with a smaller context, or without our tool, while it is refused. */
  send<R extends Sent>(send: (params: Params) => Promise<R>): Promise<R>
  /** Calls of our tool are answered here. */
  readonly intercepts: boolean
  /** Whether our tool stood in the newest request. */
  offered(): boolean
  /** What becomes of a reply: `again` when it only looked things up. Otherwise these calls of ours are left out of it. */
  settle(content: readonly ReplyPart[], metered: Metered): Promise<'again' | 'return'>
  /** What one look-up finds in the history behind the newest request. */
  lookUp(input: unknown): Promise<string>
}

/** A request as it went out. */
interface Request {
  readonly params: Params
  readonly context: readonly SdkMessage[]
  readonly report: CompactionReport
  readonly offered: boolean
}

/** Some clients send no tools at all where none may be called, and a provider refuses calls in a request without: rounds are not shown where theirs are the only ones. */
const showsNoCalls = ({ toolChoice }: Params, context: readonly SdkMessage[]): boolean =>
  (Object(toolChoice) as { readonly type?: unknown }).type === 'none' &&
  !context.some(({ content }) => Array.isArray(content) && content.some((part: ReplyPart | null) => part?.type === 'tool-call'))

/** Items that a server keeps are those of an account: another one behind the same address has none of a round that is remembered. What the agent itself names is its own. */
function missesItem(error: unknown, history: readonly SdkMessage[]): boolean {
  const { statusCode, message } = Object(error) as { readonly statusCode?: unknown; readonly message?: unknown }
  const [said] = (typeof message === 'string' && /\bitem\b.{0,200}\b(?:not found|could not be verified)/i.exec(message)) || []
  if (said === undefined || (statusCode !== 400 && statusCode !== 404)) return false
  const ids: readonly string[] = said.match(/[\w-]+/g) ?? []
  return !history.some(({ content }) => typeof content !== 'string' && content.some((part) => itemsOf(part).some((id) => ids.includes(id))))
}

/** Under which names a server may know a part. */
const itemsOf = ({ providerOptions, ...part }: SdkPart): readonly string[] =>
  [part['toolCallId'], part['approvalId'], ...Object.values(providerOptions ?? {}).map((own) => own?.['itemId'])].filter((id) => typeof id === 'string')

/** What whoever runs the agent says first. */
function instructionsOf(history: readonly SdkMessage[]): readonly unknown[] {
  const first = history.findIndex(({ role }) => role !== 'system')
  return history.slice(0, first < 0 ? history.length : first).map(({ content }) => content)
}

export async function createTurn(given: Params, { door, memory, model, recall, session: name, deadline }: TurnOptions): Promise<Turn> {
  const history = withoutRounds(given.prompt)
  const session = door.sessionOf(history, name)
  const call = await door.callOf(given, model)
  const functions = (given.tools ?? []).flatMap((tool) => (tool.type === 'function' ? [tool.name] : []))
  const turn = createLookUpTurn<SdkMessage, KeptRounds, Request>({
    compactor: door.compactor,
    codec: door.codec,
    memory: recallUnder(memory, instructionsOf(history)),
    session,
    history,
    tools: functions,
    model: () => `${call.endpoint} ${call.model}`,
    recall,
    keptElsewhere: isKeptElsewhere(given.providerOptions),
    deadline,
    messagesOf: ({ messages, beside }) => [...messages, ...(beside === undefined ? [] : [{ role: 'tool' as const, content: beside.results }])],
    userMessage: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
  })

  let isOffered = false
  let newest: CompactionReport | undefined
  const requestFor = ({ messages, report }: Prepared<SdkMessage>): Request => {
    const offered = turn.offers(report)
    const shown = turn.shown(report)
    const rounds = withRounds((offered && !showsNoCalls(given, messages)) || turn.withdrawn() ? shown : [], history, messages)
    const prompt = [...turn.withPassages(rounds, report), ...turn.current()]
    const { name: toolName, description, inputSchema } = recallTool
    const tools = offered ? [...(given.tools ?? []), { type: 'function', name: toolName, description, inputSchema }] : given.tools
    return { params: { ...given, prompt, ...(tools !== undefined && { tools }) }, context: messages, report, offered }
  }

  const sendMade = async <R>(made: Prepared<SdkMessage>, send: (params: Params) => Promise<R>): Promise<R> => {
    const { messages, report } = made
    newest = report
    const request = await door.compactor.guard(
      () => requestFor(made),
      () => ({ params: given, context: messages, report, offered: false }),
      given.abortSignal,
    )
    const bare = (): Request => ({ params: { ...given, prompt: [...messages] }, context: messages, report, offered: false })
    const sent = ({ params, offered }: Request): Promise<R> => {
      isOffered = offered
      return send(params)
    }
    return turn.send(request, bare, sent, causeOf).catch((error: unknown) => {
      if (!attempt(() => missesItem(causeOf(error), history), false) || !turn.goOnWithout()) throw error
      return turn.send(requestFor(made), bare, sent, causeOf)
    })
  }

  const keep = (beside?: KeptRounds['beside']): void => {
    const messages = turn.current()
    if (messages.length === 0 && beside === undefined) return
    const extra = beside === undefined ? [] : [...beside.calls.map(({ part }) => part), ...beside.results]
    const tokens = turn.tokensOf(messages) + (extra.length > 0 ? turn.tokensOf([{ role: 'tool', content: extra }]) : 0)
    turn.keep((place) => ({ ...place, messages, tokens, ...(beside !== undefined && { beside }) }))
  }

  const settled = async (content: readonly ReplyPart[]): Promise<'again' | 'return'> => {
    const { next, ours, answers } = await turn.settle({
      calls: content.filter(isAsked),
      isOurs,
      inputOf: ({ input }) => parsed(input),
      roundOf: (asked, found) => [toPrompt(content), { role: 'tool', content: toResults(asked, found) }],
    })
    if (next === 'again') return next
    keep(next === 'beside' ? { calls: oursIn(content), results: toResults(ours, answers) } : undefined)
    return 'return'
  }

  return {
    intercepts: turn.intercepts,
    offered: () => isOffered,
    lookUp: async (input) => (await turn.lookUp([input])).join(''),
    async send(send) {
      const made = await turn.prepare(session, call)
      const result = await answerRefusals(
        door.ascribing(recovering(session, turn)),
        { history, call },
        () => sendMade(made, send),
        async (smaller) => sendMade(await turn.prepare(session, call, smaller), send),
      )
      door.learnBody(given, model, result)
      return result
    },
    async settle(content, metered) {
      await door.learnUsage(() => session, metered, newest)
      return door.compactor.guard(
        () => settled(content),
        () => 'return',
        given.abortSignal,
      )
    },
  }
}

/** Our calls of a reply, each with the call of the agent that it stands before. */
function oursIn(content: readonly ReplyPart[]): NonNullable<KeptRounds['beside']>['calls'] {
  const parts = toPrompt(content).content as readonly { readonly type: string; readonly toolCallId?: string; readonly toolName?: string }[]
  return parts.flatMap((part, at) =>
    isOurs(part) ? [{ part, before: parts.slice(at + 1).find((one) => one.type === 'tool-call' && !isOurs(one))?.toolCallId }] : [],
  )
}
