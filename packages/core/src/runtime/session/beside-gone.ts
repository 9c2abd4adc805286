import type { Message } from '../../history/message.ts'
import { quotesIn } from '../../record/carried.ts'
import type { SummarizeInput } from './summarize-input.ts'

const nothing: Message = { role: 'assistant', parts: [] }
const saying = (role: 'user' | 'assistant', text: string): Message => ({ role, parts: [{ type: 'text', text }] })

/** A list of failures has no end: one that had to be cut to so few characters says too little to be carried on. */
const cutShort = /^- (?=.*…).{0,60}$/

/** With what the record so far quotes of messages that are not handed over any more in their places, under the numbers that they had. */
export function besideGone(input: SummarizeInput): SummarizeInput {
  const { gone, messages, plan, previous } = input
  if (gone === undefined || previous === undefined) return input
  const { after, count } = gone
  const numberOf = (index: number): number => (index < after ? index : index + count)
  const isGone = (number: number): boolean => number >= after && number < after + count
  const atHand = new Set(plan.represented.map(numberOf))
  const said = new Map<number, Message>()
  const quotes = quotesIn(previous.record).filter(({ author, number }) => author !== 'other' && (isGone(number) || atHand.has(number)))
  for (const { author, text, number } of quotes) {
    if (isGone(number)) said.set(number, author === 'user' ? saying('user', text) : saying('assistant', text.replace(/^\\/gm, '')))
  }
  const all = [...messages.slice(0, after), ...Array.from({ length: count }, (_, at) => said.get(after + at) ?? nothing), ...messages.slice(after)]
  // What else it says is a summary's, in a place of which nothing is quoted.
  const rest = previous.record.split('\n').filter((line, at) => !cutShort.test(line) && !quotes.some(({ from, to }) => from <= at && at < to))
  const free = all.indexOf(nothing)
  if (free >= 0) all[free] = { ...saying('user', rest.join('\n')), summary: { version: previous.version } }
  return {
    ...input,
    messages: all,
    plan: {
      ...plan,
      keep: plan.keep.map(numberOf),
      edits: plan.edits.map((edit) => ({ ...edit, index: numberOf(edit.index) })),
      summarize: plan.summarize.map(numberOf),
      drop: plan.drop.map(numberOf),
      represented: [...said.keys(), ...(free < 0 ? [] : [free]), ...atHand],
    },
  }
}
