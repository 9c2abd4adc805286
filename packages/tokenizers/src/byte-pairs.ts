/** A vocabulary as js-tiktoken ships it. */
export interface Vocabulary {
  readonly pat_str: string
  readonly bpe_ranks: string
}

/** Bytes as characters, one each: a key of the ranks, and cheap to cut. */
type Bytes = string

/** More than any rank. */
const none = 0x7fffffff

/**
 * Counts the tokens of a text as js-tiktoken does, from its vocabulary. Its own merge looks every neighboring pair up again, by its bytes in decimals, for each
 * token that it makes; here a pair is looked up once.
 */
export function bytePairCounter({ pat_str, bpe_ranks }: Vocabulary): (text: string) => number {
  const ranks = ranksIn(bpe_ranks)
  const parts = new RegExp(pat_str, 'gu')
  return (text) => {
    let total = 0
    for (const [part] of text.matchAll(parts)) total += countOf(bytesOf(part), ranks)
    return total
  }
}

/** Lines of an offset and the tokens from there on, in base64. */
function ranksIn(lines: string): ReadonlyMap<Bytes, number> {
  const ranks = new Map<Bytes, number>()
  for (const line of lines.split('\n')) {
    const [, offset, ...tokens] = line.split(' ')
    for (const [at, token] of tokens.entries()) ranks.set(atob(token), Number(offset) + at)
  }
  return ranks
}

const encoder = new TextEncoder()
const notAscii = /[^\0-\x7f]/

function bytesOf(text: string): Bytes {
  if (!notAscii.test(text)) return text
  let bytes = ''
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte)
  return bytes
}

/** Joins the pair with the lowest rank, the first of several, until none has one. */
function countOf(bytes: Bytes, ranks: ReadonlyMap<Bytes, number>): number {
  if (ranks.has(bytes)) return 1
  const starts = Array.from({ length: bytes.length + 1 }, (_, at) => at)
  /** Of the pair that begins at this place of `starts`. */
  const rankAt = (at: number): number => (at + 2 < starts.length ? (ranks.get(bytes.slice(starts[at], starts[at + 2])) ?? none) : none)
  const pairs = starts.map((_, at) => rankAt(at))
  for (;;) {
    let lowest = 0
    for (let at = 1; at < pairs.length; at++) if ((pairs[at] as number) < (pairs[lowest] as number)) lowest = at
    if ((pairs[lowest] ?? none) === none) return starts.length - 1
    starts.splice(lowest + 1, 1)
    pairs.splice(lowest + 1, 1)
    pairs[lowest] = rankAt(lowest)
    if (lowest > 0) pairs[lowest - 1] = rankAt(lowest - 1)
  }
}
