import { collapsed, sentencesOf, unnumbered } from './wording.ts'

const shortest = 12 // characters of a piece that can be told from chance

/** What the excerpts of an account may be copied from. */
export interface Source {
  /** Lines and sentences, white space collapsed, with and without the numbers and list marks in front. */
  readonly whole: ReadonlySet<string>
  /** All of it, white space collapsed. */
  readonly flat: string
}

export function sourceOf(texts: readonly string[]): Source {
  const whole = new Set<string>()
  for (const text of texts) {
    for (const line of text.split(/\r?\n/)) {
      whole.add(collapsed(line))
      whole.add(collapsed(unnumbered(line)))
    }
    for (const sentence of sentencesOf(text)) whole.add(sentence)
  }
  return { whole, flat: texts.map(collapsed).join(' ') }
}

/** Characters of a text that are copied from the source, and how many of them stand in whole lines or sentences of it. */
export function wholeLinesOf(text: string, source: Source): { readonly copied: number; readonly whole: number } {
  let copied = 0
  let whole = 0
  for (const line of text.split('\n')) {
    const labelled = /^(?:- )?\[\d[\d–-]*\] /.exec(line)
    const pieces = (labelled === null ? line : line.slice(labelled[0].length)).split(/…|\.\.\./)
    for (const [at, raw] of pieces.entries()) {
      const piece = collapsed(raw)
      if (piece.length < shortest) continue
      // The words before a gap or after it may still be whole sentences.
      const parts = source.whole.has(piece) || source.whole.has(collapsed(unnumbered(piece))) ? [piece] : split(piece)
      for (const part of parts) {
        const bare = collapsed(part.replace(/^(?:user|assistant|summary): |^(?:- |→ )/, ''))
        if (bare.length < shortest) continue
        const isWhole = source.whole.has(bare) || source.whole.has(collapsed(unnumbered(bare)))
        if (!isWhole && !source.flat.includes(bare)) continue // not copied: the account's own words
        // What a message is about, in words that are not cut, is a label and no excerpt.
        if (!isWhole && labelled !== null && pieces.length === 1 && at === 0 && !isCut(bare, source.flat)) continue
        copied += bare.length
        if (isWhole) whole += bare.length
      }
    }
  }
  return { copied, whole }
}

/** Sentences with what is left between them. */
function split(piece: string): readonly string[] {
  return piece.split(/(?<=[.!?])\s+/)
}

/** Whether a piece begins or ends within a word, wherever it stands in the source. */
function isCut(piece: string, flat: string): boolean {
  const word = /[\p{L}\p{N}_]/u
  for (let at = flat.indexOf(piece), seen = 0; at >= 0 && seen < 20; at = flat.indexOf(piece, at + 1), seen++) {
    const before = at > 0 && word.test(flat.charAt(at - 1)) && word.test(piece.charAt(0))
    const end = at + piece.length
    const after = end < flat.length && word.test(flat.charAt(end)) && word.test(piece.charAt(piece.length - 1))
    if (!before && !after) return false
  }
  return true
}
