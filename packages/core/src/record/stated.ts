import { memoized } from '../history/memoize.ts'
import type { ToolResultPart } from '../history/message.ts'
import { namesIn } from './names.ts'

/** Characters of a sentence that says something, lines of one text that are looked at, and characters from which on a text is read once. */
const shortest = 24
const longest = 240
const mostLines = 4_000
const longText = 2_000
/** Share of the lines up to which sentences are what stands out. */
const rare = 0.1

/** A capital letter and a full stop; none of the marks that code and data are full of. */
const sentence = /^(?:[-•] )?\p{Lu}[^{}<>;=|\\]*[.!]$/u
/** Words that are no names, and how many of them make a sentence. */
const word = /(?:^| )\p{Ll}{2,}(?=[ ,.])/gu
const fewestWords = 3

const known = new WeakMap<ToolResultPart, readonly string[]>()
const none: readonly string[] = []

/** Sentences that a tool's output states among lines that are none, word for word: in a log, in code, in a listing. What was read of a long one is remembered with it. */
export function statedBy(part: ToolResultPart): readonly string[] {
  return part.output.length < longText ? statedIn(part.output) : memoized(known, part, () => statedIn(part.output))
}

/** The same of a text: those that name something, each once. */
export function statedIn(text: string): readonly string[] {
  const found = new Set<string>()
  let [lines, sentences] = [0, 0]
  for (const line of text.split('\n', mostLines)) {
    const trimmed = line.trim()
    if (trimmed === '') continue
    lines++
    if (trimmed.length < shortest || trimmed.length > longest || !isSentence(trimmed)) continue
    sentences++
    if (namesIn(trimmed).size > 0) found.add(trimmed)
  }
  return found.size === 0 || sentences > lines * rare ? none : [...found]
}

function isSentence(line: string): boolean {
  return sentence.test(line) && (line.match(word)?.length ?? 0) >= fewestWords
}

/** How often a tool may say the same of different things before it is a form that it fills in. */
const mostAlike = 2

/** What is said in words of its own: not what a tool says each time, of another name. */
export function withoutForms<T extends { readonly text: string }>(stated: readonly T[]): readonly T[] {
  const forms = stated.map(({ text }) => formOf(text))
  const counts = new Map<string, number>()
  for (const form of forms) counts.set(form, (counts.get(form) ?? 0) + 1)
  return stated.filter((_, at) => (counts.get(forms[at] as string) as number) <= mostAlike)
}

function formOf(text: string): string {
  const names = namesIn(text)
  return text.replace(/\S+/g, (word) => (names.has(word.replace(/^\W+|\W+$/g, '')) || /\d|\//.test(word) ? '…' : word))
}
