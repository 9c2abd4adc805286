import { isBlank, isSpace, isStop } from './chars.ts'
import { isPlaceholder, typeOrCode } from './judge.ts'

/** Most characters of the space beside an operator, and of a value. */
export const widestGap = 80
const longestValue = 4_000

/** What stands behind a name and its operator. */
export interface Value {
  readonly start: number
  readonly end: number
  readonly quoted: boolean
  /** The rest of a line, whatever signs are in it. */
  readonly isLine?: boolean
}

/** @param below Whether the value may stand on the next line, as in XML and in blocks of YAML. */
export function valueAt(text: string, to: number, below: boolean): Value | undefined {
  let at = to
  const most = Math.min(text.length, to + widestGap)
  while (at < most && isBlank(text, at)) at++
  // YAML: an anchor and a tag in front of the value, `name: &anchor !vault |`. Shell: a line that goes on.
  const marks = below ? /^(?:(?:&[\w-]{1,60}|!{1,2}[\w./:-]{0,60})[ \t]{1,8}(?=[^\s=])){1,2}|^\\\r?\n[ \t]{0,40}/.exec(text.slice(at, at + 160)) : null
  if (marks !== null) at += marks[0].length
  // YAML: `name: |`, `name: >-`, a tag; then the next line.
  const block = below ? /^(?:[|>][+-]?\d?|![!a-zA-Z]+)?[ \t]{0,8}(?:#[^\n]{0,80})?\r?\n(?:[ \t]{1,40}(?:- )?|- )/.exec(text.slice(at, at + 160)) : null
  if (block !== null) at += block[0].length
  else if (text[at] === '>' && /\r?\n\s/.test(text.slice(at + 1, at + 4))) at++
  // `{ "password": { "value": … } }`
  const inner = /^\{\s{0,40}["']?(?:value|default|plain|text|secret|data)["']?\s{0,4}:\s{0,4}/.exec(text.slice(at, at + 64))
  if (inner !== null) at += inner[0].length
  // Prefixes of strings: Python's b"", r"", C#'s @"", C++'s R"(".
  const prefix = /^(?:[bBrRuUfFLN@$]{1,2}(?=["'])|new \w+\(|str\(|string\(\d{1,6}\)|[[({])[ \t]{0,2}(?:(?<=[[(][ \t]{0,2})\r?\n[ \t]{0,40})?/.exec(
    text.slice(at, at + 64),
  )
  if (prefix !== null) at += prefix[0].length
  const quote = text[at]
  if (quote === '"' || quote === "'" || quote === '`') {
    const triple = text.startsWith(quote.repeat(3), at) ? 3 : 1
    const start = at + triple
    const end = closing(text, start, quote.repeat(triple))
    return end > start ? trimmed(text, start, end) : undefined
  }
  let end = at
  const last = Math.min(text.length, at + longestValue)
  while (end < last && !isStop(text.charCodeAt(end))) end++
  // What is called or looked up is code.
  if (text[end] === '(' || text[end] === '[') return undefined
  while (end > at && /[.:!?)]/.test(text[end - 1] as string)) end--
  return end > at ? { start: at, end, quoted: false } : undefined
}

/**
 * A password with signs in it at which values end elsewhere: the rest of a line without blanks or quotes, where nothing says that it is code or a list.
 *
 * @param to Where the operator ends, of which the name begins the line.
 */
export function restOfLine(text: string, to: number): Value | undefined {
  let start = to
  while (start < to + widestGap && isBlank(text, start)) start++
  const [rest = ''] = /^[^\s"'`\\]{4,200}(?=[ \t]{0,8}\r?(?:\n|$))/.exec(text.slice(start, start + 220)) ?? []
  const [head = ''] = /^[^;&,<>|()[\]{}]*/.exec(rest) ?? []
  if (head.length < 2 || /^[;,)\]}]*$/.test(rest.slice(head.length)) || isPlaceholder(head) || typeOrCode.test(head)) return undefined
  if (!/\d/.test(rest) || !/[a-z]/i.test(rest) || head.startsWith('^') || isPlaceholder(rest)) return undefined
  // Other assignments, comparisons, calls, words to choose from.
  if (/[;&,|][\w.-]*[=:]|&&|\|\||[=!]=|=>|\$\(|[()[\]{},][;,]?$|<\/|^[a-z]+\d{0,3}(?:[|,][a-z]+\d{0,3})+$/i.test(rest)) return undefined
  return { start, end: start + rest.length, quoted: false, isLine: true }
}

function trimmed(text: string, from: number, to: number): Value | undefined {
  let [start, end] = [from, to]
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return end > start ? { start, end, quoted: true } : undefined
}

/** Where a quotation ends: at its own sign, on its own line where it has one; -1 where it does not. */
function closing(text: string, start: number, quote: string): number {
  const most = Math.min(text.length, start + longestValue)
  for (let at = start; at < most; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === quote[0] && text.startsWith(quote, at)) return at
    else if (char === '\n' && quote.length === 1 && quote !== '`') return -1
  }
  return -1
}
