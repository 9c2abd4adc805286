import { hashOf } from '../../history/hash.ts'
import type { MediaPart } from '../../history/message.ts'
import { oneLine } from './truncate.ts'

// Who speaks is said by marks of ours at the beginning of a line: headings, `[4] user:`, `[5]>` and `>` for tools. Whatever in a text of others looks like one gets a backslash.

/** What a reader looks past at the beginning of a line: blanks, invisible letters, control characters, marks of Markdown. */
const blank = '\\0-\\t\\x0e-\\x1f\\x7f\\p{Zs}\\u2800\\p{Cf}\\p{DI}\\p{M}>*_'
/** Where some reader sees a new line, and backslashes of ours, so that each can be taken away again. */
const lineStart = `((?:^|[\\n\\r\\v\\f\\x85\\u2028\\u2029])[${blank}\\\\]*)`
const number = '[[［] *-?\\d+ *[\\]］]'
const speaker = `(?:(?:[→⇒] *)?${number} *)?(?:user|human|system|developer|assistant|tool|summary|approval)\\b[*_]{0,2} *(?:[,(][^:\\n]{0,40})?[:：]`
const task = '(?:[-+*]|\\d{1,3}[.)]) *\\[[ xX]\\]'
// Functions, so that a bundle holds only those patterns that it uses.
const turns = (): string => `#{2,6}[\\s\\p{L}]|${task}|${speaker}|${number} +[a-z]{3}|\\[(?:\\d+ more |end of |more |messages? \\d|the whole )`
const ours = (): string => `#{2,6}[\\s\\p{L}]|${task}|${speaker}|(?:[→⇒] *)?${number}`
/** The first `>` of a line is what a reader goes by: the backslash stands before that one, whatever follows. */
const oursOrQuote = (): string => `${lineStart.replace('>', '')}(?=>)|${lineStart}(?=${ours()})`

const matcher = (pattern: () => string, flags = 'giu'): RegExp => new RegExp(pattern(), flags)
const before = (mark: () => string): RegExp => matcher(() => `${lineStart}(?=${mark()})`)

const inRecord = /* @__PURE__ */ before(ours)
const inSpeech = /* @__PURE__ */ matcher(oursOrQuote)
const inTranscript = /* @__PURE__ */ before(turns)
const inSummary = /* @__PURE__ */ before(() => `#{3,6}[\\s\\p{L}]|${speaker}`)
const begun = /* @__PURE__ */ matcher(() => `^[${blank}]*(?:${turns()})`, 'iu')

/** What a tool printed, in a record: each line that looks like a mark of ours with a backslash before the mark. Taking one backslash away gives the text back. */
export function quoted(text: string): string {
  return text.replace(inRecord, '$1\\')
}

/** What somebody said, in a record: what tools answered stands behind `>` there. */
export function quotedSpeech(text: string): string {
  return text.replace(inSpeech, '$&\\')
}

/** The same in a transcript, whose marks are `[4] user:` and the like. */
export function quotedTurn(text: string): string {
  return text.replace(inTranscript, '$1\\')
}

/** The same for a summary, which has headings and numbered lines of its own: it may not look like the record below it, and nobody speaks in it. */
export function quotedSummary(text: string): string {
  return text.replace(inSummary, '$1\\')
}

/** A place at or after `at` where a transcript can be cut: within no mark, and so that what follows does not begin like one. */
export function cutBesideMarks(transcript: string, at: number): number {
  const start = transcript.lastIndexOf('\n', at - 1) + 1
  if (at <= start) return at
  const own = start + (/^\[\d+\] [^\n:]*:/.exec(transcript.slice(start, start + 300))?.[0].length ?? 0)
  if (at < own) return own
  const mark = begun.exec(transcript.slice(at, at + 1_000))
  return mark === null ? at : cutBesideMarks(transcript, at + mark[0].search(/\S/) + 1)
}

/** What a user said, word for word: where a line of it looks like a mark of ours, between a mark that does not occur in it and the same mark again. */
export function quotedRequest(index: number, text: string): string {
  if (quotedSpeech(text) === text) return `[${index}] user: ${text}`
  let fence = ''
  for (let hash = hashOf(text); fence === '' || text.includes(fence); hash = hashOf(hash)) fence = `"${hash.slice(0, 6)}"`
  return `[${index}] user, up to ${fence}:\n${text}\n${fence}`
}

/** A file of a message, on one line: what it is, and what whoever made it called it. */
export function attachmentNote({ mediaType, name = '' }: MediaPart): string {
  return oneLine(mediaType.replaceAll(':', '') + (name && `: ${name}`), 280)
}
