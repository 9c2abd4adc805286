import type { TokenEstimator } from '../budget/estimate.ts'
import { memoized } from '../history/memoize.ts'
import type { Message, Tokens } from '../history/message.ts'
import { omitUndefined } from '../history/omit-undefined.ts'
import type { Pieces } from '../history/pieces.ts'
import { sumOf } from '../history/sum-of.ts'
import type { RecordEntry } from './facts/facts.ts'
import { saysOf } from './facts/outcomes.ts'
import { type OutlineLine, outlinesOf } from './facts/outlines.ts'
import { pointersIn } from './facts/pointers.ts'
import { withoutForms } from './facts/stated.ts'
import { type Line, statementsOf } from './facts/statements.ts'
import { carriedTold } from './texts/carried.ts'
import { quotedSpeech } from './texts/quote.ts'
import { reportIn } from './texts/spoken.ts'
import { oneLine } from './texts/truncate.ts'

/** Something that could stand in an account of a span: copied word for word, never phrased. */
interface Candidate {
  readonly kind: 'statement' | 'report' | 'pointer' | 'outline'
  readonly index: number
  readonly text: string
  /** What is shown: the text itself, and what it stands under above it. Without it the text has no place among other pieces: most are such, and each is kept until the choice. */
  readonly lines?: readonly Line[]
  /** What it is worth beside the others, whatever its length; 0 or less for what is nothing but an answer. */
  readonly worth: number
  /** It may be chosen when there is no room for others any more. */
  readonly concludes?: boolean
  /** It is what came of a request that is quoted: its turn comes first. */
  readonly leads?: boolean
  /** Lines of one group share a label: the message, or the file. */
  readonly group: string
  /** Requests that stand above it, in a message that carries several. */
  readonly after?: number
}

const linesOf = ({ text, lines = [{ text, at: Number.NaN, row: Number.NaN }] }: Candidate): readonly Line[] => lines

const keyOf = ({ group, after }: Candidate): string => `${after ?? ''} ${group}`

/** What each section of the account is made of, by message or file. */
export interface Account {
  readonly told: readonly RecordEntry[]
  readonly pointers: readonly RecordEntry[]
  readonly outlines: readonly RecordEntry[]
  /** What is quoted of each message, word for word. */
  readonly quoted: ReadonlyMap<number, readonly string[]>
}

const worthOfPointer = 0.9
const worthOfStated = 0.35
/** Share of what was said and where things are that what hosts say of the user may have beside it. */
const shareOfReports = 0.4
/** What came of a request of an earlier record. */
const worthOfCarried = 0.7
/** Lines of one file after which others are worth as much again: no file takes all the room. */
const many = 30
/** What stands in an outline. */
const worthOfLine = { heading: 0.04, declaration: 0.04, constant: 0.02, import: 0.02 } as const

/** Most Tokens of an account: of what was said and where things are, with conclusions and what came of each request, which go on beyond that, and of outlines. */
export interface AccountRoom {
  readonly all: Tokens
  readonly conclusions: Tokens
  readonly leads: Tokens
  readonly outlines: Tokens
}

/** What the reader of an account sees elsewhere, and what not. */
export interface AccountReader {
  /** Texts that they see: nothing in them is said again. */
  readonly already: string
  /** Requests that stand beside it: what came of another would read as the answer to one of these. */
  readonly quoted: { has(index: number): boolean }
}

/** An account of a span within its room: what the assistant found, decided and did, where things are, and what the files that it read hold. */
export function* accountInPieces(
  messages: readonly Message[],
  indices: readonly number[],
  { all, conclusions, leads, outlines }: AccountRoom,
  { already, quoted: requests }: AccountReader,
  estimator: TokenEstimator,
): Pieces<Account> {
  const files = yield* outlinesOf(messages, indices)
  const folder = commonFolder(files.map(({ path }) => path))
  const candidates = yield* candidatesOf(messages, indices, files, folder, requests)
  const chosen = new Set<Candidate>()
  /** Lines that are shown, and the labels above them. */
  const shown = new Set<Line | string>()
  const spent = { statement: 0, report: 0, leads: 0, outline: 0 }
  // Worth beside the room that it takes: a long one says more than a short one, but not as much more.
  const density = ({ worth, text }: Candidate): number => worth / Math.sqrt(text.length + 20)
  const ranked = [...candidates].sort((a, b) => density(b) - density(a))
  // What finds no room among the answers is a conclusion like others.
  const first = ranked.filter((one) => one.leads)
  for (const [at, candidate] of [...first, ...ranked].entries()) {
    if (at % 32 === 0) yield
    if (chosen.has(candidate) || (at >= first.length && candidate.worth <= 0)) continue
    const { group, text } = candidate
    const key = keyOf(candidate)
    const lines = linesOf(candidate).filter((line) => !shown.has(line))
    const tokens = sumOf(lines, (line) => estimator.count(line.text) + 1) + (shown.has(key) ? 0 : estimator.count(group) + 1)
    const purse = at < first.length ? 'leads' : candidate.kind === 'pointer' ? 'statement' : candidate.kind
    const most = { leads, outline: outlines, report: all * shareOfReports, statement: candidate.concludes ? conclusions : all }[purse]
    if (spent[purse] + tokens > most || already.includes(text)) continue
    spent[purse] += tokens
    for (const one of [key, ...lines]) shown.add(one)
    chosen.add(candidate)
  }
  const entries = (kind: Candidate['kind']): readonly RecordEntry[] => {
    const byGroup = new Map<string, Candidate[]>()
    for (const one of candidates) if (one.kind === kind && chosen.has(one)) memoized(byGroup, keyOf(one), (): Candidate[] => []).push(one)
    return [...byGroup.values()].map((list) => ({
      kind: 'decision',
      text: `${list[0]?.group}${quotedSpeech(written(list))}`,
      sources: [...new Set(list.map(({ index }) => index))],
      ...omitUndefined({ after: list[0]?.after }),
    }))
  }
  const quoted = new Map<number, string[]>()
  for (const one of chosen) if (one.kind !== 'outline') memoized(quoted, one.index, (): string[] => []).push(...linesOf(one).map(({ text }) => text))
  const outlined = entries('outline')
  const where = outlined.slice(0, folder === '' ? 0 : 1).map((first) => ({ ...first, text: `[${first.sources[0]}]> in ${oneLine(folder, 200)}` }))
  return { quoted, told: (['statement', 'report'] as const).flatMap(entries), pointers: entries('pointer'), outlines: [...where, ...outlined] }
}

/** What was chosen of a message in its order, each thing once, with `…` for what was left out between two of them, and for the rest of a list. */
function written(list: readonly Candidate[]): string {
  const lists = list.map(linesOf)
  const above = new Set(lists.flatMap((lines) => lines.slice(0, -1)))
  const all = [...new Set(lists.flat())].sort((a, b) => a.at - b.at)
  let before: Line | undefined
  let text = ''
  for (const line of all) {
    const repeats = (other: Line): boolean => other.text.includes(line.text) && (other.text !== line.text || other.at < line.at || above.has(other))
    if (line.at >= 0 && !above.has(line) && all.some((other) => other !== line && repeats(other))) continue
    const glue = line.row === before?.row ? ' ' : '\n'
    if (before) text += line.at > before.at + 1 ? `${glue}…${glue}` : glue
    text += line.text
    before = line
  }
  return before?.goesOn ? `${text} …` : text
}

function* candidatesOf(
  messages: readonly Message[],
  indices: readonly number[],
  outlines: readonly OutlineLine[],
  folder: string,
  requests: AccountReader['quoted'],
): Pieces<readonly Candidate[]> {
  const found: Candidate[] = []
  const stated: { readonly index: number; readonly text: string }[] = []
  const seen = new Set<string>()
  const add = (candidate: Candidate): void => {
    if (candidate.leads !== true && seen.has(candidate.text)) return
    seen.add(candidate.text)
    found.push(candidate)
  }
  const first = indices[0] ?? 0
  for (const { index, text, lines, worth, answers = -1, concludes, leads } of (yield* statementsOf(messages, indices)).toReversed()) {
    // What was said again with other numbers is past.
    const form = `${text.replace(/\d/g, '')}\n`
    // What was asked before the span stands right above it.
    const label = answers >= 0 && (answers < first || requests.has(answers)) ? '→ ' : ''
    add({
      kind: 'statement',
      index,
      text,
      lines,
      worth: Math.min(worth, seen.has(form) ? worth / 3 : worth),
      concludes,
      leads: leads && label !== '',
      group: `${label}[${index}] `,
    })
    seen.add(form)
  }
  for (const index of indices) {
    if (index % 8 === 0) yield
    for (const { text, isOutcome, after } of carriedTold(messages[index] as Message))
      add({
        kind: 'statement',
        index,
        text,
        worth: worthOfCarried * (isOutcome ? 1 : 0.5),
        concludes: true,
        group: `${isOutcome ? '→ ' : ''}[${index}] `,
        after,
      })
    for (const part of (messages[index] as Message).parts) {
      const isSaid = part.type === 'text' && (messages[index] as Message).role === 'assistant'
      const report = isSaid ? '' : reportIn(part)
      if (report !== '') add({ kind: 'report', index, text: report, worth: 1, group: `[${index}]> ` })
      const says = isSaid ? { stated: [], pointers: pointersIn(part.text) } : part.type === 'tool-result' && saysOf(part)
      if (!says) continue
      stated.push(...says.stated.map((text) => ({ index, text })))
      for (const line of says.pointers) add({ kind: 'pointer', index, text: line, worth: worthOfPointer, group: isSaid ? `[${index}] ` : `[${index}]> ` })
    }
  }
  for (const { index, text } of withoutForms(stated)) add({ kind: 'statement', index, text, worth: worthOfStated, group: `[${index}]> ` })
  let [last, place] = ['', 0]
  for (const { index, path, text, kind, line } of outlines) {
    place = path === last ? place + 1 : 0
    last = path
    add({
      kind: 'outline',
      index,
      text: line === undefined || kind === 'import' ? text : `${line} ${text}`,
      worth: worthOfLine[kind] / (1 + place / many),
      group: `[${index}]> ${oneLine(path.slice(folder.length), 200)}\n`,
    })
  }
  return found
}

/** Characters of a folder that a list of files names once. */
const leastFolder = 8

/** The folder that all of these paths lie in, with a slash at its end; "" where there is none but a short one, or one path alone. */
export function commonFolder(paths: readonly string[]): string {
  const [first = '', ...others] = new Set(paths)
  const names = others.length === 0 ? [] : first.split('/').slice(0, -1)
  const folder = (): string => names.map((name) => `${name}/`).join('')
  while (names.length > 0 && !others.every((path) => path.startsWith(folder()))) names.pop()
  return folder().length < leastFolder ? '' : folder()
}
