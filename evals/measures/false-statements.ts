import type { RecordedMessage } from '../sessions/transcripts.ts'
import { tasksOf } from './tasks.ts'
import { collapsed } from './wording.ts'

/** One statement of an account that code can check. */
export interface Statement {
  readonly kind: 'none' | 'error' | 'request' | 'open'
  readonly text: string
  readonly isFalse: boolean
}

interface Section {
  readonly title: string
  readonly items: readonly string[]
}

const titles: readonly (readonly [kind: 'error' | 'request' | 'open', title: RegExp])[] = [
  ['open', /\b(?:to do|todo|open|pending|remaining|unfinished|next steps)\b/i],
  ['error', /\b(?:errors?|fail(?:ed|ures?))\b/i],
  ['request', /\b(?:user|requests?|asked|intent|goals?)\b/i],
]
const nothing = /^(?:- )?\(?(?:none|nothing|n\/a)\)?\.?$/i
/** What a person did not ask of the agent: commands of the program around it, their output, notifications. */
const command =
  /^(?:\/[a-z][\w:-]*(?:\s|$)|<(?:command-|bash-|local-command-|task-notification|system-reminder|user-prompt-submit-hook)|\[Request interrupted|Caveat: The messages below)/i
/** What may stand in front of an error: columns and times of a log, the task that prints, a place in a file. */
const lead = String.raw`(?:[^\t]{1,60}\t)*(?:\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\s+)?(?:\[[\w:-]+\]\s*)?(?:[\w./@-]+:\d+(?::\d+)?:?\s*|[\w./@-]+\(\d+,\d+\):\s*)?`
const says = String.raw`(?:fatal|uncaught|unhandled|npm|compile)?[ :]*(?:error(?:\[?\w*\]?:|\s+TS\d|\s+[a-z]|$)|[\w.]*(?:Error|Exception)(?::|$|\s+\[)|ERR!|ERROR\b|E {2,}\S|panic:|fatal:|fail(?:ed|ure)?(?:$|[:!\t]|\s+[\w./])|-+ FAIL|Traceback\b|undefined: |cannot \w|[✗✖❌×]\s)`
/** A line that is an error: it begins as one. */
const errorStart = new RegExp(`^\\s*${lead}${says}`, 'i')
/** Tools that show what stands somewhere, errors in it or not. */
const showing = /grep|glob|search|find|read|view|open|fetch|list/i
const nonZero = /(?:exit(?:ed)?(?: with)?(?: code| status)?|returncode)[ :=]+([1-9]\d{0,2})\b/i

/** Statements of an account that can be checked against the history it speaks of. Headings that were copied from the history head nothing. */
export function statementsIn(account: string, prefix: readonly RecordedMessage[]): readonly Statement[] {
  const known = new Set(prefix.flatMap(({ content }) => content.split('\n').map((line) => line.trim())))
  const failures = failuresOf(prefix)
  const tasks = tasksOf(prefix)
  const has = {
    error: failures.texts.length > 0,
    open: [...tasks.values()].some((done) => !done),
    request: prefix.some(({ role, content }) => role === 'user' && !command.test(content.trim())),
  }
  return sectionsOf(account, known).flatMap(({ title, items }): readonly Statement[] => {
    const kind = titles.find(([, pattern]) => pattern.test(title))?.[0]
    return items
      .map((text, at): Statement => {
        if (nothing.test(text)) return { kind: 'none', text: `${title}: ${text}`, isFalse: at < items.length - 1 || (kind !== undefined && has[kind]) }
        if (kind === 'error') return { kind, text, isFalse: !isError(text, failures) }
        if (kind === 'request') return { kind, text, isFalse: command.test(text.replace(/^(?:- )?(?:\[\d[\d–-]*\] )?/, '').trim()) }
        return { kind: 'open', text, isFalse: kind === 'open' && isDone(text, tasks) }
      })
      .filter((_, at) => kind !== undefined || nothing.test(items[at] as string))
  })
}

/** Headings of the account's own with what stands beneath them, up to where it quotes. */
function sectionsOf(account: string, known: ReadonlySet<string>): readonly Section[] {
  const sections: { title: string; items: string[] }[] = []
  for (const line of account.split('\n')) {
    const title = /^(?:#{1,6} |\*\*)(.{3,60}?)(?:\*\*:?)?:?$/.exec(line)?.[1]
    if (title !== undefined && !known.has(line.trim())) {
      if (/\b(?:excerpts?|passages?)\b/i.test(title)) break
      sections.push({ title, items: [] })
      continue
    }
    const items = sections.at(-1)?.items
    if (items === undefined || line.trim() === '' || /^<\/?context-summary/.test(line)) continue
    if (/^(?:- |\[\d)/.test(line) || nothing.test(line.trim()) || items.length === 0) items.push(line)
    else items[items.length - 1] += `\n${line}`
  }
  return sections
}

interface Failures {
  /** Outputs of calls that failed: by their flag, or by their exit code. */
  readonly texts: readonly string[]
  /** Lines of any tool's output that begin as an error does. */
  readonly lines: ReadonlySet<string>
}

function failuresOf(prefix: readonly RecordedMessage[]): Failures {
  const texts: string[] = []
  const lines = new Set<string>()
  for (const { role, content, isError, toolName = '' } of prefix) {
    if (role !== 'tool') continue
    if (isError === true || nonZero.test(content.slice(-400)) || nonZero.test(content.slice(0, 200))) texts.push(collapsed(content))
    if (!showing.test(toolName)) for (const line of content.split('\n')) if (errorStart.test(line)) lines.add(collapsed(line))
  }
  return { texts, lines }
}

/** `call → error` names what failed; any other item is a line that was printed. A shortened one is known by its beginning and its end. */
function isError(item: string, { texts, lines }: Failures): boolean {
  const said = collapsed(item.replace(/^(?:- )?(?:\[\d[\d–-]*\] )?/, ''))
  const own = said.includes(' → ') ? said.slice(said.indexOf(' → ') + 3) : said
  const pieces = own
    .split(/…|\[\d+ of \d+ characters left out\]/)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length >= 8)
  const stands = (text: string): boolean => pieces.every((piece) => text.includes(piece))
  return pieces.length === 0 || texts.some(stands) || [...lines].some(stands)
}

function isDone(item: string, tasks: ReadonlyMap<string, boolean>): boolean {
  const text = collapsed(item.replace(/^(?:- )?(?:\[[ x\d–-]*\] )*/, ''))
  return [...tasks].some(
    ([task, done]) => done && collapsed(task) !== '' && (collapsed(task) === text || (text.length >= 40 && collapsed(task).startsWith(text))),
  )
}
