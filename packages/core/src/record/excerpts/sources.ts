import { type Message, partText, type ToolResultPart, textOf } from '../../history/message.ts'
import type { Pieces } from '../../history/pieces.ts'
import type { Passage, PassageSource } from '../names/name-index.ts'
import { compoundWords, type RecentWords } from '../names/name-reuse.ts'
import { pathFields, readableInput } from '../texts/call-input.ts'
import { restOfSummary } from '../texts/carried.ts'
import { attachmentNote } from '../texts/quote.ts'
import { wordsFromUser } from '../texts/spoken.ts'
import { clip, oneLine } from '../texts/truncate.ts'
import { jsonLines } from './json-lines.ts'

/** One text of a span that excerpts are taken from. */
export interface PlacedSource extends PassageSource {
  readonly index: number
  readonly label: string
  /** Where a long output or long calls stand in it, and what they belong to. */
  readonly long?: Passage & { readonly of: Message | ToolResultPart }
}

/** Most characters of what a call was about. */
const longestLabel = 64

/** What a call was about, in a few characters: the path that it names, from the folder that all lie in, or the end of its first argument. */
function target(input: string, path: string, folder: string): string {
  const first = input.split('\n', 1)[0] ?? ''
  const value = (path.startsWith(folder) ? path.slice(folder.length) : path) || first.slice(first.indexOf(': ') + 2)
  const end = value.slice(-longestLabel)
  return value.length <= longestLabel ? value : /[/ ]/.test(end) ? end.replace(/^[^/ ]*[/ ]/, '') : clip(value, longestLabel)
}

/** The path that the arguments of a call name, as they are read: in a field, or in a patch. */
const pathIn = new RegExp(`^(?:(?:${pathFields.join('|')}): |\\*{3} \\w+ File: )(.+)$`, 'm')

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

/**
 * The texts of a span that excerpts may be taken from, in order.
 *
 * @param told Texts that the record quotes already, by message: they are not excerpted again. @param changed Files that were changed, by path, and by which message last.
 * @param folder Where paths begin in labels. Default: at their beginning.
 */
export function* sourcesOf(
  messages: readonly Message[],
  indices: readonly number[],
  byRole = { user: 1, assistant: 1, tool: 1 },
  told: ReadonlyMap<number, readonly string[]> = new Map(),
  changed: ReadonlyMap<string, number> = new Map(),
  folder = '',
): Pieces<readonly PlacedSource[]> {
  const calls = new Map<string, { readonly about: string; readonly path: string }>()
  const sources: PlacedSource[] = []
  // Where outputs count for nothing, none is shown beside its call either.
  const answers = byRole.tool === 0 ? new Map<string, string>() : shortAnswers(messages, indices, told)
  for (const index of indices) {
    if (index % 8 === 0) yield
    const message = messages[index] as Message
    const quoted = told.get(index) ?? []
    const own = wordsFromUser(message)
    // It holds a summary of ours: what that quotes of the user is still theirs.
    const carries = own.length > 0 && own[0] !== textOf(message)
    for (const one of carries ? own : []) {
      const text = without(one, quoted)
      if (text.trim() !== '') sources.push({ index, kind: 'user', label: `[${index}] user: `, text, weight: byRole.user })
    }
    const said: string[] = []
    const called: string[] = []
    const answered: string[] = []
    for (const part of message.parts) {
      if (part.type === 'text') said.push(carries ? restOfSummary(without(without(part.text, own), quoted)) : without(part.text, quoted))
      else if (part.type === 'media')
        // Nobody said what a file is called.
        sources.push({ index, kind: 'output', label: `[${index}]> attached, gone until attached again: `, text: attachmentNote(part), weight: byRole.user })
      else if (part.type === 'tool-call') {
        const input = readableInput(part.input)
        const path = pathIn.exec(input)?.[1] ?? ''
        calls.set(part.callId, { about: target(input, path, folder) || part.tool, path })
        called.push(`${part.tool} ${input}`)
        const answer = answers.get(part.callId)
        if (answer !== undefined) answered.push(answer)
      } else if (part.type === 'tool-result' && !answers.has(part.callId)) {
        const { about, path = '' } = calls.get(part.callId) ?? { about: part.tool }
        const since = (changed.get(path) ?? 0) > index ? ' (changed since)' : ''
        const text = jsonLines(part.output)
        sources.push({
          index,
          kind: part.isError ? 'failure' : 'output',
          label: `[${index}]> ${oneLine(about, 80)}${since}\n`,
          text,
          weight: byRole.tool,
          ...(isLong(part, text) && { long: { start: 0, end: text.length, of: part } }),
        })
      }
    }
    // One text: what was said belongs to what was called, and a short answer to its call.
    const before = [...said, ...called].filter((text) => text.trim() !== '').join('\n')
    if (before === '') continue
    const [start, end] = [before.length - called.join('\n').length, before.length]
    // What a host says in the user's name is shown like an output.
    const isHost = message.role === 'user' && own.length === 0
    const kind = carries || message.summary ? 'summary' : isHost ? 'output' : message.role === 'user' ? 'user' : 'assistant'
    sources.push({
      index,
      kind,
      inputsFrom: start,
      outputsFrom: end,
      ...(end - start >= longText && { long: { start, end, of: message } }),
      label: isHost || message.role === 'tool' ? `[${index}]> ` : kind === 'assistant' ? `[${index}] ` : `[${index}] ${kind}: `,
      text: [before, ...answered].join('\n'),
      weight: kind === 'user' ? byRole.user : byRole.assistant,
    })
  }
  return sources
}

/** Characters from which on an output or the calls of a message are read in part where there are many. */
const longText = 300

function isLong(part: ToolResultPart, text: string): boolean {
  return text.length >= longText && part.isError !== true
}

/** The long outputs of a message, and its calls where they are long, as they stand in the texts of a span. */
export function longTextsOf(message: Message): readonly { readonly of: Message | ToolResultPart; readonly text: string }[] {
  const calls = message.parts.filter((part) => part.type === 'tool-call').map(({ tool, input }) => `${tool} ${readableInput(input)}`)
  const outputs = message.parts.filter((part) => part.type === 'tool-result').map((of) => ({ of, text: jsonLines(of.output) }))
  return [{ of: message, text: calls.join('\n') }, ...outputs].filter(({ of, text }) => ('role' in of ? text.length >= longText : isLong(of, text)))
}

/** A text without what stands elsewhere: a gap stays a gap. */
function without(text: string, told: readonly string[] = []): string {
  let rest = text
  for (const one of told) rest = rest.replace(one, () => '')
  return rest.replace(/\n{3,}/g, '\n\n')
}

/** Outputs so short (characters) that they are read with their call. */
const shortAnswer = 160

/** Short outputs of calls that are themselves in the span, by call id. */
function shortAnswers(messages: readonly Message[], indices: readonly number[], told: ReadonlyMap<number, readonly string[]>): ReadonlyMap<string, string> {
  const called = new Set<string>()
  const answers = new Map<string, string>()
  for (const index of indices) {
    for (const part of (messages[index] as Message).parts) {
      if (part.type === 'tool-call') called.add(part.callId)
      else if (part.type === 'tool-result' && part.output.length <= shortAnswer && called.has(part.callId))
        answers.set(part.callId, without(part.output, told.get(index)))
    }
  }
  return answers
}
