/** A text as its reader understands it, and where each character of it stands in the original. */
export interface Decoded {
  readonly text: string
  /** Place in the original of the character at `at` of `text`; for the end of `text`, the end of the original. */
  readonly toSource: (at: number) => number
}

/** What stands for another character: escapes of JSON and of programming languages, entities of HTML, percent signs of URLs, colors of a terminal (which stand for nothing). */
const escaped =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals write them
  /\\(?:u\{?[0-9a-fA-F]{4,6}\}?|x[0-9a-fA-F]{2}|[nrtbfv"'`\\/])|&(?:quot|apos|amp|lt|gt|nbsp|#\d{1,5}|#x[0-9a-fA-F]{1,4});|%[0-9a-fA-F]{2}|(?:\u001b|\\e|\\033|\\x1b)\[[0-9;]{0,12}m/g

const letters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' }
const entities: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>', nbsp: ' ' }

/** @returns undefined where nothing in the text stands for something else. */
export function decode(text: string): Decoded | undefined {
  const pieces: string[] = []
  /** Where plain stretches begin, in the decoded text and in the original. */
  const [decoded, original] = [[0], [0]]
  let [from, length] = [0, 0]
  for (const match of text.matchAll(escaped)) {
    const meaning = meaningOf(match[0])
    pieces.push(text.slice(from, match.index), meaning)
    length += match.index - from
    decoded.push(length)
    original.push(match.index)
    length += meaning.length
    from = match.index + match[0].length
    decoded.push(length)
    original.push(from)
  }
  if (from === 0) return undefined
  pieces.push(text.slice(from))
  return { text: pieces.join(''), toSource: (at) => placeIn(decoded, original, at) }
}

function placeIn(decoded: readonly number[], original: readonly number[], at: number): number {
  let [low, high] = [0, decoded.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((decoded[middle] as number) <= at) low = middle
    else high = middle - 1
  }
  return (original[low] as number) + at - (decoded[low] as number)
}

function meaningOf(found: string): string {
  if (found.endsWith('m') && found.includes('[')) return ''
  if (found.startsWith('%')) return String.fromCharCode(Number.parseInt(found.slice(1), 16))
  if (found.startsWith('&#x')) return String.fromCharCode(Number.parseInt(found.slice(3), 16))
  if (found.startsWith('&#')) return String.fromCharCode(Number.parseInt(found.slice(2), 10))
  if (found.startsWith('&')) return entities[found.slice(1, -1)] ?? found
  const kind = found[1] as string
  if (kind === 'u' || kind === 'x') return String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(found.replace(/[^0-9a-fA-F]/g, ''), 16)))
  return letters[kind] ?? kind
}
