import { joinPassages, type PassageSource, selectPassages, wordsOf } from './condense.ts'
import type { TokenEstimator } from './estimate.ts'
import { type DigestEntry, extractFacts, readableInput } from './facts.ts'
import { isUserRequest, type Message, type Tokens, textOf } from './message.ts'
import { clip } from './prune/outputs.ts'
import { scanTerms } from './salience.ts'
import { cutMiddle } from './summary/transcript.ts'

export type { DigestEntry } from './facts.ts'

/** The record of a span, made without a model: the same input gives the same bytes. */
export interface Digest {
  readonly text: string
  readonly entries: readonly DigestEntry[]
}

export interface DigestOptions {
  /** Most Tokens of the text; used up as far as there is something to say. */
  readonly budget: Tokens
  /** Most of them for the user's own words. */
  readonly requests: Tokens
  readonly estimator: TokenEstimator
  /** Text that the reader sees anyway: lines in it are not repeated, names in it count less. */
  readonly already: string
  /** Facts of the span, where they are known already. */
  readonly facts?: readonly DigestEntry[]
  /** How much the words of each role count; 1 is ordinary. */
  readonly weights?: { readonly user: number; readonly assistant: number; readonly tool: number }
}

/** Facts may take this share of the budget; the rest shows passages, which keep names in their surroundings. */
const factShare = 0.12
const longestRequest = 2_000 // characters of one older request; source: shipping-agents §5.3 (kimi-code)

/**
 * Writes the record of the messages that a summary replaces: the user's requests word for word (first and newest always), what was done to
 * which file, commands, failed attempts and errors in their exact words, and passages that show as many names as possible where they stood.
 *
 * @param indices Messages to record, ascending.
 */
export function digest(messages: readonly Message[], indices: readonly number[], options: DigestOptions): Digest {
  const { estimator, budget } = options
  const lines: string[] = []
  const entries: DigestEntry[] = []
  let left = budget
  const add = (line: string, entry?: DigestEntry): boolean => {
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
    const own = facts.filter((entry) => entry.kind === kind)
    if (own.length === 0 || left - 8 <= floor || !add(title)) continue
    for (const entry of own) if (left > floor) add(`- ${entry.text}`, entry)
  }

  if (left > 60 && add('### Excerpts, by message number')) {
    const passages = passageEntries(messages, indices, left, [options.already, ...lines].join('\n'), options)
    for (const entry of passages) add(entry.text, entry)
  }
  if (lines.at(-1)?.startsWith('### ')) lines.pop()
  return { text: lines.join('\n'), entries }
}

const factSections: readonly (readonly [DigestEntry['kind'], string])[] = [
  ['file-changed', '### Files changed'],
  ['error', '### Errors'],
  ['command', '### Commands'],
  ['file-read', '### Files read'],
]

/** First and newest request always, then newest to oldest while the budget lasts; in the order of the history. */
function requestEntries(messages: readonly Message[], indices: readonly number[], budget: Tokens, options: DigestOptions): readonly DigestEntry[] {
  const all = indices.filter((index) => isUserRequest(messages[index] as Message) && textOf(messages[index] as Message) !== '')
  const order = [...new Set([all.at(-1), all[0], ...all.toReversed()])].filter((index) => index !== undefined)
  const chosen: DigestEntry[] = []
  let left = budget
  for (const index of order) {
    const text = textOf(messages[index] as Message)
    if (options.already.includes(text)) continue
    const longest = Math.min(longestRequest, Math.max(80, left * 3))
    const entry: DigestEntry = { kind: 'request', text: `[${index}] ${cutMiddle(text, longest)}`, sources: [index] }
    const tokens = options.estimator.count(entry.text) + 1
    if (tokens > left) break
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
    for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return new Set([...counts].filter(([word, count]) => !ordinary.has(word) && count <= Math.max(3, requests / 2)).map(([word]) => word))
}

/** Words of requests that name nothing. */
const ordinary = new Set(
  'about above after again also because been before being below could does doing done down during each even every files first from give have having here into just know let like line lines look make more most much need next note only other over please same should show some such sure take than that their them then there these they thing this those through under until very want well were what when where which while will with work would your'.split(
    ' ',
  ),
)

interface PlacedSource extends PassageSource {
  readonly index: number
  readonly label: string
}

function passageEntries(
  messages: readonly Message[],
  indices: readonly number[],
  budget: Tokens,
  already: string,
  { estimator, weights: byRole }: DigestOptions,
): readonly DigestEntry[] {
  const sources = sourcesOf(messages, indices, byRole).map((source) => ({ ...source, heading: estimator.count(source.label) + 2 }))
  const present = new Set<string>()
  scanTerms(already, (name) => present.add(name))
  const chosen = selectPassages(sources, budget, { estimator, present, asked: askedWords(messages) })
  const entries: DigestEntry[] = []
  sources.forEach((source, at) => {
    const passages = chosen[at] ?? []
    if (passages.length === 0) return
    entries.push({ kind: 'passage', text: `${source.label}\n${joinPassages(source.text, passages)}`, sources: [source.index] })
  })
  return entries
}

/** What each kind of text is worth to whoever goes on: the user's and the agent's own words refer to what mattered. */
const weights = { user: 1.6, assistant: 1.3, input: 1.3, output: 1, failure: 1.3, summary: 1.5 } as const

/** What a call was about, in a few characters: the end of its first argument. */
function target(input: string): string {
  const first = input.split('\n', 1)[0] ?? ''
  const value = first.slice(first.indexOf(': ') + 2)
  return value.length <= 32 ? value : `…${value.slice(-32)}`
}

/** A short output is the answer to a pointed question; a name in a long one is one of many. From 0.5 (long) to 2.5 (short). */
function concentration(characters: number): number {
  return Math.min(2.5, Math.max(0.5, (1_500 / (characters + 20)) ** 0.4))
}

function sourcesOf(messages: readonly Message[], indices: readonly number[], byRole = { user: 1, assistant: 1, tool: 1 }): readonly PlacedSource[] {
  const calls = new Map<string, string>()
  const sources: PlacedSource[] = []
  for (const index of indices) {
    const message = messages[index] as Message
    for (const part of message.parts) {
      if (part.type === 'text' && part.text !== '') {
        const user = message.role === 'user'
        const weight = message.summary !== undefined ? weights.summary : user ? weights.user * byRole.user : weights.assistant * byRole.assistant
        sources.push({ index, label: `[${index}] ${message.role}`, text: part.text, weight })
      } else if (part.type === 'tool-call') {
        const input = readableInput(part.input)
        calls.set(part.callId, `${part.tool} ${target(input)}`)
        sources.push({ index, label: `[${index}] ${part.tool}(`, text: input, weight: weights.input * byRole.assistant })
      } else if (part.type === 'tool-result') {
        const label = calls.get(part.callId) ?? part.tool
        const weight = part.isError === true ? weights.failure : weights.output
        sources.push({ index, label: `[${index}] ${label}`, text: part.output, weight: weight * concentration(part.output.length) * byRole.tool })
      }
    }
  }
  return sources
}
