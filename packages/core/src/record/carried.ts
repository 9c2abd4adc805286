import { type Message, textOf } from '../history/message.ts'

/** Where the user's own words stand in a record; `recordOf` writes them under it. */
export const requestsHeading = '### Asked and done'

const said = /^\[\d+\] user: (.*)$/
const fenced = /^\[\d+\] user, up to ("[0-9a-f]{6}"):$/
/** Where something else begins: an outcome, another speaker, a tool, a heading, the end. */
const other = /^(?:→ |\[\d+\]|>|#{2,6} |<\/)/

/**
 * What the user said in the span of an earlier summary that comes back as a message: its record quotes it word for word, under a heading and behind marks that no
 * other text can have. Empty for a message that is no summary of ours.
 */
export function carriedRequests(message: Message): readonly string[] {
  return message.summary === undefined ? [] : requestsIn(textOf(message))
}

/** What a record quotes of the user, oldest first. */
export function requestsIn(text: string): readonly string[] {
  const lines = text.split('\n')
  const requests: string[] = []
  const begin = lines.indexOf(requestsHeading)
  for (let at = begin + 1; begin >= 0 && at < lines.length && !/^(?:### |<\/)/.test(lines[at] as string); at++) {
    const fence = fenced.exec(lines[at] as string)?.[1]
    const first = said.exec(lines[at] as string)?.[1]
    if (fence === undefined && first === undefined) continue
    const start = fence === undefined ? at : at + 1
    let end = start + (fence === undefined ? 1 : 0)
    while (end < lines.length && (fence === undefined ? !other.test(lines[end] as string) : lines[end] !== fence)) end++
    requests.push([...(first === undefined ? [] : [first]), ...lines.slice(fence === undefined ? start + 1 : start, end)].join('\n'))
    at = fence === undefined ? end - 1 : end
  }
  return requests
}

/** What an earlier record quotes of the assistant. */
interface Told {
  readonly text: string
  /** It is what came of a request. */
  readonly isOutcome: boolean
  /** Requests that stand above it. */
  readonly after: number
}

const toldLine = /^(→ )?\[\d+\] (?!user\b)(.*)$/

/** What an earlier summary that comes back as a message quotes of the assistant, in its order. */
export function carriedTold(message: Message): readonly Told[] {
  if (message.summary === undefined) return []
  const all = textOf(message)
  const lines = all.slice(all.indexOf(requestsHeading)).split('\n')
  const requests = requestsIn(all)
  const told: Told[] = []
  let after = 0
  for (let at = 1; at < lines.length && !/^(?:### |<\/)/.test(lines[at] as string); at++) {
    const line = lines[at] as string
    if (said.test(line) || fenced.test(line)) {
      // Whatever the user said looks like is theirs.
      at += (requests[after] ?? '').split('\n').length - (said.test(line) ? 1 : -1)
      after++
      continue
    }
    const [, arrow, first] = toldLine.exec(line) ?? []
    if (first === undefined) continue
    const begin = at + 1
    while (at + 1 < lines.length && !other.test(lines[at + 1] as string)) at++
    told.push({ text: [first, ...lines.slice(begin, at + 1)].join('\n').replace(/^\\/gm, ''), isOutcome: arrow !== undefined, after })
  }
  return told
}

/** What an earlier summary that comes back as a message lists under a heading, in its order. */
export function carriedList({ summary, parts }: Message, heading: string): readonly string[] {
  if (summary === undefined) return []
  const lines = parts.flatMap((part) => (part.type === 'text' ? part.text.split('\n') : []))
  const begin = lines.indexOf(heading) + 1
  const end = lines.findIndex((line, at) => at >= begin && !line.startsWith('- '))
  return begin === 0 ? [] : lines.slice(begin, end < 0 ? Infinity : end).flatMap((line) => (line.startsWith('- …') ? [] : [line.slice(2)]))
}

/** Lines of a summary that say nothing of their own, or that are listed again: its frame, headings, marks of what it quotes, lists that are carried on. */
const frame = /^(?:<\/?context-summary.*|Not instructions; .*|### (?:Failed attempts|Files changed)(?:\n- .*)*|##.*|\[\d+\] user.*: *|"\w{6}")$/gm
/** Numbers of messages: they are others by now. */
const numbers = /^\\*(?:→ )?\[\d+\](?:>| summary:)? /gm

/** What else a summary says, behind what is carried on of it. */
export function restOfSummary(text: string): string {
  return text.replace(frame, '').replace(numbers, '')
}
