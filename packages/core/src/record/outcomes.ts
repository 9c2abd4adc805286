import { callIn, pairToolCalls, resultIn } from '../history/groups.ts'
import { memoized } from '../history/memoize.ts'
import type { Message, ToolResultPart } from '../history/message.ts'
import type { Pieces } from '../history/pieces.ts'
import { commandOf, parseInput } from './call-input.ts'
import { isErrorLine, reportsFailure } from './failure-lines.ts'
import { oneLine } from './truncate.ts'

/** How a call ended. */
interface Outcome {
  readonly input: ReturnType<typeof parseInput>
  readonly failed: boolean
  readonly error: string
  /** How a command ended, in words to stand behind it. */
  readonly result: string
}

/** Commands that show what is there: a line of theirs about tests or errors is no result. */
const shows = /^(?:cat|echo|edit|find|gh pr|git (?:diff|grep|log|show|status)|grep|head|ls|rg|sed|tail)\b/
/** A line in which a run of tests, a build or the like says how it ended, and one that says that it failed, which comes first. */
const ended = /\b\d+ (?:tests?|passed|passing|errors?|problems?)\b|\b(?:PASS|passed|no issues|success\w*|succeeded)\b|^ok\b|Found \d/
const failedAtEnd = /\bFAIL.{6}|\b[1-9]\d* (?:fail|error)/
/** Characters at the end of an output that are looked at, and of a line. */
const longestRead = 4_000
const longestResult = 160

/** What an output says of how its command ended: a line of its last ones, or its only one. */
function resultOf(command: string, result: ToolResultPart): string {
  const whole = result.output.trim()
  if (whole.length <= longestResult && !/\n|^\(?no output/i.test(whole) && !command.includes(whole)) return whole
  if (shows.test(command)) return ''
  const lines = result.output
    .slice(-longestRead)
    .split('\n')
    .map((line) => line.trim())
    .filter(({ length }) => length <= longestResult)
  return lines.findLast((line) => failedAtEnd.test(line)) ?? lines.findLast((line) => ended.test(line)) ?? failuresIn(result).at(-1) ?? ''
}

/** What is run with a command and changes nothing of how it ends. */
const around = /^cd [^&;|]+&&|2>&1|\| *(?:tail|head)\b[^|;&]*/g

/** How each call ended, and the command that it ran (by its id). */
export function* outcomesOf(
  span: readonly Message[],
): Pieces<{ readonly outcomes: ReadonlyMap<object, Outcome>; readonly commands: ReadonlyMap<string, string> }> {
  const outcomes = new Map<object, Outcome>()
  const commands = new Map<string, string>()
  for (const pair of pairToolCalls(span).pairs) {
    yield
    if (pair.result === undefined) continue
    const call = callIn(span[pair.call], pair.callId)
    const result = resultIn(span[pair.result], pair.callId)
    if (call === undefined || result === undefined) continue
    const input = parseInput(call.input)
    const run = commandOf(input).replace(around, '').trim()
    if (run !== '') commands.set(pair.callId, run)
    const exit = /(?:exit(?:ed)?(?: with)?(?: code| status)?|returncode)[ :=]+([1-9]\d{0,2})\b/i.test(result.output.slice(-400))
    const failed = result.isError === true || exit
    const line = failed ? (result.output.split('\n').find((text) => isErrorLine(text.trim())) ?? result.output.trim()) : ''
    const said = failed || run === '' ? '' : resultOf(run, result)
    outcomes.set(call, { input, failed, error: oneLine(line, 200), result: failed ? ' (failed)' : said && ` → ${said}` })
  }
  return { outcomes, commands }
}

const known = new WeakMap<ToolResultPart, readonly string[]>()

/** Lines of an output that report a failure, remembered with it. */
export function failuresIn(part: ToolResultPart): readonly string[] {
  return memoized(known, part, () => {
    const lines = part.output.split('\n', 2_000).map((line) => line.trim())
    return lines.filter((line) => line.length <= 160 && reportsFailure(line))
  })
}
