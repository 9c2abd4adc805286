import type { Message } from '../../../history/message.ts'
import { quotesIn, requestsHeading, unquoted } from '../../../record/texts/carried.ts'
import { numberOf, withGone } from '../../../state/gone.ts'
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
  const lines = previous.record.split('\n')
  const asSummary = (quoted: readonly string[]): Message => ({ ...saying('user', quoted.join('\n')), summary: { version: previous.version } })
  const quotes = quotesIn(previous.record).filter(({ author, number }) => author !== 'other' && (isGone(number) || atHand.has(number)))
  const said = new Map<number, Message>()
  const telling = quotes.filter(({ text, number }) => isGone(number) && text !== unquoted)
  for (const { author, text, number } of telling) {
    // One that quotes an earlier summary says several things.
    const own = telling.filter((one) => one.number === number)
    if (own.length > 1) said.set(number, asSummary([requestsHeading, ...own.flatMap(({ from, to }) => lines.slice(from, to))]))
    else said.set(number, author === 'user' ? saying('user', text) : saying('assistant', text.replace(/^\\/gm, '')))
  }
  const all = [...withGone(messages, gone, (number) => said.get(number) ?? nothing)]
  // What else it says is a summary's, in a place of which nothing is quoted.
  const rest = lines.filter((line, at) => !cutShort.test(line) && !quotes.some(({ from, to }) => from <= at && at < to))
  const free = all.indexOf(nothing)
  if (free >= 0) all[free] = asSummary(rest)
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
