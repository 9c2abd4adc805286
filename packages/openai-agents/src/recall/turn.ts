import { answerRefusals, type CompactionReport, fingerprint, type Message, type Prepared, type RecallOption, recallTool } from '@precis/core'
import { bothSpent, causeOf, createLookUpTurn, isKeptElsewhere, recallUnder, recovering } from '@precis/core/adapters'
import type { AgentItem } from '@precis/wire/openai-agents'
import type { Door } from '../door.ts'
import { noteKept } from '../layers.ts'
import type { Reply, Request } from '../model-call.ts'
import type { ModelName } from '../model-name.ts'
import { billOf } from '../usage.ts'
import { type KeptRounds, withRounds } from './memory.ts'
import { endOfStep, inOneReply, inputOf, isCall, isLookUp, resultsOf, withoutLookUps, withoutOurTool } from './reply-items.ts'

export interface TurnOptions {
  readonly door: Door
  readonly name: ModelName
  readonly recall: RecallOption | undefined
  /** Name of the conversation; told apart by how it begins when undefined. */
  readonly session: string | undefined
}

/** One call of the SDK: one request, or up to two rounds of look-ups more. */
export interface Turn {
  /** Calls of our tool are answered here. */
  readonly intercepts: boolean
  /** Sends the next request: with a smaller context, or without our tool, while it is refused. */
  send<R>(send: (request: Request) => Promise<R>): Promise<R>
  /** What becomes of a reply: undefined when it only looked things up, and the next round follows; otherwise the reply to all of them. */
  settle<R extends Reply>(reply: R): Promise<R | undefined>
  /** The call is over, whatever came of it. */
  end(): void
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

/** Names of what a model can call. Handoffs are functions to it. */
const functionsOf = ({ tools = [], handoffs = [] }: Request): readonly string[] => [
  ...tools.flatMap(({ type, name }) => (type === 'function' && name !== undefined ? [name] : [])),
  ...handoffs.flatMap(({ toolName }) => toolName ?? []),
]

export function createTurn(given: Request, { door, name, recall, session: named }: TurnOptions): Turn {
  const { codec, compactor, memory } = door
  const history = door.itemsOf(given)
  const session = door.sessionOf(history, named)
  const call = door.callOf(given, name)
  const turn = createLookUpTurn<AgentItem, KeptRounds, Sent>({
    compactor,
    codec,
    memory: recallUnder(memory, given.systemInstructions),
    session,
    history,
    tools: functionsOf(given),
    model: () => `${name.endpoint} ${name.value}`,
    recall,
    keptElsewhere: given.prompt !== undefined || isKeptElsewhere({ own: given.modelSettings?.providerData }),
    deadline: given.modelSettings?.timeoutMs,
    messagesOf: ({ items }) => items,
    userMessage: (text) => ({ type: 'message', role: 'user', content: text }),
  })
  const { intercepts } = turn
  const isObject = typeof given.outputType === 'object'
  /** What the agent is given of this call, and what its rounds were billed. */
  let said: readonly AgentItem[] = []
  let spoken: readonly (readonly AgentItem[])[] = []
  let newest: CompactionReport | undefined
  const { usages, spent: before } = door.takeUnbilled(session)
  let spent = before
  let isBilled = false

  const read = (item: AgentItem): Message => codec.read(item)
  // What was asked as a text and needs nothing goes out as a text.
  const inputFor = (items: readonly AgentItem[]) => (items.length === 1 && items[0] === history[0] ? given.input : items)

  const requestFor = ({ messages, report }: Prepared<AgentItem>): Sent => {
    const offered = turn.offers(report)
    const rounds = turn.shown(report)
    const shown = rounds.length > 0 && (offered || turn.withdrawn())
    const context = shown ? withRounds(rounds, history, messages, read) : messages
    const { name: tool, description, inputSchema } = recallTool
    const tools = offered ? [...(given.tools ?? []), { type: 'function', name: tool, description, parameters: inputSchema, strict: false }] : given.tools
    const input = inputFor([...turn.withPassages(context, report), ...turn.current()])
    return { request: { ...given, input, ...(tools !== undefined && { tools }) }, context: messages, report, offered }
  }

  const sendMade = async <R>(made: Prepared<AgentItem>, send: (request: Request) => Promise<R>): Promise<R> => {
    const { messages: context, report } = made
    newest = report
    spent = bothSpent(spent, report.spent)
    const sent = await compactor.guard(
      () => requestFor(made),
      () => ({ request: given, context, report, offered: false }),
      given.signal,
    )
    const bare = (): Sent => ({ request: { ...given, input: inputFor(context) }, context, report, offered: false })
    return turn.send(sent, bare, ({ request }) => send(request), causeOf)
  }

  /** All rounds stand where the agent was given its part of them, until the next compaction. */
  const keep = (items: readonly AgentItem[]): void => {
    const tokens = Math.max(0, turn.tokensOf(items) - turn.tokensOf(said))
    turn.keep((place) => ({ ...place, given: said.length, said: fingerprint(said.map(read)), items, tokens }))
  }

  const settled = async (output: readonly AgentItem[]): Promise<'again' | 'return'> => {
    const shown = intercepts ? withoutLookUps(output) : output
    const before = said
    said = [...said, ...shown]
    const { next, ours, answers } = await turn.settle({
      calls: output.filter(isCall),
      isOurs: isLookUp,
      inputOf,
      roundOf: (asked, found) => [...output, ...resultsOf(asked, found)],
    })
    // The SDK joins all texts of a reply; words before a look-up are no part of an object.
    if (next === 'again' && isObject) said = [...before, ...shown.filter(({ type }) => type === 'hosted_tool_call')]
    spoken = [...spoken, said.slice(before.length)]
    if (next === 'again') return next
    said = inOneReply(spoken)
    const current = turn.current()
    if (next === 'beside') {
      keep([...current, ...output, ...resultsOf(ours, answers)])
      return 'return'
    }
    if (ours.length > 0 && !said.some(({ type, role }) => type === 'message' || role !== undefined) && !said.some(isCall)) said = [...said, endOfStep]
    if (current.length > 0) keep([...current, ...shown])
    return 'return'
  }

  return {
    intercepts,
    learnName: name.learn,
    lookUp: async (input) => (await turn.lookUp([input])).join(''),
    async send(send) {
      const made = await turn.prepare(session, call)
      noteKept(['filter', 'view'], history, codec, made.report)
      return answerRefusals(
        recovering(session, turn),
        { history, call },
        () => sendMade(made, send),
        async (smaller) => sendMade(await turn.prepare(session, call, smaller), send),
      )
    },
    // The SDK may try a call again that failed: what it was billed stands on the bill of the next.
    end: () => {
      if (!isBilled) door.leaveUnbilled(session, { usages, spent })
    },
    async settle(reply) {
      name.learn(reply)
      await door.learnUsage(session, reply, newest)
      usages.push(reply.usage)
      const { output = [] } = reply
      const before = said
      const next = await compactor.guard(
        () => settled(output),
        () => {
          said = [...before, ...(intercepts ? withoutLookUps(output) : output)]
          return 'return' as const
        },
        given.signal,
      )
      if (next === 'again') return undefined
      const usage = billOf(usages, spent)
      isBilled = true
      const unchanged = said.length === output.length && said.every((item, at) => item === output[at])
      const providerData = intercepts ? withoutOurTool(reply.providerData) : reply.providerData
      if (unchanged && usage === reply.usage && providerData === reply.providerData) return reply
      return { ...reply, output: unchanged ? output : said, usage, ...(providerData !== undefined && { providerData }) }
    },
  }
}
