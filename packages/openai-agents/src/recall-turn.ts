import {
  answerRefusals,
  builtInEstimator,
  type CompactionReport,
  estimateMessage,
  fingerprint,
  isKeptElsewhere,
  type Message,
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
import { lastLookUp, noMoreLookUps, withLookUps } from '@precis/core/adapters'
import type { AgentItem } from '@precis/wire/openai-agents'
import type { Door } from './door.ts'
import { causeOf } from './first-content.ts'
import type { Reply, Request } from './model-call.ts'
import type { ModelName } from './model-name.ts'
import { withRounds } from './recall-memory.ts'
import { endOfStep, inputOf, isCall, isLookUp, resultsOf, withoutLookUps, withoutOurTool } from './reply-items.ts'
import { billOf } from './usage.ts'

export interface TurnOptions {
  readonly door: Door
  readonly name: ModelName
  readonly mode: RecallMode
  /** Name of the conversation; told apart by how it begins when undefined. */
  readonly session: string | undefined
}

/** One call of the SDK: one request, or up to two rounds of look-ups more. */
export interface Turn {
  /** Sends the next request: with a smaller context, or without our tool, while it is refused. */
  send<R>(send: (request: Request) => Promise<R>): Promise<R>
  /** What becomes of a reply: undefined when it only looked things up, and the next round follows; otherwise the reply to all of them. */
  settle<R extends Reply>(reply: R): Promise<R | undefined>
  /** What the beginning of a stream says of its model. */
  readonly learnName: ModelName['learn']
  /** What one look-up finds in the history behind the newest request. */
  lookUp(input: unknown): Promise<string>
}

/** A request as it went out. */
interface Sent {
  readonly request: Request
  readonly context: readonly AgentItem[]
  readonly report: CompactionReport
  readonly offered: boolean
}

/** Rounds that are kept under one name: those of conversations that never come back go with time. */
const mostRounds = 30

/** Names of what a model can call. Handoffs are functions to it. */
const functionsOf = ({ tools = [], handoffs = [] }: Request): readonly string[] => [
  ...tools.flatMap(({ type, name }) => (type === 'function' && name !== undefined ? [name] : [])),
  ...handoffs.flatMap(({ toolName }) => toolName ?? []),
]

/** Whether our name is the host's own in this call. */
export const isTaken = (request: Request): boolean => functionsOf(request).includes(recallTool.name)

export function createTurn(given: Request, { door, name, mode, session: named }: TurnOptions): Turn {
  const started = performance.now()
  const { codec, compactor, memory } = door
  const history = door.itemsOf(given)
  const session = door.sessionOf(history, named)
  const remembered = memory.of(session.id)
  const call = door.callOf(given, name)
  const served = (): string => `${name.endpoint} ${name.value}`
  const functions = functionsOf(given)
  const keptElsewhere = given.prompt !== undefined || isKeptElsewhere({ own: given.modelSettings?.providerData })
  const deadline = given.modelSettings?.timeoutMs
  const isObject = typeof given.outputType === 'object'
  /** Rounds of this call, what the agent is given of them, and what they were billed. */
  let current: readonly AgentItem[] = []
  let said: readonly AgentItem[] = []
  const usages: unknown[] = []
  const spent = { prompt: 0, reply: 0 }
  let [rounds, withdrawn] = [0, false]
  let receipt: RecallReceipt | undefined
  let sent: Sent | undefined

  const read = (items: readonly AgentItem[]): readonly Message[] => items.map((item) => codec.read(item))
  const tokensOf = (items: readonly AgentItem[]): Tokens => read(items).reduce((sum, message) => sum + estimateMessage(message, builtInEstimator), 0)

  const callNow = (): ModelCall => ({
    ...call,
    overhead: withLookUps(call.overhead, remembered, () => read(history), tokensOf(current)),
    ...(receipt !== undefined && { recall: receipt }),
  })

  const requestFor = ({ messages, report }: Prepared<AgentItem>, bare = false): Sent => {
    const compacted = report.checkpoint !== undefined
    const { offered: before } = remembered
    const refused = memory.refuses(served())
    const offered =
      !bare && !withdrawn && mode === 'on' && offersRecall(recallTool.name, { tools: functions, compacted, offered: before, refused, keptElsewhere })
    remembered.offered ||= offered
    let context = messages
    if (remembered.rounds.length > 0) {
      const whole = { items: history, messages: read(history) }
      const { shown, kept } = shownRounds(remembered.rounds, whole.messages, report.checkpoint)
      remembered.rounds = kept
      if (offered || withdrawn) context = withRounds(shown, whole, { items: messages, messages: read(messages) })
    }
    const items = bare ? context : [...context, ...current]
    const { name: tool, description, inputSchema } = recallTool
    const tools = offered ? [...(given.tools ?? []), { type: 'function', name: tool, description, parameters: inputSchema, strict: false }] : given.tools
    // What was asked as a text and needs nothing goes out as a text.
    const input = items.length === 1 && items[0] === history[0] ? given.input : items
    return { request: { ...given, input, ...(tools !== undefined && { tools }) }, context: messages, report, offered }
  }

  /** Once more without our tool, where the refusal may have been for its sake. */
  const orWithout = async <R>(made: Prepared<AgentItem>, send: (request: Request) => Promise<R>): Promise<R> => {
    spent.prompt += made.report.spent.prompt
    spent.reply += made.report.spent.reply
    sent = await compactor.guard(
      () => requestFor(made),
      () => ({ request: given, context: made.messages, report: made.report, offered: false }),
      given.signal,
    )
    try {
      return await send(sent.request)
    } catch (error) {
      const cause = causeOf(error)
      if (!sent.offered || !mayRefuseTool(cause)) throw error
      const bare = requestFor(made, true)
      const result = await send(bare.request)
      memory.refuse(served())
      sent = bare
      current = []
      return result
    }
  }

  const lookUps = async (inputs: readonly unknown[]): Promise<readonly string[]> => {
    if (sent === undefined) return inputs.map(() => '')
    const { context, report } = sent
    const found = await compactor.lookUp(session.id, { history, context, inputs, round: rounds + 1, tokens: report.tokens })
    receipt = found.receipt
    return found.answers
  }

  /** All rounds stand where the agent was given its part of them, until the next compaction. */
  const keep = (items: readonly AgentItem[]): void => {
    const tokens = Math.max(0, tokensOf(items) - tokensOf(said))
    const round = { ...roundPlace(read(history), sent?.report.checkpoint), given: said.length, said: fingerprint(read(said)), items, tokens }
    remembered.rounds = [...remembered.rounds.filter((one) => one.mark !== round.mark), round].slice(-mostRounds)
  }

  const settled = async (output: readonly AgentItem[]): Promise<'again' | 'return'> => {
    const { ours, next } = splitCalls(output.filter(isCall), (one) => mode === 'on' && isLookUp(one))
    const shown = mode === 'on' ? withoutLookUps(output) : output
    const before = said
    said = [...said, ...shown]
    // Without any tool in the request a call cannot be sent back.
    if (next === 'return' || sent === undefined || functions.length === 0 || keptElsewhere || withdrawn) {
      if (ours.length > 0 && !said.some(({ type, role }) => type === 'message' || role !== undefined) && !said.some(isCall)) said = [...said, endOfStep]
      if (rounds > 0) keep([...current, ...shown])
      return 'return'
    }
    const answer = (): Promise<readonly string[]> => lookUps(ours.map(inputOf))
    if (next === 'beside') {
      const lastCall = output.findLastIndex(isCall) + 1
      keep([...current, ...output.slice(0, lastCall), ...resultsOf(ours, await answer()), ...output.slice(lastCall)])
      return 'return'
    }
    const may = mayLookUp({ rounds, elapsed: performance.now() - started, deadline })
    const answers = may ? await answer() : ours.map(() => noMoreLookUps)
    // Who asks again all the same is not given the tool any more: another choice of tools would take the agent's own from it.
    withdrawn = !may
    rounds++
    const closing = may && !mayLookUp({ rounds, elapsed: 0 }) ? lastLookUp : ''
    const results = resultsOf(
      ours,
      answers.map((text) => text + closing),
    )
    current = [...current, ...output, ...results]
    // The SDK joins all texts of a reply; words before a look-up are no part of an object.
    if (isObject) said = [...before, ...shown.filter(({ type }) => type === 'hosted_tool_call')]
    return 'again'
  }

  return {
    learnName: name.learn,
    lookUp: async (input) => (await lookUps([input])).join(''),
    async send(send) {
      const made = await session.beforeModelCall(history, callNow())
      return answerRefusals(
        session,
        { history, call },
        () => orWithout(made, send),
        (smaller) => orWithout(smaller, send),
      )
    },
    async settle(reply) {
      name.learn(reply)
      await door.learnUsage(session, reply)
      usages.push(reply.usage)
      const { output = [] } = reply
      const before = said
      const next = await compactor.guard(
        () => settled(output),
        () => {
          said = [...before, ...(mode === 'on' ? withoutLookUps(output) : output)]
          return 'return' as const
        },
        given.signal,
      )
      if (next === 'again') return undefined
      const usage = billOf(usages, spent)
      const unchanged = said.length === output.length && said.every((item, at) => item === output[at])
      const providerData = mode === 'on' ? withoutOurTool(reply.providerData) : reply.providerData
      if (unchanged && usage === reply.usage && providerData === reply.providerData) return reply
      return { ...reply, output: unchanged ? output : said, usage, ...(providerData !== undefined && { providerData }) }
    },
  }
}
