import { type AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import {
  builtInEstimator,
  type CompactionSession,
  type Compactor,
  estimateMessage,
  isKeptElsewhere,
  type ModelCall,
  mayLookUp,
  mayRefuseTool,
  offersRecall,
  type Prepared,
  type RecallMode,
  recallTool,
  roundPlace,
  shownRounds,
  splitCalls,
  type Tokens,
} from '@precis/core'
import { lastLookUp, noMoreLookUps, type RecallMemory, type Remembered, withLookUps } from '@precis/core/adapters'
import { messageCodec } from './codec.ts'
import { type KeptRounds, withRounds } from './recall-memory.ts'
import { callsOf, isOurs, type ReplyCall, sendable } from './recall-reply.ts'
import { readUsage } from './usage.ts'

/** What a call of a model is part of. */
export interface TurnInput {
  readonly compactor: Compactor<BaseMessage>
  readonly memory: RecallMemory<KeptRounds>
  readonly session: CompactionSession<BaseMessage>
  readonly history: readonly BaseMessage[]
  /** What the session was told of the call, without anything of ours in it. */
  readonly call: ModelCall
  readonly mode: RecallMode
  /** Names of the functions that the call itself offers. */
  readonly tools: readonly string[]
  /** Settings of the call, for references to conversations that the provider keeps. */
  readonly settings: unknown
}

/** One call of the model: one request, or up to two rounds of look-ups more. */
export interface Turn {
  /** Our tool stands in the list of its requests. */
  readonly offered: boolean
  /** The context, with the rounds of before at their places. */
  readonly messages: readonly BaseMessage[]
  /** Calls of our tool are answered here, and never shown. */
  readonly intercepts: boolean
  /**
   * Sends the next request: once more without our tool, where a refusal may have been for its sake.
   * @param given - `messages`, with what was put around them on their way (a system message, say).
   */
  send<R>(given: readonly BaseMessage[], send: (messages: BaseMessage[], withTool: boolean) => Promise<R>): Promise<R>
  /** What becomes of a reply: `again` when it only looked things up. */
  settle(reply: AIMessage): Promise<'again' | 'return'>
  /** What one look-up finds in the history behind the newest request. */
  lookUp(input: unknown): Promise<string>
}

const tokensOf = (messages: readonly BaseMessage[]): Tokens =>
  messages.reduce((sum, message) => sum + estimateMessage(messageCodec.read(message), builtInEstimator), 0)

/** A call with what we add to it: the definition of our tool, rounds of before that are still shown, those of this call. */
export function withRecall(
  call: ModelCall,
  remembered: Remembered<KeptRounds>,
  history: readonly BaseMessage[],
  current: readonly BaseMessage[] = [],
): ModelCall {
  const neutral = () => history.map((message) => messageCodec.read(message))
  return { ...call, overhead: withLookUps(call.overhead, remembered, neutral, tokensOf(current)) }
}

export function createTurn({ compactor, memory, session, history, call, mode, tools, settings }: TurnInput, prepared: Prepared<BaseMessage>): Turn {
  const started = performance.now()
  const remembered = memory.of(session.id)
  const model = `${call.endpoint} ${call.model}`
  const keptElsewhere = isKeptElsewhere({ settings })
  const compacted = prepared.report.checkpoint !== undefined
  const offered =
    mode !== 'off' && offersRecall(recallTool.name, { tools, compacted, offered: remembered.offered, refused: memory.refuses(model), keptElsewhere })
  remembered.offered ||= offered
  const neutral = () => history.map((message) => messageCodec.read(message))
  const shownWith = ({ messages, report }: Prepared<BaseMessage>): readonly BaseMessage[] => {
    const { shown, kept } = shownRounds(remembered.rounds, remembered.rounds.length > 0 ? neutral() : [], report.checkpoint)
    remembered.rounds = kept
    return withRounds(offered ? shown : [], history, messages)
  }
  const first = shownWith(prepared)
  let made = prepared
  let current: readonly BaseMessage[] = []
  let [rounds, withdrawn] = [0, false]

  /** A request made anew: what stands around the context (a system message) stays. */
  const around = (given: readonly BaseMessage[], context: readonly BaseMessage[]): BaseMessage[] => [
    ...given.filter((one) => one.getType() === 'system' && !context.includes(one)),
    ...context,
  ]
  const requestOf = (given: readonly BaseMessage[]): BaseMessage[] => [...(made === prepared ? given : around(given, shownWith(made))), ...current]

  const keep = (beside?: KeptRounds['beside']): void => {
    if (rounds === 0 && beside === undefined) return
    const tokens = tokensOf([...current, ...(beside === undefined ? [] : beside.results)])
    const round = { ...roundPlace(neutral(), made.report.checkpoint), messages: current, tokens, ...(beside !== undefined && { beside }) }
    remembered.rounds = [...remembered.rounds.filter((one) => one.mark !== round.mark), round]
  }
  const lookUps = (inputs: readonly unknown[]) =>
    compactor.lookUp(session.id, { history, context: made.messages, inputs, round: rounds + 1, tokens: made.report.tokens })
  const settled = async (reply: AIMessage): Promise<'again' | 'return'> => {
    const { ours, next } = splitCalls(callsOf(reply), (one) => mode === 'on' && isOurs(one))
    // Without any tool in the request a call cannot be sent back.
    if (next === 'return' || tools.length === 0 || keptElsewhere || withdrawn) {
      keep()
      return 'return'
    }
    const inputs = ours.map(({ args }) => args)
    const sent = sendable(reply)
    if (next === 'beside') {
      keep({ reply: sent, results: toResults(ours, (await lookUps(inputs)).answers) })
      return 'return'
    }
    const may = mayLookUp({ rounds, elapsed: performance.now() - started, deadline: undefined })
    const found = may ? await lookUps(inputs) : undefined
    // Who asks again all the same is not given the tool any more: another choice of tools would take the agent's own from it.
    withdrawn = !may
    rounds++
    const closing = may && !mayLookUp({ rounds, elapsed: 0, deadline: undefined }) ? lastLookUp : ''
    const results = toResults(ours, found === undefined ? ours.map(() => noMoreLookUps) : found.answers.map((text) => text + closing))
    current = [...current, sent, ...results]
    const again = await session.beforeModelCall(history, {
      ...withRecall(call, remembered, history, current),
      ...(found !== undefined && { recall: found.receipt }),
    })
    if (again.messages.length !== made.messages.length || again.messages.some((message, at) => message !== made.messages[at])) made = again
    return 'again'
  }

  return {
    offered,
    messages: first,
    intercepts: mode === 'on' && !tools.includes(recallTool.name),
    async send(given, send) {
      const withTool = offered && !withdrawn
      try {
        return await send(requestOf(given), withTool)
      } catch (error) {
        if (!withTool || !mayRefuseTool(error)) throw error
        const result = await send(around(given, made.messages), false)
        memory.refuse(model)
        current = []
        return result
      }
    },
    async settle(reply) {
      session.afterModelCall({ usage: readUsage(reply) })
      return compactor.guard(
        () => settled(reply),
        () => 'return' as const,
        call.signal,
      )
    },
    lookUp: async (input) => (await lookUps([input])).answers.join(''),
  }
}

function toResults(ours: readonly ReplyCall[], answers: readonly string[]): readonly ToolMessage[] {
  return ours.map(({ id }, at) => new ToolMessage({ content: answers[at] ?? '', tool_call_id: id ?? '', name: recallTool.name }))
}
