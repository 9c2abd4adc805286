import { isUserRequest, type Message, textOf } from '../history/message.ts'
import { joinedLead, whoSpeaks } from '../history/summary-mark.ts'
import { requestsIn } from './carried.ts'

/** What a host writes in the user's name: commands, their output, notices. Elements and nothing around them, a command alone, or a note in brackets. */
const notSpoken = /^(?:<([a-z][\w-]*)>[\s\S]*<\/[a-z][\w-]*>|\/[a-z][\w:-]*|\[[A-Z][^\]\n]*\])$/

/** A summary of ours: within it, tags like its own are spelled otherwise. */
const summaryBlock = /<context-summary version="\d{1,9}">\n[\s\S]*?\n<\/context-summary>/

/** Characters up to which what looks like a summary of ours and quotes nobody is the user's own. */
const shortBlock = 2_000

/** Whether a message holds words that the user said: commands such as `/clear`, their output and notices of the host are none. */
export function isSpoken(message: Message): boolean {
  return isUserRequest(message) && wordsOfUser(message).length > 0
}

/**
 * What the user says in a message of theirs, oldest first. One that holds a summary of ours as plain text (a handoff, what is asked behind it, a host that keeps no
 * metadata) is theirs as a whole, but most of it was said by others: what its record quotes of the user counts, and what stands around it.
 */
export function wordsOfUser(message: Message): readonly string[] {
  const text = textOf(message)
  const said = text.trim()
  if (said === '' || notSpoken.test(said)) return []
  if (!text.includes(whoSpeaks)) return [text]
  const requests = requestsIn(text)
  const [block = ''] = summaryBlock.exec(text) ?? []
  if (requests.length === 0 && block.length <= shortBlock) return [text]
  const around =
    block === ''
      ? ''
      : text
          .replace(block, () => '')
          .replace(joinedLead, '')
          .trim()
  return around === '' ? requests : [...requests, around]
}
