import type { RecordedMessage } from '../sessions/transcripts.ts'
import { collapsed } from './wording.ts'

/** What a host writes in the user's name: commands, their output, notices. */
const host = /^(?:\/[a-z][\w:-]*$|<([a-z][\w-]*)>[\s\S]*<\/[a-z][\w-]*>$|\[[A-Z][^\]\n]*\]$|Caveat: The messages below)/
/** What is longer was pasted. */
const longest = 2_000 // characters

/** What the user said, each request once: the words of a person, as far as code can tell. */
export function requestsOf(messages: readonly RecordedMessage[]): readonly string[] {
  const said = messages.flatMap(({ role, content }) => (role === 'user' ? [content.trim()] : []))
  return [...new Set(said.filter((text) => text !== '' && text.length <= longest && !host.test(text)).map(collapsed))]
}
