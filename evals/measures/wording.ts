// How texts are compared by the measures of an account: independent of the library's own splitting on purpose.

/** White space collapsed: two texts that differ in it alone are the same. */
export function collapsed(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Letters and digits alone: a record may write `key: value` where the history had JSON. */
export function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Sentences of a text, split at sentence ends and line breaks, white space collapsed, marks of lists and headings in front left out. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])\s+|[\r\n]+/)
    .map((sentence) => collapsed(sentence.replace(/^\s*(?:[-*+>#|]+\s+|\d{1,3}[.)]\s+|\[[ x]\]\s+)+/, '')))
    .filter((sentence) => sentence !== '')
}

/** A line without the number that a tool put in front of it (`346→`, `12:`, `12\t`). */
export function unnumbered(line: string): string {
  return line.replace(/^\s*\d+(?:→|\t|:(?=\s|$)|\|)/, '')
}

/** Whether a value stands in a text with at least two words (of four letters or more) of its sentence within 80 characters: what a reader without the source can use. */
export function isTold(text: string, value: string, sentence: string): boolean {
  const words = new Set(wordsOf(sentence.replace(value, ' ')))
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const near = `${text.slice(Math.max(0, at - 80), at)} ${text.slice(at + value.length, at + value.length + 80)}`
    if (new Set(wordsOf(near).filter((word) => words.has(word))).size >= 2) return true
  }
  return false
}

function wordsOf(text: string): readonly string[] {
  return (text.match(/[A-Za-z]{4,}/g) ?? []).map((word) => word.toLowerCase())
}
