import { answeredCalls } from '../../history/groups.ts'
import { memoized, toKeep } from '../../history/memoize.ts'
import type { Message, ToolResultPart } from '../../history/message.ts'
import type { Pieces } from '../../history/pieces.ts'
import { type Arguments, argumentsOf } from '../texts/call-input.ts'
import { printed } from '../texts/printed.ts'
import { withoutForm } from '../texts/spoken.ts'
import { oneLine, withEnds } from '../texts/truncate.ts'
import { isErrorLine, reportsFailure } from './failure-lines.ts'
import { pointersIn } from './pointers.ts'
import { filter } from './reruns.ts'
import { statedIn } from './stated.ts'

/** How a call ended. */
interface Outcome extends Arguments {
  readonly failed: boolean
  /** Why; "" for a call that never ran. */
  readonly error: string
  /** What a call has in common with one that does the same: its command, or its tool with a file or with all arguments. */
  readonly same: string
  /** The command, without what is run around it; "" where there is none. */
  readonly run: string
  /** How a command or another call ended, in words to stand behind it. */
  readonly result: string
}

/** Commands that show what is there: a line of theirs about tests or errors is no result. */
export const shows: RegExp = /^(?:cat|echo|edit|find|gh pr [dlsv]|git (?:diff|grep|log|show|status)|grep|head|ls|rg|sed|tail|wc)\b/
/** Commands that look for something: where they find nothing, they say nothing and exit with 1. */
const looks = /(?:^|[|&;]\s*)(?:\w*grep|rg|git (?:grep|diff)|diff|cmp|test|\[|which|command -v)\b(?:"[^"]*"|'[^']*'|[^|&;"'])*$/
/** What hosts say of a call that they did not make. */
const neverRan = /^.{0,40}\b(?:sibling tool call|skipped|cancell?ed|not (?:run|executed))\b/i
/** An exit code in words, and a command that asks for one itself, or for that of something else. */
const exitCode = /(?:exit(?:ed)?(?: with)?(?:[ _]?code| status)?|returncode)"?[ :=]+([1-9]\d{0,2})\b/i
const asksForCode = /\becho\b[^;&|]*\$\?|\b(?:kubectl|docker|podman|systemctl)(?: -\S+(?: [^\s-]\S*)?){0,4} (?:describe|get|inspect|logs|ps|status)\b/
/** What was printed, in an answer that holds it as a field. */
const holds = /"(?:std(?:out|err)|output|text|content|result)"/
/** Characters at the beginning of an output that may be nothing but its exit code. */
const longestCode = 24
/** Characters of an output that is nothing but a message, and at the end of a longer one that may hold its exit code. */
const longestMessage = 400
/** A test that was run and passed. */
const passes = /(?:PASS:|^ok)[\t ]+(\S+)(?!.{0,80}\[no)/gm
/** A line in which a run of tests, a build or the like says how it ended, and one that says that it failed, which comes first. */
const ended =
  /\b\d+ (?:passed|passing|tests?|(?:error|problem|issue|warning)s?)\b|\b(?:PASS|passed|no issues|success\w*|succeeded)\b|^ok\b|Found \d|^\[\S+ [0-9a-f]{7,}\]/
const failedAtEnd = /\bFAIL.{6}|\b[1-9]\d* (?:fail|error)/
/** A last line that says what something comes to. */
const value = /\n\D.{0,60}[=:] ?\S{0,3}\d\S*$/
/** A command as it is echoed, and a run of no tests. */
const saysNothing = /(?:^|\s)\$ \D|\bno tests?\b/i
/** Characters at the end of an output that are looked at, and of a line. */
const longestRead = 4_000
const longestResult = 160
/** Characters of what a call said when it failed, where no line of it is the error. */
const longestError = 300

/**
 * How a call ended: by its flag, by the exit code that its output says, or by an output that is nothing but a message of failure; where it did not fail, by what its last lines say.
 *
 * @param isRead Its output is a file.
 */
function endOf(command: string, isRead: boolean, result: ToolResultPart): Pick<Outcome, 'failed' | 'error' | 'result'> {
  // What is no command may answer with data of any size: of that only a message says how the call ended.
  const { output: shown, isError } = command === '' && result.output.length > longestMessage ? result : printed(result)
  const said = shown.trim()
  const output = withoutForm(said)
  const isShown = command === '' ? isRead : shows.test(command)
  const mayBe = !isShown && (command === '' || !output.includes('\n'))
  const isMessage = mayBe && output.length <= longestMessage && reportsFailure(output.split('\n')[0] as string)
  const exited = (exitCode.test(output.slice(0, longestCode)) || exitCode.test(output.slice(-longestMessage))) && !asksForCode.test(command)
  // A file of data may hold a verdict of its own.
  const isFlagged = result.isError || (isError && (!isShown || /^error/im.test(output)))
  // A search that found nothing: all that it says is its exit code.
  const isNothing = looks.test(command) && exitCode.exec(said)?.[1] === '1' && said.replace(/\(no output\)|^.*\bexit.*$/gim, '').trim() === ''
  if (isNothing || !(isFlagged || exited || isMessage)) {
    const last = isNothing || isShown ? '' : lastSaid(command, shown, result)
    return { failed: false, error: '', result: last && ` → ${last}` }
  }
  if (neverRan.test(output)) return { failed: true, error: '', result: ' (not run)' }
  const lines = output === said ? output.split('\n').filter((text) => isErrorLine(text.trim())) : []
  // Below a traceback stands what it led to.
  const line = lines.at(lines[0]?.includes('Traceback (') === true ? -1 : 0)
  const error = line === undefined ? withEnds(oneLine(output, Infinity), longestError) || 'failed' : oneLine(line, 200)
  return { failed: true, error, result: ' (failed)' }
}

/** What a call says of how it ended: a line of its last ones, or its only one. */
function lastSaid(command: string, shown: string, result: ToolResultPart): string {
  // Data says more than the texts in it.
  const whole = (shown !== result.output && holds.test(result.output) ? shown : result.output).trim()
  if (whole.length <= longestResult && !/\n|^\(?no output|^Shell cwd|(?:^|\s)\$ \D/i.test(whole) && !command.includes(whole)) return whole
  const lines = shown
    .slice(-longestRead)
    .split('\n')
    .map((line) => line.trim())
  const last = (says: RegExp): string | undefined => lines.findLast((line) => line.length <= longestResult && says.test(line) && !saysNothing.test(line))
  return last(failedAtEnd) ?? last(ended) ?? saysOf(result).failures.at(-1) ?? value.exec(command ? '' : whole)?.[0] ?? ''
}

/** What is run with a command and changes nothing of how it ends. */
const around = /^cd [^&;|]+&&|2>&1|\| *(?:tail|head)\b[^|;&]*/g

/** What an error is known by: one of a compiler by its file and code, as it moves from line to line. */
export function keyOfError(line: string): string {
  return line.replace(/^(\S+?)[(:]\d+[,:]\d+\)?(?::| -) (error [A-Z]+\d+).*/, '$1 $2')
}

/** How each call ended, by itself and by its result, and what errors of compilers a command ever reported. */
export function* outcomesOf(span: readonly Message[]): Pieces<readonly [ReadonlyMap<object, Outcome>, ReadonlyMap<string, ReadonlySet<string>>]> {
  const outcomes = new Map<object, Outcome>()
  const reported = new Map<string, Set<string>>()
  for (const { call, result, calledAt } of answeredCalls(span)) {
    if (calledAt % 16 < 2 || result.output.length > longestRead) yield
    const given = argumentsOf(call)
    const { path, isChange } = given
    const run = given.command.replace(around, '').trim()
    const same = run || `${call.tool} ${path === '' ? call.input : `${given.task} ${path}`}`
    const outcome = { ...given, ...endOf(run, path !== '' && !isChange, result), run, same }
    outcomes.set(call, outcome).set(result, outcome)
    if (shows.test(run)) continue
    // What is seen filtered, the whole reports too.
    for (const line of saysOf(result).failures)
      if (keyOfError(line) !== line) memoized(reported, run.replace(filter, ''), () => new Set()).add(keyOfError(line))
  }
  return [outcomes, reported]
}

interface Says {
  /** Lines that report a failure. */
  readonly failures: readonly string[]
  /** Where an output speaks of errors and shows neither them nor an end, it was cut: what failed before may fail still. */
  readonly isWhole: boolean
  /** Tests that passed. */
  readonly passed: readonly string[]
  /** Sentences among lines that are none, and where something was put. */
  readonly stated: readonly string[]
  readonly pointers: readonly string[]
}

const known = new WeakMap<ToolResultPart, Says>()
// Most say nothing: one for all of them.
const silent: Says = { failures: [], isWhole: true, passed: [], stated: [], pointers: [] }

/** What an output says, remembered with it. */
export function saysOf(part: ToolResultPart): Says {
  return memoized(known, part, () => {
    const { output } = printed(part)
    const lines = output.split('\n', 2_000).map((line) => line.trim())
    const failures = toKeep(lines.filter((line) => line.length <= 160 && reportsFailure(line)))
    const isWhole = failures.length > 0 || ended.test(output) || !/error|fail|in background/i.test(output)
    const passed = toKeep(Array.from(part.output.matchAll(passes), ([, name]) => name as string))
    const [stated, pointers] = [toKeep(statedIn(output)), toKeep(pointersIn(output))]
    const says = { failures, isWhole, passed, stated, pointers }
    return isWhole && failures.length + passed.length + stated.length + pointers.length === 0 ? silent : says
  })
}
