// What LangChain's own ways of keeping a history small send to the model, beside ours: ten histories, one window, the same ruler for all.
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { builtInEstimator, estimateMessage } from '@precis/core'
import { compactionMiddleware, messageCodec } from '@precis/langchain'
import { ClearToolUsesEdit, contextEditingMiddleware, createAgent, summarizationMiddleware } from 'langchain'

const window = 4_000
const tokensOf = (messages: readonly BaseMessage[]): number =>
  messages.reduce((sum, message) => sum + estimateMessage(messageCodec.read(message), builtInEstimator), 0)

/** A model that answers, and remembers what it was sent. */
class Recorder extends BaseChatModel {
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

const goal = 'The goal: migrate the ledger to version 7, ticket PRE-205. $& and $$5 stay as they are.'
const text = (tokens: number, seed = 'words'): string => Array.from({ length: Math.ceil(tokens / 2) }, (_, at) => `${seed}${at % 97}`).join(' ')
const call = (id: string, args: Record<string, unknown> = {}): AIMessage => new AIMessage({ content: '', tool_calls: [{ id, name: 'read', args }] })
const result = (id: string, output: string): ToolMessage => new ToolMessage({ content: output, tool_call_id: id, name: 'read' })
const steps = (count: number, tokens: number): BaseMessage[] =>
  Array.from({ length: count }, (_, at) => [call(`c${at}`), result(`c${at}`, text(tokens))]).flat()
const parallel = (turn: number, count: number, tokens: number): BaseMessage[] => [
  new AIMessage({ content: '', tool_calls: Array.from({ length: count }, (_, at) => ({ id: `p${turn}-${at}`, name: 'read', args: {} })) }),
  ...Array.from({ length: count }, (_, at) => result(`p${turn}-${at}`, text(tokens))),
]

const histories: Readonly<Record<string, readonly BaseMessage[]>> = {
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

/** Its types know more option shapes than a plain call can satisfy. */
const summarize = summarizationMiddleware as unknown as (options: { model: Recorder; trigger: { tokens: number }; keep: { messages: number } }) => unknown

type Subject = (messages: readonly BaseMessage[]) => Promise<BaseMessage[]>
const throughAgent = async (middleware: unknown, messages: readonly BaseMessage[]): Promise<BaseMessage[]> => {
  const model = new Recorder('ok')
  const agent = createAgent({ model, tools: [], middleware: [middleware] as never }) as unknown as { invoke(input: unknown, config: unknown): Promise<unknown> }
  await agent.invoke({ messages: [...messages] }, { recursionLimit: 50 })
  return model.seen.at(-1) ?? []
}
const counter = (messages: BaseMessage[]): number => tokensOf(messages)
const subjects: Readonly<Record<string, Subject>> = {
  'trimMessages(last)': (messages) => trimMessages([...messages], { maxTokens: window, tokenCounter: counter, strategy: 'last', includeSystem: true }),
  'trimMessages(last, startOn human)': (messages) =>
    trimMessages([...messages], { maxTokens: window, tokenCounter: counter, strategy: 'last', startOn: 'human', includeSystem: true }),
  contextEditingMiddleware: (messages) =>
    throughAgent(contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens: window * 0.75 } })] }), messages),
  summarizationMiddleware: (messages) =>
    throughAgent(summarize({ model: new Recorder('A summary of what was done.'), trigger: { tokens: window * 0.75 }, keep: { messages: 6 } }), messages),
  'summarizationMiddleware, model away': (messages) => {
    const away = new Recorder('')
    away._generate = async () => Promise.reject(new Error('503 upstream'))
    return throughAgent(summarize({ model: away, trigger: { tokens: window * 0.75 }, keep: { messages: 6 } }), messages)
  },
  'Précis, no model': (messages) => throughAgent(compactionMiddleware({ limits: { contextWindow: window, maxInput: window } }), messages),
}

/** What a provider would refuse: orphans, unanswered calls, a beginning that is not a human's, nothing at all. */
function violations(messages: readonly BaseMessage[]): number {
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

const rows: Record<string, string>[] = []
let failed = false
for (const [name, subject] of Object.entries(subjects)) {
  const row: Record<string, string> = { subject: name }
  const totals = { valid: 0, within: 0, goal: 0 }
  for (const [title, history] of Object.entries(histories)) {
    const sent = await subject(history).catch((error: unknown) => error as Error)
    if (sent instanceof Error) {
      row[title] = 'threw'
      continue
    }
    const [broken, tokens] = [violations(sent), tokensOf(sent)]
    const keepsGoal = sent.some((message) => message.text.includes('migrate the ledger to version 7, ticket PRE-205'))
    totals.valid += Number(broken === 0)
    totals.within += Number(tokens <= window)
    totals.goal += Number(keepsGoal)
    row[title] = `${tokens}${tokens > window ? ' OVER' : ''}${broken > 0 ? ` ${broken} invalid` : ''}${keepsGoal ? '' : ', goal gone'}`
  }
  const count = Object.keys(histories).length
  rows.push({
    subject: name,
    valid: `${totals.valid}/${count}`,
    'within the window': `${totals.within}/${count}`,
    'goal verbatim': `${totals.goal}/${count}`,
    ...row,
  })
  if (name.startsWith('Précis') && (totals.valid < count || totals.within < count || totals.goal < count)) failed = true
}
console.log(
  `Ten histories, a window of ${window} tokens, one ruler for all. The summariser of summarizationMiddleware answers one fixed sentence; Précis has no model here.`,
)
console.table(rows, ['subject', 'valid', 'within the window', 'goal verbatim'])
for (const { subject, valid: _valid, 'within the window': _within, 'goal verbatim': _goal, ...cells } of rows) {
  console.log(`\n${subject}`)
  for (const [title, cell] of Object.entries(cells)) console.log(`  ${title.padEnd(34)} ${cell}`)
}
if (failed && process.argv.includes('--gate')) process.exit(1)
