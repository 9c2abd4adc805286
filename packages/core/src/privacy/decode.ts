/** A text as its reader understands it, and where each character of it stands in the original. */
export interface Decoded {
  readonly text: string
  /** Place in the original of the character at `at` of `text`; for the end of `text`, the end of the original. */
  readonly toSource: (at: number) => number
}

/** Whether something may begin here that stands for something else: `\`, an entity of HTML, a percent sign with its digits, a color of a terminal. */
export function mayBeEscape(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code > 92) return false
  if (code === 92 || code === 27) return true
  if (code !== 37 && code !== 38) return false
  const next = text.charCodeAt(at + 1)
  return code === 37 ? isHex(next) && isHex(text.charCodeAt(at + 2)) : next === 35 || (next >= 97 && next <= 122)
}

function isHex(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)
}

const simple: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', '"': '"', "'": "'", '`': '`', '\\': '\\', '/': '/' }
const entities: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>', nbsp: ' ' }
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals write them
const color = /(?:\u001b|\\e|\\033|\\x1b|\\u001b)\[[0-9;]{0,12}m/iy
const numbered = /\\u\{?([0-9a-fA-F]{4,6})\}?|\\x([0-9a-fA-F]{2})|&#(\d{1,5});|&#x([0-9a-fA-F]{1,4});|&(quot|apos|amp|lt|gt|nbsp);/y

/** @returns undefined where nothing in the text stands for something else. */
export function decode(text: string): Decoded | undefined {
  const pieces: string[] = []
  /** Where plain stretches begin, in the decoded text and in the original. */
  const [decoded, original] = [[0], [0]]
  let [from, length] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    if (!mayBeEscape(text, at)) continue
    const found = meaningAt(text, at)
    if (found === undefined) continue
    pieces.push(text.slice(from, at), found.meaning)
    length += at - from
    decoded.push(length)
    original.push(at)
    length += found.meaning.length
    from = at + found.length
    decoded.push(length)
    original.push(from)
    at = from - 1
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

interface Meaning {
  readonly meaning: string
  readonly length: number
}

function meaningAt(text: string, at: number): Meaning | undefined {
  const first = text[at]
  if (first === '%') return { meaning: String.fromCharCode(Number.parseInt(text.slice(at + 1, at + 3), 16)), length: 3 }
  if (first === '\\') {
    const meaning = simple[text[at + 1] ?? '']
    if (meaning !== undefined) return { meaning, length: 2 }
  }
  if (first !== '&') {
    color.lastIndex = at
    const colored = color.exec(text)
    if (colored !== null) return { meaning: '', length: colored[0].length }
  }
  numbered.lastIndex = at
  const match = numbered.exec(text)
  if (match === null) return undefined
  const [whole, unicode, byte, decimal, hexadecimal, entity] = match
  if (entity !== undefined) return { meaning: entities[entity] ?? '', length: whole.length }
  const code = decimal === undefined ? Number.parseInt(unicode ?? byte ?? hexadecimal ?? '', 16) : Number(decimal)
  return code > 0x10ffff ? undefined : { meaning: String.fromCodePoint(code), length: whole.length }
}
