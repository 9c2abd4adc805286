import type { Message } from '../../history/message.ts'
import { quotesIn } from '../../record/carried.ts'
import { numberOf, withGone } from '../../state/gone.ts'
import type { SummarizeInput } from './summarize-input.ts'

const nothing: Message = { role: 'assistant', parts: [] }
const saying = (role: 'user' | 'assistant', text: string): Message => ({ role, parts: [{ type: 'text', text }] })

/** A list of failures has no end: one that had to be cut to so few characters says too little to be carried on. */
const cutShort = /^- (?=.*…).{0,60}$/

/** With what the record so far quotes of messages that are not handed over any more in their places, under the numbers that they had. */
export function besideGone(input: SummarizeInput): SummarizeInput {
  const { gone, messages, plan, previous } = input
  if (gone === undefined || previous === undefined) return input
  const behind = (indices: readonly number[]): readonly number[] => indices.map((index) => numberOf(index, gone))
  const isGone = (number: number): boolean => number >= gone.after && number < gone.after + gone.count
  const atHand = new Set(behind(plan.represented))
  const said = new Map<number, Message>()
  const quotes = quotesIn(previous.record).filter(({ author, number }) => author !== 'other' && (isGone(number) || atHand.has(number)))
  for (const { author, text, number } of quotes) {
    if (isGone(number)) said.set(number, author === 'user' ? saying('user', text) : saying('assistant', text.replace(/^\\/gm, '')))
  }
  const all = [...withGone(messages, gone, (number) => said.get(number) ?? nothing)]
  // What else it says is a summary's, in a place of which nothing is quoted.
  const rest = previous.record.split('\n').filter((line, at) => !cutShort.test(line) && !quotes.some(({ from, to }) => from <= at && at < to))
  const free = all.indexOf(nothing)
  if (free >= 0) all[free] = { ...saying('user', rest.join('\n')), summary: { version: previous.version } }
  return {
    ...input,
    messages: all,
    plan: {
      ...plan,
      keep: behind(plan.keep),
      edits: plan.edits.map((edit) => ({ ...edit, index: numberOf(edit.index, gone) })),
      summarize: behind(plan.summarize),
      drop: behind(plan.drop),
      represented: [...said.keys(), ...(free < 0 ? [] : [free]), ...atHand],
    },
  }
}
