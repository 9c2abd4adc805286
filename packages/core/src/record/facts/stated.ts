import { namesIn } from '../names/names.ts'
import { countsOf } from '../texts/counts.ts'

/** Characters of a sentence that says something, lines of one text that are looked at, and share of them up to which sentences are what stands out. */
const shortest = 24
const longest = 240
const mostLines = 4_000
const rare = 0.1

/** A capital letter and a full stop; none of the marks that code and data are full of. */
const sentence = /^(?:[-•] )?\p{Lu}[^{}<>;=|\\]*[.!]$/u
/** Words that are no names, and how many of them make a sentence. */
const word = /(?:^| )\p{Ll}{2,}(?=[ ,.])/gu
const fewestWords = 3

/** Sentences that a tool's output states among lines that are none, in a log, in code, in a listing: those that name something, word for word, each once. */
export function statedIn(text: string): readonly string[] {
  const lines = text
    .split('\n', mostLines)
    .map((line) => line.trim())
    .filter(Boolean)
  const sentences = lines.filter(isSentence)
  const found = sentences.length > lines.length * rare ? [] : sentences.filter((one) => namesIn(one).size > 0)
  return [...new Set(found)]
}

function isSentence(line: string): boolean {
  return line.length >= shortest && line.length <= longest && sentence.test(line) && (line.match(word)?.length ?? 0) >= fewestWords
}

/** How often a tool may say the same of different things before it is a form that it fills in. */
const mostAlike = 2

/** What is said in words of its own: not what a tool says each time, of another name. */
export function withoutForms<T extends { readonly text: string }>(stated: readonly T[]): readonly T[] {
  const forms = stated.map(({ text }) => text.replace(/\S*[^\p{Ll}\s]\S*/gu, '…'))
  const counts = countsOf(forms.map((form) => [form]))
  return stated.filter((_, at) => (counts.get(forms[at] as string) as number) <= mostAlike)
}
