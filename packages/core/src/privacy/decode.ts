import type { Pieces } from '../history/pieces.ts'

/** A text as its reader understands it, and where each character of it stands in the original. */
export interface Decoded {
  readonly text: string
  /** Place in the original of the character at `at` of `text`; for the end of `text`, the end of the original. */
  readonly toSource: (at: number) => number
}

/** `\`, the beginning of a terminal's color, a percent sign with its digits, an entity of HTML. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals write them
const beginning = /[\\\u001b]|%(?=[0-9a-fA-F]{2})|&(?=[#a-z])/g

/** The next place, `from` or behind it, where something may begin that stands for something else; `Infinity` where there is none. */
export function nextEscape(text: string, from: number): number {
  beginning.lastIndex = from
  return beginning.test(text) ? beginning.lastIndex - 1 : Infinity
}

const simple: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' }
const entities: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>', nbsp: ' ' }
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals write them
const coloring = /(?:\u001b|\\e|\\033|\\x1b|\\u001b)[[(][0-9;:?]{0,40}[a-z]/iy
const numbered = /\\u\{?((?<=\{)[0-9a-fA-F]{1,6}(?=\})|[0-9a-fA-F]{4})\}?|(?:\\x|%)([0-9a-fA-F]{2})|&#(\d{1,5});|&#x([0-9a-fA-F]{1,4});|&([a-z]{2,4});/y

/** Characters that are decoded in one piece, about. */
const charactersAtOnce = 262_144

/** @returns undefined where nothing in the text stands for something else. */
export function* decode(text: string): Pieces<Decoded | undefined> {
  let meant = ''
  /** Where plain stretches begin, in the decoded text and in the original; what stands for one character ends the stretch before. */
  const [decoded, original] = [[0], [0]]
  let [from, rested] = [0, 0]
  for (let at = nextEscape(text, 0); at < text.length; at = nextEscape(text, Math.max(from, at + 1))) {
    if (at - rested > charactersAtOnce) {
      rested = at
      yield
    }
    const found = meaningAt(text, at)
    if (!found) continue
    meant += text.slice(from, at) + found.meaning
    from = at + found.length
    decoded.push(meant.length)
    original.push(from)
  }
  if (from === 0) return undefined
  return { text: meant + text.slice(from), toSource: (at) => placeIn(decoded, original, at) }
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
  if (first === '\\') {
    const next = text[at + 1] ?? ''
    const meaning = /["'`\\/]/.test(next) ? next : simple[next]
    if (meaning !== undefined) return { meaning, length: 2 }
  }
  if (first !== '&') {
    coloring.lastIndex = at
    const colored = coloring.exec(text)
    if (colored !== null) return { meaning: '', length: colored[0].length }
  }
  numbered.lastIndex = at
  const match = numbered.exec(text)
  if (match === null) return undefined
  const [whole, unicode, byte, decimal, hexadecimal, entity] = match
  const code = decimal === undefined ? Number.parseInt(unicode ?? byte ?? hexadecimal ?? '', 16) : Number(decimal)
  const meaning = code <= 0x10ffff ? String.fromCodePoint(code) : entities[entity ?? '']
  return meaning === undefined ? undefined : { meaning, length: whole.length }
}
