import {
  answerRefusals,
  builtInEstimator,
  type CompactionReport,
  estimateMessage,
  isKeptElsewhere,
  type ModelCall,
  mayLookUp,
  mayRefuseTool,
  offersRecall,
  type Prepared,
  type RecallMode,
  type RecallReceipt,
  recallTool,
  roundPlace,
  shownRounds,
  splitCalls,
  type Tokens,
} from '@precis/core'
import { lastLookUp, noMoreLookUps, type RecallMemory, withLookUps } from '@precis/core/adapters'
import type { SdkMessage } from '@precis/wire/ai-sdk'
import type { Door } from './door.ts'
import { causeOf } from './first-content.ts'
import type { Metered, Params, ProviderModel, ReplyPart, Sent } from './provider-call.ts'
import { type KeptRounds, withRounds } from './recall-memory.ts'
import { parsed, toPrompt, toResults, withoutRounds } from './reply-parts.ts'

export interface TurnOptions {
  readonly door: Door
  readonly memory: RecallMemory<KeptRounds>
  readonly model: ProviderModel
  readonly mode: RecallMode
  /** Name of the conversation; told apart by how it begins when undefined. */
  readonly session: string | undefined
  /** Milliseconds that the caller gives this call; undefined when nobody says. */
  readonly deadline: number | undefined
}

/** One call of the SDK: one request, or up to two rounds of look-ups more. */
export interface Turn {
  /** Sends the next request: with a smaller context, or without our tool, while it is refused. */
  send<R extends Sent>(send: (params: Params) => Promise<R>): Promise<R>
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

export const isOurs = ({ type, toolName, providerExecuted }: ReplyPart): boolean =>
  type === 'tool-call' && toolName === recallTool.name && providerExecuted !== true

/** Whether our name is the host's own in this call. */
export const isTaken = ({ tools }: Params): boolean => tools?.some(({ name }) => name === recallTool.name) === true

export async function createTurn(given: Params, { door, memory, model, mode, session: name, deadline }: TurnOptions): Promise<Turn> {
  const started = performance.now()
  const history = withoutRounds(given.prompt)
  const session = door.sessionOf(history, name)
  const remembered = memory.of(session.id)
  const call = await door.callOf(given, model)
  const id = `${call.endpoint} ${call.model}`
  const functions = (given.tools ?? []).flatMap((tool) => (tool.type === 'function' ? [tool.name] : []))
  const keptElsewhere = isKeptElsewhere(given.providerOptions)
  /** Rounds of this call, as messages. */
  let current: readonly SdkMessage[] = []
  let [rounds, withdrawn] = [0, false]
  let receipt: RecallReceipt | undefined
  let request: Request | undefined

  const tokensOf = (messages: readonly SdkMessage[]): Tokens =>
    messages.reduce((sum, message) => sum + estimateMessage(door.codec.read(message), builtInEstimator), 0)
  const neutral = () => history.map((message) => door.codec.read(message))

  const callNow = (): ModelCall => ({
    ...call,
    overhead: withLookUps(call.overhead, remembered, neutral, tokensOf(current)),
    ...(receipt !== undefined && { recall: receipt }),
  })

  const requestFor = ({ messages, report }: Prepared<SdkMessage>, bare = false): Request => {
    const compacted = report.checkpoint !== undefined
    const { offered: before } = remembered
    const offered =
      !bare &&
      !withdrawn &&
      mode === 'on' &&
      offersRecall(recallTool.name, { tools: functions, compacted, offered: before, refused: memory.refuses(id), keptElsewhere })
    remembered.offered ||= offered
    const { shown, kept } = shownRounds(remembered.rounds, remembered.rounds.length > 0 ? neutral() : [], report.checkpoint)
    remembered.rounds = kept
    const prompt = [...withRounds(offered || withdrawn ? shown : [], history, messages), ...(bare ? [] : current)]
    const { name: toolName, description, inputSchema } = recallTool
    const tools = offered ? [...(given.tools ?? []), { type: 'function', name: toolName, description, inputSchema }] : given.tools
    return { params: { ...given, prompt, ...(tools !== undefined && { tools }) }, context: messages, report, offered }
  }

  /** Once more without our tool, where the refusal may have been for its sake. */
  const orWithout = async <R>(made: Prepared<SdkMessage>, send: (params: Params) => Promise<R>): Promise<R> => {
    request = await door.compactor.guard(
      () => requestFor(made),
      () => ({ params: given, context: made.messages, report: made.report, offered: false }),
      given.abortSignal,
    )
    try {
      return await send(request.params)
    } catch (error) {
      const cause = causeOf(error)
      if (!request.offered || !mayRefuseTool(cause)) throw error
      const bare = requestFor(made, true)
      const result = await send(bare.params)
      memory.refuse(id)
      request = bare
      current = []
      return result
    }
  }

  const keep = (beside?: KeptRounds['beside']): void => {
    if (rounds === 0 && beside === undefined) return
    const extra = beside === undefined ? [] : [...beside.calls.map(({ part }) => part), ...beside.results]
    const tokens = tokensOf(current) + (extra.length > 0 ? tokensOf([{ role: 'tool', content: extra }]) : 0)
    const place = roundPlace(neutral(), request?.report.checkpoint)
    const round = { ...place, messages: current, tokens, ...(beside !== undefined && { beside }) }
    remembered.rounds = [...remembered.rounds.filter((one) => one.mark !== round.mark), round]
  }

  const lookUps = async (inputs: readonly unknown[]): Promise<readonly string[]> => {
    if (request === undefined) return inputs.map(() => '')
    const { context, report } = request
    const found = await door.compactor.lookUp(session.id, { history, context, inputs, round: rounds + 1, tokens: report.tokens })
    receipt = found.receipt
    return found.answers
  }

  const settled = async (content: readonly ReplyPart[]): Promise<'again' | 'return'> => {
    const calls = content.filter(({ type, providerExecuted }) => type === 'tool-call' && providerExecuted !== true)
    const { ours, next } = splitCalls(calls, (one) => mode === 'on' && isOurs(one))
    // Without any tool in the request a call cannot be sent back.
    if (next === 'return' || request === undefined || functions.length === 0 || keptElsewhere || withdrawn) {
      keep()
      return 'return'
    }
    const answer = (): Promise<readonly string[]> => lookUps(ours.map(({ input }) => parsed(input)))
    if (next === 'beside') {
      const results = toResults(ours, await answer())
      const parts = toPrompt(content).content as readonly { readonly type: string; readonly toolCallId?: string; readonly toolName?: string }[]
      keep({
        calls: parts.flatMap((part, at) =>
          isOurs(part) ? [{ part, before: parts.slice(at + 1).find((one) => one.type === 'tool-call' && !isOurs(one))?.toolCallId }] : [],
        ),
        results,
      })
      return 'return'
    }
    const may = mayLookUp({ rounds, elapsed: performance.now() - started, deadline })
    const answers = may ? await answer() : ours.map(() => noMoreLookUps)
    // Who asks again all the same is not given the tool any more: another choice of tools would take the agent's own from it.
    withdrawn = !may
    rounds++
    const closing = may && !mayLookUp({ rounds, elapsed: 0, deadline: undefined }) ? lastLookUp : ''
    current = [
      ...current,
      toPrompt(content),
      {
        role: 'tool',
        content: toResults(
          ours,
          answers.map((text) => text + closing),
        ),
      },
    ]
    return 'again'
  }

  return {
    lookUp: async (input) => (await lookUps([input])).join(''),
    async send(send) {
      const made = await session.beforeModelCall(history, callNow())
      const result = await answerRefusals(
        session,
        { history, call },
        () => orWithout(made, send),
        (smaller) => orWithout(smaller, send),
      )
      door.learnBody(given, model, result)
      return result
    },
    async settle(content, metered) {
      await door.learnUsage(() => session, metered)
      return door.compactor.guard(
        () => settled(content),
        () => 'return',
        given.abortSignal,
      )
    },
  }
}
