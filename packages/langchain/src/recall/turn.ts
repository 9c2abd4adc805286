import { type AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import {
  answerRefusals,
  type CompactionSession,
  type Compactor,
  InsufficientBudgetError,
  type ModelCall,
  type Prepared,
  type RecallMode,
  type RecallOption,
  recallTool,
} from '@precis/core'
import {
  createLookUpTurn,
  isKeptElsewhere,
  type RecallMemory,
  type RememberedLookUps,
  readWhole,
  recovering,
  remembers,
  type SentRequest,
  withLookUps,
} from '@precis/core/adapters'
import { messageCodec } from '../codec.ts'
import { readUsage } from '../usage.ts'
import { type KeptRounds, withRounds } from './memory.ts'
import { callsOf, isOurs, type ReplyCall, sendable } from './reply.ts'

/** What a call of a model is part of. */
export interface TurnInput {
  readonly compactor: Compactor<BaseMessage>
  readonly memory: RecallMemory<KeptRounds>
  readonly session: CompactionSession<BaseMessage>
  readonly history: readonly BaseMessage[]
  /** What the session was told of the call, without anything of ours in it. */
  readonly call: ModelCall
  readonly recall: RecallOption | undefined
  /** Modes in which our tool can be put into the list. */
  readonly offersIn: readonly RecallMode[]
  /** `cut`: the state of the graph is replaced. */
  readonly handsOver: 'whole' | 'cut'
  /** Names of the functions that the call itself offers. */
  readonly tools: readonly string[]
  /** Settings of the call, and what the model itself adds to a request, for references to what the provider keeps: a conversation, a prompt. */
  readonly settings: unknown
  readonly model: unknown
}

/** One call of the model: one request, or up to two rounds of look-ups more. */
export interface Turn {
  /** Our tool stands in the list of its requests. */
  readonly offered: boolean
  /** The context, with the rounds of before at their places. */
  readonly messages: readonly BaseMessage[]
  /** Calls of our tool are answered here, and never shown. */
  readonly intercepts: boolean
  /** Something was looked up: the request is behind its first round. */
  hasLookedUp(): boolean
  /**
   * Sends the next request: once more without our tool, where a refusal may have been for its sake; behind a look-up also with a smaller context, and at last
   * without what was looked up.
   * @param given - `messages`, with what was put around them on their way (a system message, say).
   */
  send<R>(given: readonly BaseMessage[], send: (messages: BaseMessage[], withTool: boolean) => Promise<R>): Promise<R>
  /** Learns from what the provider counted of the newest request. */
  learn(reply: unknown): void
  /** What becomes of a reply, which is learned from: `again` when it only looked things up. */
  settle(reply: AIMessage): Promise<'again' | 'return'>
  /** What one look-up finds in the history behind the newest request. */
  lookUp(input: unknown): Promise<string>
}

/** A request as it went out. */
interface Request extends SentRequest<BaseMessage> {
  readonly messages: BaseMessage[]
}

/** A call with what we add to it: the definition of our tool, and what came of look-ups before that is still shown. */
async function withRecall(
  session: CompactionSession<BaseMessage>,
  call: ModelCall,
  remembered: RememberedLookUps<KeptRounds>,
  history: readonly BaseMessage[],
): Promise<ModelCall> {
  const read = remembers(remembered).length === 0 ? [] : await readWhole(session, messageCodec, history)
  return { ...call, overhead: withLookUps(call.overhead, remembered, () => read) }
}

/** The context of a call beside what came of look-ups before; without that where the two do not fit together. */
export async function preparedWith(
  session: CompactionSession<BaseMessage>,
  call: ModelCall,
  remembered: RememberedLookUps<KeptRounds>,
  history: readonly BaseMessage[],
): Promise<Prepared<BaseMessage>> {
  const asked = await withRecall(session, call, remembered, history)
  try {
    return await session.beforeModelCall(history, asked)
  } catch (error) {
    if (!InsufficientBudgetError.isInstance(error) || !asked.overhead?.passing) throw error
    const isElsewhere = (one: { readonly checkpoint: string | undefined }): boolean => one.checkpoint !== remembered.checkpoint
    remembered.rounds = remembered.rounds.filter(isElsewhere)
    remembered.passages = remembered.passages.filter(isElsewhere)
    return session.beforeModelCall(history, await withRecall(session, call, remembered, history))
  }
}

/** What whoever runs the agent says first. */
export function instructionsOf(history: readonly BaseMessage[]): readonly unknown[] {
  const first = history.findIndex((message) => message?.getType?.() !== 'system')
  return history.slice(0, first < 0 ? history.length : first).map(({ content }) => content)
}

/** A session that measures a refused request with what we added to it. */
export function recoveringWith(session: CompactionSession<BaseMessage>, memory: RecallMemory<KeptRounds>): Pick<CompactionSession<BaseMessage>, 'recover'> {
  return {
    recover: async (history, error, call = {}) => session.recover(history, error, await withRecall(session, call, memory.of(session), history)),
  }
}

export async function createTurn(
  { compactor, memory, session, history, call, recall, offersIn, handsOver, tools, settings, model }: TurnInput,
  given: Prepared<BaseMessage>,
): Promise<Turn> {
  const turn = createLookUpTurn<BaseMessage, KeptRounds, Request>({
    compactor,
    codec: messageCodec,
    memory,
    session,
    history,
    tools,
    model: () => `${call.endpoint} ${call.model}`,
    recall,
    offersIn,
    handsOver,
    keptElsewhere: isKeptElsewhere({ settings, model: Object(model).modelKwargs as unknown }),
    prepared: { context: given.messages, report: given.report },
    deadline: call.deadline,
    messagesOf: ({ messages, beside }) => [...messages, ...(beside?.results ?? [])],
    userMessage: (text) => new HumanMessage(text),
  })
  const prepared = await turn.prepare(session, call, given)
  const offered = turn.offers(prepared.report)
  const shownWith = ({ messages, report }: Prepared<BaseMessage>): readonly BaseMessage[] => {
    const shown = turn.shown(report)
    return turn.withPassages(withRounds(offered ? shown : [], history, messages), report)
  }
  const messages = shownWith(prepared)
  let made = prepared
  let lookedUp = false
  const learn = (reply: unknown): void => session.afterModelCall({ usage: readUsage(reply), report: made.report })

  /** A request made anew: what stands around the context (a system message) stays. */
  const around = (given: readonly BaseMessage[], context: readonly BaseMessage[]): BaseMessage[] => [
    ...given.filter((one) => one.getType() === 'system' && !context.includes(one)),
    ...context,
  ]

  const keep = (beside?: KeptRounds['beside']): void => {
    const messages = turn.current()
    if (messages.length === 0 && beside === undefined) return
    const tokens = turn.tokensOf([...messages, ...(beside === undefined ? [] : beside.results)])
    turn.keep((place) => ({ ...place, messages, tokens, ...(beside !== undefined && { beside }) }))
  }
  const settled = async (reply: AIMessage): Promise<'again' | 'return'> => {
    const { next, ours, answers } = await turn.settle({
      calls: callsOf(reply),
      isOurs: (one: ReplyCall) => isOurs(one),
      inputOf: ({ args }) => args,
      roundOf: (asked, found) => [sendable(reply), ...toResults(asked, found)],
    })
    if (next !== 'again') {
      keep(next === 'beside' ? { reply: sendable(reply), results: toResults(ours, answers) } : undefined)
      return 'return'
    }
    lookedUp = true
    const again = await turn.prepare(session, call)
    if (again.messages.length !== made.messages.length || again.messages.some((message, at) => message !== made.messages[at])) made = again
    return next
  }

  return {
    offered,
    messages,
    intercepts: turn.intercepts,
    hasLookedUp: () => lookedUp,
    send<R>(given: readonly BaseMessage[], send: (messages: BaseMessage[], withTool: boolean) => Promise<R>) {
      const sendMade = () => {
        const { messages: context, report } = made
        const messages = [...(made === prepared ? given : around(given, shownWith(made))), ...turn.current()]
        const bare = (): Request => ({ messages: around(given, context), context, report, offered: false })
        return turn.send({ messages, context, report, offered: offered && !turn.withdrawn() }, bare, (sent) => send(sent.messages, sent.offered))
      }
      // What was said and looked up before is not asked for again; a first request is made anew outside.
      if (!lookedUp) return sendMade()
      return answerRefusals(recovering(session, turn), { history, call }, sendMade, async (smaller) => {
        made = await turn.prepare(session, call, smaller)
        return sendMade()
      })
    },
    learn,
    async settle(reply) {
      learn(reply)
      return compactor.guard(
        () => settled(reply),
        () => 'return' as const,
        call.signal,
      )
    },
    lookUp: async (input) => (await turn.lookUp([input])).join(''),
  }
}

function toResults(ours: readonly ReplyCall[], answers: readonly string[]): readonly ToolMessage[] {
  return ours.map(({ id }, at) => new ToolMessage({ content: answers[at] ?? '', tool_call_id: id ?? '', name: recallTool.name }))
}
