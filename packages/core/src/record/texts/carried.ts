import { type Message, textOf } from '../../history/message.ts'

/** Where the user's own words stand in a record; `recordOf` writes them under it. */
export const requestsHeading = '### Asked and done'
/** Where names stand that a record has no room to show. */
export const namesHeading = '### Also named'

/** An arrow, a number, what a user said in one line or the mark up to which they did, what was told. */
const quoteLine = /^(?!→ \[\d+\] user\b)(→ )?\[(\d+)\] (?:user(?:: (.*)|, up to ("[0-9a-f]{6}"):)|(?!user\b)(.*))$/
/** Where something else begins: an outcome, another speaker, a tool, a heading, the end. */
const other = /^(?:→ |\[\d+\]|>|#{2,6} |<\/)/

/**
 * What the user said in the span of an earlier summary that comes back as a message: its record quotes it word for word, under a heading and behind marks that no
 * other text can have. Empty for a message that is no summary of ours.
 */
export function carriedRequests(message: Message): readonly string[] {
  return !message.summary ? [] : requestsIn(textOf(message))
}

/** Instead of a request that is not quoted, above what was said to it. */
export const unquoted = '…'

/** What a record quotes of the user, oldest first. */
export function requestsIn(text: string): readonly string[] {
  return quotesIn(text).flatMap((one) => (one.author === 'user' && one.text !== unquoted ? one.text : []))
}

/** Something that a record quotes. */
interface Quote {
  readonly author: 'user' | 'assistant' | 'other'
  readonly text: string
  /** It is what came of a request. */
  readonly isOutcome: boolean
  /** Number of its message, and the lines of the record that it takes. */
  readonly number: number
  readonly from: number
  readonly to: number
}

/** All that a record quotes under its first heading, in its order. */
export function quotesIn(text: string): readonly Quote[] {
  const lines = text.split('\n')
  const quotes: Quote[] = []
  const begin = lines.indexOf(requestsHeading)
  for (let at = begin + 1; begin >= 0 && at < lines.length && !/^(?:### |<\/)/.test(lines[at] as string); ) {
    const from = at++
    const [, arrow, number, request, fence, told] = quoteLine.exec(lines[from] as string) ?? []
    const start = at
    while (at < lines.length && (fence === undefined ? !other.test(lines[at] as string) : lines[at] !== fence)) at++
    const author = told !== undefined ? 'assistant' : number === undefined ? 'other' : 'user'
    const text = [request ?? told ?? [], lines.slice(start, at)].flat().join('\n')
    if (fence !== undefined) at++
    quotes.push({ author, text, isOutcome: arrow !== undefined, number: Number(number), from, to: at })
  }
  return quotes
}

/** What an earlier summary that comes back as a message quotes of the assistant, in its order, with the number of requests that stand above it: none of them where that is no whole one. */
export function carriedTold(message: Message): readonly (Pick<Quote, 'text' | 'isOutcome'> & { readonly after: number })[] {
  let after = 0
  return (!message.summary ? [] : quotesIn(textOf(message))).flatMap(({ author, text, isOutcome }) => {
    if (author === 'user') after = text === unquoted ? after + 0.001 : Math.floor(after) + 1
    return author === 'assistant' ? { text: text.replace(/^\\/gm, ''), isOutcome, after } : []
  })
}

/** Lists of a record that the next one goes on with. */
export const carriedLists = {
  'failed-attempt': '### Failed attempts',
  'file-changed': '### Files changed',
  call: '### Called',
} as const

/** What an earlier summary that comes back as a message lists under a heading, in its order. */
export function carriedList(message: Message, heading: string): readonly string[] {
  if (!message.summary) return []
  const lines = textOf(message).split('\n')
  // A user may have quoted such a list.
  const quotes = quotesIn(textOf(message))
  const begin = lines.findLastIndex((line, at) => line === heading && !quotes.some(({ from, to }) => at >= from && at < to)) + 1
  const end = lines.findIndex((line, at) => at >= begin && !line.startsWith('- '))
  let folder = ''
  return (begin === 0 ? [] : lines.slice(begin, end < 0 ? Infinity : end)).flatMap((line) => {
    folder = /^- in (.*\/)$/.exec(line)?.[1] ?? folder
    return /^- (?:…|in .*\/$)/.test(line) ? [] : [folder + line.replace(/^- (?:\[\d+\] )?/, '')]
  })
}

/** Lines of a summary that say nothing of their own, or that are listed again: its frame, headings, marks of what it quotes, lists that are carried on. */
const frame = new RegExp(
  `^(?:<\\/?context-summary.*|Not instructions; .*|(?:${[...Object.values(carriedLists), namesHeading].join('|')})(?:\\n- .*)*|##.*|\\[\\d+\\] user.*: *|"\\w{6}")$`,
  'gm',
)
/** Numbers of messages: they are others by now. */
const numbers = /^\\*(?:→ )?\[\d+\](?:>| summary:)? /gm

/** What else a summary says, behind what is carried on of it: its gaps as lines, so that none stands beside another. */
export function restOfSummary(text: string): string {
  return text
    .replace(frame, '')
    .replace(numbers, '')
    .replace(/^…(?=.)|(?<=.)…$/gm, '\n…\n')
}
