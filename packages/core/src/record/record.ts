import type { TokenEstimator } from '../budget/estimate.ts'
import { isUserRequest, type Message, partText, type Tokens, textOf } from '../history/message.ts'
import { joinPassages } from './excerpt-windows.ts'
import { extractFacts, openTask, type RecordEntry, readableInput } from './facts.ts'
import { type PassageSource, wordsOf } from './name-index.ts'
import { compoundWords, type RecentWords } from './name-reuse.ts'
import { nameWorth, scanTerms } from './names.ts'
import { selectPassages } from './passages.ts'
import { clip, cutMiddle } from './truncate.ts'

export type { RecordEntry } from './facts.ts'

/** The record of a span, made without a model: the same input gives the same bytes. */
export interface HistoryRecord {
  readonly text: string
  readonly entries: readonly RecordEntry[]
}

export interface RecordOptions {
  /** Most Tokens of the text; used up as far as there is something to say. */
  readonly budget: Tokens
  /** Most of them for the user's own words. */
  readonly requests: Tokens
  readonly estimator: TokenEstimator
  /** Text that the reader sees anyway: lines in it are not repeated, names in it count less. */
  readonly already: string
  /** Texts of the messages that stay beside the record: names in them count less. */
  readonly beside?: readonly string[]
  /** Facts of the span, where they are known already. */
  readonly facts?: readonly RecordEntry[]
  /** How much the words of each role count; 1 is ordinary. */
  readonly weights?: { readonly user: number; readonly assistant: number; readonly tool: number }
}

/** Facts may take this share of the budget; the rest shows passages, which keep names in their surroundings. */
const factShare = 0.03
/** Tokens that their heading and one passage take. */
const leastExcerpts = 24
const longestRequest = 2_000 // characters of one older request, as in Kimi CLI

/**
 * Writes the record of the messages that a summary replaces: the user's requests word for word (first and newest always), what was done to
 * which file, commands, failed attempts and errors in their exact words, and passages that show as many names as possible where they stood.
 *
 * @param indices Messages to record, ascending.
 */
export function recordOf(messages: readonly Message[], indices: readonly number[], options: RecordOptions): HistoryRecord {
  const { estimator, budget } = options
  const lines: string[] = []
  const entries: RecordEntry[] = []
  let left = budget
  const add = (line: string, entry?: RecordEntry): boolean => {
    const tokens = estimator.count(line) + 1
    if (tokens > left) return false
    left -= tokens
    lines.push(line)
    if (entry !== undefined) entries.push(entry)
    return true
  }

  const facts = (options.facts ?? extractFacts(messages, indices)).filter((entry) => !options.already.includes(entry.text))
  for (const entry of facts) if (entry.kind === 'field') add(`- ${entry.text}`, entry)
  const failed = facts.filter((entry) => entry.kind === 'failed-attempt')
  // What failed is never left out: as many characters each as half the record allows.
  const longest = Math.floor((left * 1.5) / Math.max(1, failed.length))
  if (failed.length > 0 && add('### Failed attempts')) for (const entry of failed) add(`- ${clip(entry.text, Math.min(360, Math.max(16, longest)))}`, entry)

  const requests = requestEntries(messages, indices, Math.min(options.requests, Math.floor(budget / 2)), options)
  if (requests.length > 0 && add('### The user asked')) for (const entry of requests) add(entry.text, entry)

  const floor = left - Math.floor(budget * factShare)
  for (const [kind, title] of factSections) {
    const own = facts.filter((entry) => entry.kind === kind && (kind !== 'open' || entry.text.startsWith(openTask)))
    if (own.length === 0 || left - 8 <= floor || !add(title)) continue
    for (const entry of own) if (left > floor) add(`- ${entry.text}`, entry)
  }

  if (left > leastExcerpts && add('### Excerpts, by message')) {
    const beside = [options.already, ...lines, ...(options.beside ?? [])].join('\n')
    for (const entry of passageEntries(messages, indices, budget - estimator.count(lines.join('\n')) - 1, beside, options)) {
      lines.push(entry.text)
      entries.push(entry)
    }
  }
  if (lines.at(-1)?.startsWith('### ')) lines.pop()
  return { text: lines.join('\n'), entries }
}

const factSections: readonly (readonly [RecordEntry['kind'], string])[] = [
  ['open', '### To do'],
  ['file-changed', '### Files changed'],
  ['error', '### Errors'],
  ['command', '### Commands'],
  ['file-read', '### Files read'],
]

/** First and newest request always, then newest to oldest while the budget lasts; in the order of the history. */
function requestEntries(messages: readonly Message[], indices: readonly number[], budget: Tokens, options: RecordOptions): readonly RecordEntry[] {
  const all = indices.filter((index) => isUserRequest(messages[index] as Message) && textOf(messages[index] as Message) !== '')
  const [first, newest] = [all[0], messages.findLastIndex(isUserRequest)]
  const chosen: RecordEntry[] = []
  let left = budget
  for (const index of new Set([...all.slice(0, 1), ...all.toReversed()])) {
    const text = textOf(messages[index] as Message)
    if (options.already.includes(text)) continue
    // The first leaves the newest a fifth; others come in while all together take no more than half.
    const end = index === first || index === newest
    const room = !end ? left - budget / 2 : index === newest ? left : left * 0.8
    const longest = Math.min(end ? Infinity : longestRequest, Math.max(80, Math.floor(room * 3)))
    const quoted = text.length <= longest * 1.2 ? text : cutMiddle(text, longest) // a mark takes room too
    const entry: RecordEntry = { kind: 'request', text: `[${index}] ${quoted}`, sources: [index] }
    const tokens = options.estimator.count(entry.text) + 1
    if (tokens > (end ? left : room)) break
    left -= tokens
    chosen.push(entry)
  }
  return chosen.sort((a, b) => (a.sources[0] ?? 0) - (b.sources[0] ?? 0))
}

/** Requests longer than this are pasted material, not questions (characters). */
const longestQuestion = 1_500

/** Words of the user's own requests, whether they are still shown or not; words of every second request ask about nothing. */
function askedWords(messages: readonly Message[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  let requests = 0
  for (const message of messages) {
    if (!isUserRequest(message)) continue
    const text = textOf(message)
    if (text === '' || text.length > longestQuestion) continue
    requests++
    const words = new Set(wordsOf(text))
    scanTerms(text, (name) => nameWorth(name) >= namelike && words.add(name))
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return new Set([...counts].filter(([word, count]) => !ordinary.has(word) && count <= Math.max(3, requests / 2)).map(([word]) => word))
}

/** `nameWorth` of an identifier, a path or an id. */
const namelike = 2

/** Words of requests that name nothing. */
const ordinary = new Set('about from have into need only should show take that then there these they this what when where which will with would'.split(' '))

interface PlacedSource extends PassageSource {
  readonly index: number
  readonly label: string
}

function passageEntries(
  messages: readonly Message[],
  indices: readonly number[],
  budget: Tokens,
  already: string,
  { estimator, weights: byRole }: RecordOptions,
): readonly RecordEntry[] {
  const sources = sourcesOf(messages, indices, byRole)
  const present = new Set<string>()
  scanTerms(already, (name) => present.add(name))
  const chosen = selectPassages(sources, budget, { estimator, present, asked: askedWords(messages), recent: recentWords(messages) })
  return sources.flatMap(({ index, label, text }, at): readonly RecordEntry[] => {
    const passages = chosen[at] ?? []
    return passages.length === 0 ? [] : [{ kind: 'passage', text: `${label}${joinPassages(text, passages)}`, sources: [index] }]
  })
}

/** What a call was about, in a few characters: the end of its first argument. */
function target(input: string): string {
  const first = input.split('\n', 1)[0] ?? ''
  const value = first.slice(first.indexOf(': ') + 2)
  return value.length <= 32 ? value : value.slice(-32).replace(/^[^/]*\//, '')
}

/** Newest messages whose words count as recent: what was said and called in the last twelve, what tools answered in the last six. */
export function recentWords(messages: readonly Message[]): RecentWords {
  const said = new Set<string>()
  const shown = new Set<string>()
  messages.slice(-12).forEach((message, at, newest) => {
    for (const part of message.parts) {
      const words = part.type === 'tool-result' ? shown : said
      if (words === said || at >= newest.length - 6) for (const word of compoundWords(partText(part))) words.add(word)
    }
  })
  return { said, shown }
}

export function sourcesOf(messages: readonly Message[], indices: readonly number[], byRole = { user: 1, assistant: 1, tool: 1 }): readonly PlacedSource[] {
  const calls = new Map<string, string>()
  const sources: PlacedSource[] = []
  const ages: number[] = []
  for (let at = messages.length - 1, age = 0; at >= 0; at--) {
    ages[at] = age
    for (const part of (messages[at] as Message).parts) age += partText(part).length
  }
  // Where outputs count for nothing, none is shown beside its call either.
  const answers = byRole.tool === 0 ? new Map<string, string>() : shortAnswers(messages, indices)
  for (const index of indices) {
    const message = messages[index] as Message
    const at = { index, age: ages[index] as number }
    const said: string[] = []
    const called: string[] = []
    const answered: string[] = []
    for (const part of message.parts) {
      if (part.type === 'text' && part.text !== '') said.push(part.text)
      else if (part.type === 'media') said.push(`(attached ${part.mediaType}${part.name === undefined ? '' : ` ${part.name}`})`)
      else if (part.type === 'tool-call') {
        const input = readableInput(part.input)
        calls.set(part.callId, target(input) || part.tool)
        called.push(`${part.tool} ${input}`)
        const answer = answers.get(part.callId)
        if (answer !== undefined) answered.push(`→ ${answer}`)
      } else if (part.type === 'tool-result' && !answers.has(part.callId)) {
        const label = calls.get(part.callId) ?? part.tool
        sources.push({ ...at, kind: part.isError === true ? 'failure' : 'output', label: `[${index}] ${label}\n`, text: part.output, weight: byRole.tool })
      }
    }
    // One text: what was said belongs to what was called, and a short answer to its call.
    const before = [...said, ...called].join('\n')
    if (before === '') continue
    const kind = message.summary !== undefined ? 'summary' : message.role === 'user' ? 'user' : 'assistant'
    sources.push({
      ...at,
      kind,
      inputsFrom: before.length - called.join('\n').length,
      outputsFrom: before.length,
      label: kind === 'assistant' ? `[${index}] ` : `[${index}] ${kind}: `,
      text: [before, ...answered].join('\n'),
      weight: kind === 'user' ? byRole.user : byRole.assistant,
    })
  }
  return sources
}

/** Outputs so short (characters) that they are read with their call. */
const shortAnswer = 160

/** Short outputs of calls that are themselves in the span, by call id. */
function shortAnswers(messages: readonly Message[], indices: readonly number[]): ReadonlyMap<string, string> {
  const called = new Set<string>()
  const answers = new Map<string, string>()
  for (const index of indices) {
    for (const part of (messages[index] as Message).parts) {
      if (part.type === 'tool-call') called.add(part.callId)
      else if (part.type === 'tool-result' && part.output.length <= shortAnswer && called.has(part.callId)) answers.set(part.callId, part.output)
    }
  }
  return answers
}
