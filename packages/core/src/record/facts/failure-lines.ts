import { failureWords } from '../names/names.ts'
import { clip, withEnds } from '../texts/truncate.ts'

/** Lines that report a failure: short enough to be a message, with a word that says so. Length in characters. */
export function isErrorLine(line: string): boolean {
  return line.length >= 12 && line.length <= 300 && failure.test(line)
}

const failure = new RegExp(`\\b(?:${failureWords})\\b|Error\\b|✗|FAIL\\b`, 'i')

/** What stands in front of an error: a place in a file, a time, a level in brackets, the name of a tool. */
const position =
  '(?:[\\w./\\\\@-]+:\\d+(?::\\d+)?:?\\s+|[\\w./\\\\-]+\\(\\d+,\\d+\\):\\s+|\\[[^\\]\\n]{1,40}\\]\\s*|\\d{4}-\\d\\d-\\d\\d\\S*\\s+|(?!\\d+:)[\\w./-]{1,40}:\\s+|npm (?:ERR!|error)\\s+)'

/** Words that report a failure wherever they begin what is said, and those that need a colon, a code or a position to be one. */
const certain =
  '(?:FAIL(?:ED|URE)?\\b|-{3} FAIL|traceback \\(|no such file|permission denied|access denied|command not found|segmentation fault|✗|✖|×|E {2,}\\S|[\\w.]*[a-z](?:Error|Exception)(?::|$))'

const likely = "(?:error|fatal|panic|exception|failed|failure|uncaught|unhandled|cannot|can't|unable to|undefined)"

const reported = new RegExp(
  `^(?:${position}*(?:${certain}|${likely}(?:\\[\\w+\\])?(?: [A-Z]{1,5}\\d+)?:|(?:cannot|can't|unable to|uncaught|unhandled) \\w)|${position}+${likely}(?![\\w(.=]))`,
  'i',
)

/** Lines that are the report of a failure, by their beginning: what merely speaks of errors is none. Length in characters. */
export function reportsFailure(line: string): boolean {
  return line.length >= 12 && line.length <= 300 && reported.test(line)
}

/** `call → error` in so many characters: the beginning of the call and both ends of the error, which comes first. */
export function shortFailure(text: string, length: number): string {
  const arrow = text.indexOf(' → ')
  const room = Math.min(arrow, Math.max(8, length - text.length + arrow, Math.floor(length * 0.4)))
  return arrow < 0 ? clip(text, length) : clip(text.slice(0, arrow), room) + withEnds(text.slice(arrow), Math.max(8, length - room))
}
