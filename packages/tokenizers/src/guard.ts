/** Characters of one unbroken run that a tokenizer is given at once: its time grows with the square of them. */
const longestRun = 256

/** Letters, blanks or signs without anything between them, and what `o200k_base` takes in behind signs: line breaks with slashes. Digits are cut by the tokenizers themselves. */
const unbroken = /[\p{L}\p{M}]{257,}|\s{257,}|[^\s\p{L}\p{N}]{257,}|[\r\n/]{257,}/gu

/**
 * A count whose time grows with the text and nothing else. Exact byte-pair tokenizers are quadratic on unbroken runs: a hundred thousand times the letter "a"
 * keeps them busy for seconds. Runs of more than 256 characters are counted in pieces, which may add a token or two a piece; other texts are counted as they are.
 */
export function guarded(count: (text: string) => number): (text: string) => number {
  return (text) => {
    let total = 0
    let from = 0
    for (const { index, 0: run } of text.matchAll(unbroken)) {
      if (index > from) total += count(text.slice(from, index))
      for (const piece of piecesOf(run)) total += count(piece)
      from = index + run.length
    }
    return from === 0 ? count(text) : total + (from < text.length ? count(text.slice(from)) : 0)
  }
}

/** Characters of such a piece where each is several bytes, which is what tokenizers work on. */
const wideRun = 32

/** Pieces of a run, never cut inside a surrogate pair. */
function* piecesOf(run: string): Generator<string> {
  const length = run.charCodeAt(0) < 0x80 ? longestRun : wideRun
  for (let at = 0; at < run.length; ) {
    let end = Math.min(run.length, at + length)
    const code = run.charCodeAt(end)
    if (end < run.length && code >= 0xdc00 && code < 0xe000) end--
    yield run.slice(at, end)
    at = end
  }
}
