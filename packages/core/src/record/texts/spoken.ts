import { isUserRequest, type Message, type Part, partText, textOf } from '../../history/message.ts'
import { begins, closing, joinedLead, whoSpeaks } from '../../history/summary-mark.ts'
import { carriedRequests, requestsHeading, requestsIn } from './carried.ts'

/** What a host writes in the user's name: commands, their output, notices. Elements and nothing around them, a command alone, or a note in brackets. */
const notSpoken = /^(?:<([a-z][\w-]*)>[\s\S]*<\/[a-z][\w-]*>|\/(?:[a-z][\w:-]*)?|\[[A-Z][^\]\n]*\])$/

/** What hosts say of the user: that they stopped what was being done, refused a call in words of their own, answered what it asked. */
const reported =
  /^(?:\[Request interrupted by user.*\]|<turn_aborted>|(?:The user (?:doesn't want to proceed|rejected permission|denied this operation).* (?:said|feedback):(?!\nThe user wants)|User has answered your questions)[\s\S]*)/
/** What is the same in each of these. */
const form = /^(The user doesn't want to proceed[^.]*\. ).*?(?=the user said:|$)/

/** Characters up to which what looks like a summary of ours and quotes nobody is the user's own. */
const shortBlock = 2_000

/** Whether a message holds words that the user said: commands such as `/clear`, their output and notices of the host are none. */
export function isSpoken(message: Message): boolean {
  return isUserRequest(message) && wordsOfUser(message).length > 0
}

/** What the user said in a message of theirs, or in the span of a summary that came back, oldest first. */
export function wordsFromUser(message: Message): readonly string[] {
  const own = isUserRequest(message) ? wordsOfUser(message) : []
  return own.length > 0 ? own : carriedRequests(message)
}

/** What a host says of the user in its message or in what a call returned; "" for all else. A tool may print the same, so that it is not taken for their words. */
export function reportIn(part: Part): string {
  return withoutForm(reported.exec(partText(part))?.[0] ?? '')
}

/** What a call returned that the user refused, without what is said each time. */
export function withoutForm(text: string): string {
  return text.replace(form, '$1… ')
}

/**
 * What the user says in a message of theirs, oldest first. One that holds a summary of ours as plain text (a handoff, what is asked behind it, a host that keeps no
 * metadata, one that they pasted, whole or cut off) is theirs as a whole, but most of it was said by others: what its record quotes of the user counts, and what stands around it.
 */
export function wordsOfUser(message: Message): readonly string[] {
  return wordsIn(textOf(message))
}

function wordsIn(text: string): readonly string[] {
  const said = text.trim()
  if (said === '' || said === joinedLead || notSpoken.test(said)) return []
  if (!text.includes(whoSpeaks)) return [text]
  const closes = text.indexOf(`\n${closing}`)
  const opens = text.lastIndexOf(begins, closes < 0 ? Infinity : closes)
  const start = opens < 0 ? text.lastIndexOf('\n', text.indexOf(whoSpeaks)) + 1 : opens
  const block = text.slice(start, closes < 0 ? Infinity : closes + closing.length + 1)
  const requests = requestsIn(block)
  if (requests.length === 0 && (closes < 0 || block.length <= shortBlock)) return [text]
  const end = start + (closes < 0 ? endOfRecord(block, requests) : block.length)
  return [...requests, ...wordsIn(text.slice(0, start).trim()), ...wordsIn(text.slice(end).trim())]
}

/** Where a record without an end ends: only what it quotes of the user has empty lines. */
function endOfRecord(text: string, requests: readonly string[]): number {
  const last = requests.at(-1) as string
  const empty = text.indexOf('\n\n', text.indexOf(last, text.indexOf(requestsHeading)) + last.length)
  return empty < 0 ? text.length : empty
}
