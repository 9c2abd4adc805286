import type { TokenEstimator } from '../budget/estimate.ts'
import { type Message, type Tokens, textLength } from '../history/message.ts'
import { finished, type Pieces } from '../history/pieces.ts'
import { sumOf } from '../history/sum-of.ts'
import { accountInPieces, commonFolder } from './account.ts'
import { excerptEntries } from './excerpts/excerpt-entries.ts'
import { calledLines } from './facts/called.ts'
import { changedPath } from './facts/changed-files.ts'
import { factsInPieces, type RecordEntry, tokensOf } from './facts/facts.ts'
import { shortFailure } from './facts/failure-lines.ts'
import { briefRequest, moreRequests, requestEntries } from './facts/requests.ts'
import { carriedLists, namesHeading, requestsHeading } from './texts/carried.ts'
import { isSpoken, wordsFromUser } from './texts/spoken.ts'

/** The record of a span, made without a model: the same input gives the same bytes. */
export interface HistoryRecord {
  readonly text: string
  readonly entries: readonly RecordEntry[]
}

interface Row {
  line: string
  readonly entry?: RecordEntry | undefined
  /** Where it stands: what was asked and done by its message, headings and other sections before or behind that. */
  readonly at: number
}

/** Room and material of one record. All budgets are uncalibrated Tokens. */
export interface RecordOptions {
  /** Most Tokens of the text; used up as far as there is something to say. */
  readonly budget: Tokens
  /** Most of them for the user's own words; half of the budget at most. */
  readonly requests: Tokens
  readonly estimator: TokenEstimator
  /** Text that the reader sees anyway: lines in it are not repeated, names in it count less. */
  readonly already: string
  /** Texts of the messages that stay beside the record: names in them count less. */
  readonly beside?: readonly string[]
  /** Facts of the span, where they are known already. */
  readonly facts?: readonly RecordEntry[]
  /** What a user said since of what is quoted of them, in these words and of these messages: entries that stand with their other words. */
  readonly saidSince?: (words: string, quoted: readonly number[]) => readonly RecordEntry[]
  /** How much the words of each role count; 1 is ordinary. */
  readonly weights?: { readonly user: number; readonly assistant: number; readonly tool: number }
}

/** Shares of the record for an account: for what was said and where things are, with conclusions, which go on beyond that, and for outlines, which are names too. Source: npm run evals, 0.12 to 0.32, 0.24 to 0.45 and 0.05 to 0.5 tried. */
const shareOfAll = 0.14
const shareOfConclusions = 0.28
const shareOfOutlines = 0.5
/** Tokens below which a record is small. */
const small = 500
/** Share for a sentence of what came of each request, in one that is not small. Source: npm run evals, 0.03 to 0.4 tried. */
const shareOfLeads = 0.1
/** Share that requests may have with what users wrote around what they pasted. */
const mostOwnWords = 0.7
/** Share for what was said since, of a record of so many Tokens at least. */
const shareOfSince = 0.06
const leastForSince = 1_000
/** Share that they have in any case. */
const leastOutlines = 0.05
/** Tokens of a record, for each character of what it stands for, that outlines have no share in: what little room there is, names need more. Source: npm run evals, 0.011 and 0.015 tried. */
const withoutOutlines = 0.015
/** Tokens of a record that says which requests it leaves out, there and above what was said to one. */
const leastForMore = 200

/** What was called may have this share, tasks the next, and each other list of facts the last; the rest shows passages. */
const shareOfCalls = 0.7
const shareOfTasks = 0.1
const factShare = 0.03
/** What failed may have this share, the newest first, each so many characters at least and at most; in a small record more, and each half as many at least. */
const shareOfFailed = 0.25
const shortestFailure = 64
const shareOfSmall = 0.4
const longestFailure = 360
/** Tokens that their heading and one passage take. */
const leastExcerpts = 24

/**
 * Writes the record of the messages that a summary replaces: the user's requests word for word (first and newest always), what was done to
 * which file, commands, failed attempts and errors in their exact words, and passages that show as many names as possible where they stood.
 *
 * @param indices Messages to record, ascending.
 * @returns The text, of at most `options.budget` Tokens by its estimator, and the facts in it. The same messages give the same record.
 */
export function recordOf(messages: readonly Message[], indices: readonly number[], options: RecordOptions): HistoryRecord {
  return finished(recordInPieces(messages, indices, options))
}

/** The same in pieces. */
export function* recordInPieces(messages: readonly Message[], indices: readonly number[], options: RecordOptions): Pieces<HistoryRecord> {
  const { estimator, budget, saidSince = () => [] } = options
  const rows: Row[] = []
  let at = -1
  let left = budget
  const add = (line: string, entry?: RecordEntry): boolean => {
    const tokens = estimator.count(line) + 1
    if (tokens > left) return false
    left -= tokens
    rows.push({ line, entry, at })
    return true
  }
  const written = (): string => rows.flatMap(({ line }) => line || []).join('\n')
  const entriesOf = (): readonly RecordEntry[] => rows.flatMap(({ entry }) => entry ?? [])

  const all = options.facts ?? (yield* factsInPieces(messages, indices))
  const facts = all.filter((entry) => !options.already.includes(entry.text))
  const factsOf = (kind: RecordEntry['kind']): RecordEntry[] => facts.filter((entry) => entry.kind === kind)
  /** As much of a list as there is room above a floor, its first entry in any case, and how many more there are. */
  const section = (title: string, entries: readonly RecordEntry[], lineOf = ({ text }: RecordEntry): string => text, floor = -Infinity): void => {
    if (entries.length === 0 || !add(title)) return
    const listed = entries.filter((entry, nth) => (nth === 0 || left > floor) && add(lineOf(entry), entry))
    if (listed.length < entries.length) add(`- … ${entries.length - listed.length} more`)
  }
  section('### Values', factsOf('field'), ({ text }) => `- ${text}`)
  const failed = factsOf('failed-attempt')
  const isSmall = budget < small
  const roomOfFailed = budget * (isSmall ? shareOfSmall : shareOfFailed)
  const shortest = isSmall ? shortestFailure / 2 : shortestFailure
  const longest = Math.min(longestFailure, Math.max(shortest, Math.floor((roomOfFailed * 3.75) / failed.length)))
  section(carriedLists['failed-attempt'], failed, ({ text }) => `- ${shortFailure(text, longest)}`, left - roomOfFailed)
  const saidOfFailed = written()

  const room = { most: Math.min(options.requests, Math.floor(budget / 2)), mostOwn: budget * mostOwnWords }
  const { quoted: requests, words, leftOut } = requestEntries(messages, indices, room, estimator)
  const free = left - tokensOf(requests, estimator)
  const length = sumOf(indices, (index) => textLength(messages[index] as Message))
  const account = yield* accountInPieces(
    messages,
    indices,
    {
      all: Math.min(free, budget * shareOfAll),
      conclusions: Math.min(free, budget * shareOfConclusions),
      leads: isSmall ? 0 : Math.min(free, (budget * shareOfLeads) / 2 ** leftOut.length),
      outlines: Math.min(free, Math.max(budget * leastOutlines, (budget - withoutOutlines * length) * shareOfOutlines)),
    },
    { already: `${options.already}\n${written()}`, quoted: words },
    estimator,
  )
  const told = [...requests, ...account.told].sort((a, b) => sourceOf(a) - sourceOf(b) || placeIn(a) - placeIn(b))
  const isListed = told.length > 0 && add(requestsHeading)
  // Requests are known by their message, and those of one that carries several by thousandths behind it.
  let [above, newest, read] = [-1, -1, 0]
  for (const entry of isListed ? told : []) {
    const { kind, text, after = 0 } = entry
    at = sourceOf(entry)
    for (; read < at; read++) if (isSpoken(messages[read] as Message)) newest = read
    const isTold = kind !== 'request'
    const asked = isTold && after === 0 ? newest : at + (isTold ? after : after + 1) / 1e3
    const isElsewhere = isTold && budget >= leastForMore && asked >= (indices[0] as number) && asked !== above && asked !== Math.floor(above)
    if (add(isElsewhere ? `${briefRequest(messages, Math.floor(asked))}\n${text}` : text, entry)) above = asked
  }
  /** What was said since of what stands here, and of these. */
  const sinceOf = (more: readonly RecordEntry[] = []): readonly RecordEntry[] => {
    if (!isListed || budget < leastForSince) return []
    const entries = [...entriesOf(), ...more].filter(({ kind }) => kind !== 'name')
    const said = entries.filter(isOfUser).map(({ text }) => text)
    return saidSince(
      said.join('\n'),
      entries.flatMap(({ sources }) => sources),
    )
  }
  const addSince = (most = left): void => {
    const floor = left - most
    for (const entry of sinceOf()) {
      at = sourceOf(entry)
      if (left > floor) add(entry.text, entry)
    }
  }
  addSince(budget * shareOfSince)
  at = messages.length
  const more = moreRequests(leftOut)
  if (isListed && more && budget >= leastForMore) add(more)

  // A number tells which request it was for. What comes from an earlier record has none by now.
  const calls = calledLines(factsOf('call'), budget)
  section(
    carriedLists.call,
    calls,
    ({ text, sources: [index = -1] }) => `- ${index < 0 || messages[index]?.summary ? '' : `[${index}] `}${text}`,
    left - budget * shareOfCalls,
  )
  // What is left out of a plan is gone once the agent writes it anew from what it sees.
  section('### To do', factsOf('open'), ({ text }) => `- ${text}`, left - budget * shareOfTasks)
  const floor = left - Math.floor(budget * factShare)
  for (const [kind, title] of factSections) {
    // Commands that say how they ended come first.
    const own = factsOf(kind)
      .filter(({ text }) => kind !== 'error' || !saidOfFailed.includes(text))
      .sort((a, b) => saysEnd(b) - saysEnd(a))
    if (left - 8 <= floor) continue
    const folder = kind.startsWith('file') ? commonFolder(own.map(({ text }) => text)) : ''
    section(within(title, folder), own, ({ text }) => `- ${text.slice(folder.length)}`, floor)
  }

  section('### Where things are', account.pointers)
  section('### Outlines', account.outlines)

  const changed = new Map(factsOf('file-changed').map((entry) => [changedPath(entry.text), sourceOf(entry)]))
  const folder = commonFolder(all.flatMap(({ kind, text }) => (kind === 'file-changed' ? changedPath(text) : kind === 'file-read' ? text : [])))
  if (left > leastExcerpts && add(within('### Excerpts', folder))) {
    const beside = [options.already, written(), ...(options.beside ?? [])].join('\n')
    const known = new Map(account.quoted)
    for (const [index, own] of words) known.set(index, [...(known.get(index) ?? []), ...own])
    const rest = budget - estimator.count(written()) - 1
    let [excerpts, excerptsWithin] = yield* excerptEntries(messages, indices, rest, beside, known, { ...options, changed, folder })
    const free = rest - tokensOf(excerpts, estimator)
    const needed = Math.min(tokensOf(sinceOf(excerpts), estimator), budget * shareOfSince)
    if (needed > free) excerpts = yield* excerptsWithin(rest - needed)
    for (const entry of excerpts) {
      if (entry.kind === 'name') rows.push({ line: namesHeading, at: messages.length })
      const message = messages[sourceOf(entry)] as Message
      // What is a user's own stands between what they said before and after it: a correction is read behind what it corrects.
      at = isListed && wordsFromUser(message).length > 0 && isOfUser(entry) ? sourceOf(entry) : messages.length
      rows.push({ line: entry.text, entry, at })
    }
  }
  // What a passage shows by now is neither counted as left out nor marked as such.
  const said = new Set(
    entriesOf()
      .filter(isOfUser)
      .flatMap(({ sources }) => sources),
  )
  for (const row of rows) {
    if (row.line === more) row.line = moreRequests(leftOut.filter((index) => !said.has(index)))
    if (row.entry?.kind === 'decision' && row.entry.after === undefined && said.has(Number(/\d+/.exec(row.line)))) row.line = row.entry.text
  }
  left = budget - estimator.count(written()) - 1
  addSince()
  rows.sort((a, b) => a.at - b.at)
  if (rows.at(-1)?.line.startsWith('### ')) rows.pop()
  return { text: written(), entries: entriesOf() }
}

/** A heading above paths of one folder. */
const within = (title: string, folder: string): string => (folder === '' ? title : `${title}\n- in ${folder}`)

/** 1 for a command that says how it ended. */
const saysEnd = ({ kind, text }: RecordEntry): number => Number(kind === 'command' && / → |\(failed\)$/.test(text))

const sourceOf = ({ sources: [index = 0] }: RecordEntry): number => index

/** Words of a user: quoted as a request, or in a passage. */
const isOfUser = (entry: RecordEntry): boolean => entry.kind === 'request' || entry.text.startsWith(`[${sourceOf(entry)}] user: `)

/** What was told stands below the requests that it is behind. */
const placeIn = ({ kind, after = 0 }: RecordEntry): number => (kind === 'request' ? after : after - 0.5)

const factSections: readonly (readonly [RecordEntry['kind'], string])[] = [
  ['file-changed', carriedLists['file-changed']],
  ['error', '### Errors'],
  ['command', '### Commands'],
  ['file-read', '### Files read'],
]
