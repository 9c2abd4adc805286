// What LangChain's own ways of keeping a history small send to the model, beside ours: ten histories, one window, the same ruler for all.
import { type BaseMessage, trimMessages } from '@langchain/core/messages'
import { compactionMiddleware } from '@precis/langchain'
import { ClearToolUsesEdit, contextEditingMiddleware, createAgent, summarizationMiddleware } from 'langchain'
import { goal, histories, Recorder, tokensOf, violations, window } from './histories.ts'

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
    const keepsGoal = sent.some((message) => message.text.includes(goal))
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
  `Ten histories, a window of ${window} tokens, one ruler for all. The summarizer of summarizationMiddleware answers one fixed sentence; Précis has no model here.`,
)
console.table(rows, ['subject', 'valid', 'within the window', 'goal verbatim'])
for (const { subject, valid: _valid, 'within the window': _within, 'goal verbatim': _goal, ...cells } of rows) {
  console.log(`\n${subject}`)
  for (const [title, cell] of Object.entries(cells)) console.log(`  ${title.padEnd(34)} ${cell}`)
}
if (failed && process.argv.includes('--gate')) process.exit(1)
