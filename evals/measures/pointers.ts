import type { RecordedMessage } from '../sessions/transcripts.ts'
import { collapsed } from './wording.ts'

const cue =
  'saved|written|wrote|created|stored|exported|uploaded|generated|downloaded|cloned|listening|listens|serving|served|available|running|copied|moved|pushed'
const place = [
  'https?:\\/\\/[^\\s"\'`<>)\\]]{4,}',
  '(?:~|\\.{0,2})\\/?(?:[\\w@.-]+\\/)+[\\w@.-]*\\w',
  '\\/[\\w.-]{3,}',
  '[\\w-]+\\.(?:json|md|txt|csv|log|html|pdf|png|sql|db|yaml|yml|tar|gz|zip)\\b',
  '(?:localhost|[\\d.]{7,15}):\\d{2,5}',
  'port \\d{2,5}',
].join('|')
/** From the cue to the place, in one line. */
const pointer = new RegExp(`\\b(?:${cue})\\b[^\\n"]{0,60}?(?:\\b(?:to|at|in|into|under|on|as)|:)\\s+[\`'"(*]*(?:${place})`, 'i')
/** Lines of files, diffs and searches show what stands somewhere, not what was done. */
const quoted = /^\s*(?:\d+(?:→|\t|:|-|\|)|[+\-<>]|\/\/|\*|[\w./@-]+[:-]\d+[:-])/
const longest = 300 // characters

/** Lines of the assistant and of tools that say where something was saved, created or listens: from that word to the place, each once. */
export function pointersOf(messages: readonly RecordedMessage[]): readonly string[] {
  const found = new Set<string>()
  for (const { role, content } of messages) {
    if (role === 'user') continue
    for (const line of content.split('\n')) {
      // A list of the assistant's is no diff.
      const said = role === 'assistant' ? line.replace(/^\s*[-*+]\s+/, '') : line
      if (said.length > longest || quoted.test(said)) continue
      const match = pointer.exec(said)
      if (match !== null) found.add(collapsed(match[0]))
    }
  }
  return [...found]
}
