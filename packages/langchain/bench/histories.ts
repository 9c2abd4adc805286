import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { builtInEstimator, estimateMessage } from '@precis/core'
import { messageCodec } from '@precis/langchain'

/** Tokens that every subject is given, and the one ruler for all. */
export const window = 4_000
export const tokensOf = (messages: readonly BaseMessage[]): number =>
  messages.reduce((sum, message) => sum + estimateMessage(messageCodec.read(message), builtInEstimator), 0)

/** A model that answers, and remembers what it was sent. */
export class Recorder extends BaseChatModel {
  readonly seen: BaseMessage[][] = []
  readonly answer: string
  constructor(answer: string) {
    super({})
    this.answer = answer
  }
  override _llmType(): string {
    return 'recorder'
  }
  override bindTools(): this {
    return this
  }
  override async _generate(messages: BaseMessage[], _options: this['ParsedCallOptions'], _run?: CallbackManagerForLLMRun): Promise<ChatResult> {
    this.seen.push(messages)
    return { generations: [{ text: this.answer, message: new AIMessage(this.answer) }] }
  }
}

/** What must still stand word for word in whatever is sent. */
export const goal = 'The goal: migrate the ledger to version 7, ticket PRE-205. $& and $$5 stay as they are.'
const text = (tokens: number, seed = 'words'): string => Array.from({ length: Math.ceil(tokens / 2) }, (_, at) => `${seed}${at % 97}`).join(' ')
const call = (id: string, args: Record<string, unknown> = {}): AIMessage => new AIMessage({ content: '', tool_calls: [{ id, name: 'read', args }] })
const result = (id: string, output: string): ToolMessage => new ToolMessage({ content: output, tool_call_id: id, name: 'read' })
const steps = (count: number, tokens: number): BaseMessage[] =>
  Array.from({ length: count }, (_, at) => [call(`c${at}`), result(`c${at}`, text(tokens))]).flat()
const parallel = (turn: number, count: number, tokens: number): BaseMessage[] => [
  new AIMessage({ content: '', tool_calls: Array.from({ length: count }, (_, at) => ({ id: `p${turn}-${at}`, name: 'read', args: {} })) }),
  ...Array.from({ length: count }, (_, at) => result(`p${turn}-${at}`, text(tokens))),
]

/** Ten shapes of history that break somebody. */
export const histories: Readonly<Record<string, readonly BaseMessage[]>> = {
  'long, single tools': [new HumanMessage(goal), ...steps(40, 400), new HumanMessage('Go on.')],
  'parallel tools': [new HumanMessage(goal), ...Array.from({ length: 12 }, (_, turn) => parallel(turn, 5, 220)).flat(), new HumanMessage('Go on.')],
  'one fat parallel turn': [new HumanMessage(goal), ...parallel(0, 25, 420)],
  'humans between calls and results': [
    new HumanMessage(goal),
    ...Array.from({ length: 15 }, (_, at) => [call(`i${at}`), new HumanMessage(`wait, ${at}`), result(`i${at}`, text(300))]).flat(),
    new HumanMessage('Go on.'),
  ],
  'huge last tool': [new HumanMessage(goal), ...steps(10, 100), call('huge'), result('huge', text(20_000))],
  'system in the state': [new SystemMessage(`Rules. ${text(300)}`), new HumanMessage(goal), ...steps(20, 400), new HumanMessage('Go on.')],
  images: [
    new HumanMessage(goal),
    ...Array.from({ length: 12 }, () => [
      new HumanMessage({ content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4_000)}` } }] }),
      new AIMessage('seen'),
    ]).flat(),
    new HumanMessage('Go on.'),
  ],
  'dollars in texts': [
    new HumanMessage(goal),
    ...Array.from({ length: 30 }, (_, at) => [new AIMessage(`replace $& by $$${at} and $' ${text(150)}`), new HumanMessage(`next ${at}`)]).flat(),
  ],
  'arguments dominate': [
    new HumanMessage(goal),
    ...Array.from({ length: 15 }, (_, at) => [call(`w${at}`, { path: `f${at}`, content: text(500) }), result(`w${at}`, 'ok')]).flat(),
    new HumanMessage('Go on.'),
  ],
  'only talk': [new HumanMessage(goal), ...Array.from({ length: 30 }, () => [new AIMessage(text(200)), new HumanMessage(text(100))]).flat()],
}

/** What a provider would refuse: orphans, unanswered calls, a beginning that is not a human's, nothing at all. */
export function violations(messages: readonly BaseMessage[]): number {
  let found = 0
  let open = new Set<string>()
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) {
      if (!open.delete(message.tool_call_id)) found++
      continue
    }
    if (open.size > 0) found++
    open = new Set(AIMessage.isInstance(message) ? (message.tool_calls ?? []).map((one) => one.id ?? '') : [])
  }
  const first = messages.find((message) => message.getType() !== 'system')
  return found + (open.size > 0 ? 1 : 0) + (first === undefined || first.getType() !== 'human' ? 1 : 0)
}
