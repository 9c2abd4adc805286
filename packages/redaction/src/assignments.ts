import type { Finding, SecretFinder } from '@precis/core'
import { isBlank, isNameChar, isQuote, isSpace, isStop } from './chars.ts'
import { aUuid, isKey, isPassword } from './judge.ts'
import { type Promised, promiseOf, readName, wordsOf } from './names.ts'

const none = -1

/** Most characters of a name, of the space beside an operator, and of a value. */
const longestName = 100
const widestGap = 80
const longestValue = 4_000
/** Characters that are looked at before others may have their turn. */
const atOnce = 65_536

const beginsOperator = new Uint8Array(128)
for (const sign of ':=,>|(?"\'') beginsOperator[sign.charCodeAt(0)] = 1

/** Finds what is assigned to a name that says what it is, or to the name of a service that hands out such values. */
export const assignmentFinder: SecretFinder = {
  *find(text) {
    const run: Run = { end: -1, tries: 0 }
    for (let at = 0; at < text.length; yield) {
      const found: Finding[] = []
      at = findUpTo(text, at, Math.min(text.length, at + atOnce), run, found)
      yield* found
    }
  },
}

/** @returns Where the next look begins. */
function findUpTo(text: string, from: number, until: number, run: Run, found: Finding[]): number {
  let at = from
  for (; at < until; at++) {
    const code = text.charCodeAt(at)
    if (code > 127 || beginsOperator[code] === 0) continue
    // Most quotes do not stand behind a space.
    if ((code === 34 || code === 39) && text.charCodeAt(at - 1) !== 32) continue
    const to = endOfOperator(text, at, code)
    if (to === none) continue
    const finding = findAt(text, at, to, run)
    if (finding !== undefined) found.push(finding)
    at = Math.max(at, to - 1)
  }
  return at
}

/**
 * What stands between a name and its value, in code, configuration, markup, logs and calls: `=`, `:`, `:=`, `=>`, `?=`, `+=`, `->`, `", "`, `">`, `||`.
 * @returns Where it ends; -1 where there is none.
 */
function endOfOperator(text: string, at: number, code: number): number {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at + 1)]
  switch (code) {
    case 61: // =
      return after === 61 || before === 61 || before === 33 ? none : after === 62 ? at + 2 : at + 1
    case 58: {
      let to = at + 1
      while (to < at + 3 && text[to] === ':') to++
      if (text[to] === '=') return to + 1
      return to > at + 1 || text[to] === '/' ? none : to
    }
    case 44: // the first of two arguments, or of a pair
      return (isQuote(before) || isNameChar(before)) && isQuote(text.charCodeAt(behindBlanks(text, at + 1))) ? at + 1 : none
    case 40: // setPassword("…")
      return isQuote(after) && isNameChar(before) ? at + 1 : none
    case 34: // password "…"
    case 39:
      return before === 32 && isNameChar(text.charCodeAt(at - 2)) ? at : none
    case 62: // >
      return before === 45 || isNameChar(before) || isQuote(before) ? at + 1 : none
    default: // || and ??
      return after === code ? at + 2 : none
  }
}

/** A stretch in which value after value begins inside the one before: what none of the first was, the next will not be. */
interface Run {
  end: number
  tries: number
}

const mostTries = 8

function findAt(text: string, from: number, to: number, run: Run): Finding | undefined {
  const end = endOfName(text, from)
  if (end < 0) return undefined
  const start = startOfName(text, end)
  if (start === end) return undefined
  if (text[from] === ',' && !beginsPair(text, start, from)) return undefined
  const { words, services, promised: own } = readName(text.slice(start, end))
  // `t.pass('…')` is what tests say, "pass 'ignore'" what documents do.
  if (words.length === 0 || (words.at(-1) === 'pass' && (text[from] === '(' || isQuote(text.charCodeAt(from))))) return undefined
  // "API key: …", "Client Secret = …": the words in front on the same line.
  const promised = own === 'nothing' && words.length < 3 ? promisedWithWordsBefore(text, start, words) : own
  if (promised === 'nothing' && services.length === 0) return undefined
  if (run.tries >= mostTries && to + widestGap < run.end) return undefined
  const value = valueAt(text, to, text[from] === '>' || text[from] === ':' || text[from] === '=')
  if (value === undefined) return undefined
  run.tries = value.start < run.end ? run.tries + 1 : 0
  run.end = Math.max(run.end, value.end)
  if (run.tries > mostTries) return undefined
  const secret = text.slice(value.start, value.end)
  if (secret.length >= 12 && services.some((service) => service.value.test(secret)) && /\d|^[a-f]+:[a-f]+$/.test(secret))
    return { start: value.start, end: value.end, tag: 'key' }
  if (promised === 'nothing') return undefined
  const accepted =
    promised === 'password'
      ? isPassword(secret, { quoted: value.quoted, whole: isWhole(text, start, value, text.slice(from, to)) })
      : isKey(secret, value.quoted) && (promised === 'key' || !aUuid.test(secret))
  if (!accepted || isName(secret, words)) return undefined
  return { start: value.start, end: value.end, tag: promised === 'password' ? 'password' : 'key' }
}

/** `define('NAME', '…')`, `["name", "…"]`; and without quotes `{name, "…"}`. */
function beginsPair(text: string, start: number, comma: number): boolean {
  if (!isQuote(text.charCodeAt(start - 1))) return text[start - 1] === '{' && text[start - 2] !== '$' && isNameChar(text.charCodeAt(comma - 1))
  return /[([]\s?$/.test(text.slice(Math.max(0, start - 3), start - 1))
}

function behindBlanks(text: string, from: number): number {
  let at = from
  while (at < from + widestGap && isBlank(text, at)) at++
  return at
}

/** Last words of names of which others stand in front: "key", "token ID". */
const open = new Set(['key', 'keys', 'token', 'word', 'phrase', 'secret', 'id'])

function promisedWithWordsBefore(text: string, start: number, words: readonly string[]): Promised {
  if (!open.has(words.at(-1) as string) || text[start - 1] !== ' ') return 'nothing'
  const phrase = /(?:[A-Za-z]{2,12}[ _-]){1,3}$/.exec(text.slice(Math.max(0, start - 24), start))
  return phrase === null ? 'nothing' : promiseOf([...wordsOf(phrase[0]), ...words])
}

/** Where a name ends in front of an operator: behind quotes, brackets, spaces and a type. */
function endOfName(text: string, from: number): number {
  let at = from
  const least = Math.max(0, from - widestGap)
  while (at > least && isBlank(text, at - 1)) at--
  // `?=`, `+=`, `.=`, `||=`, `??=`, `->`
  while (at === from && at > least && text[from] !== ':' && text[from] !== ',' && /[?+.|&-]/.test(text[at - 1] as string)) at--
  while (at > least && isBlank(text, at - 1)) at--
  if (text[from] !== ':') at = withoutType(text, at, least)
  for (let closers = 0; closers < 4 && at > least && isCloser(text.charCodeAt(at - 1)); closers++) at--
  return at > 0 && isNameChar(text.charCodeAt(at - 1)) ? at : -1
}

const type =
  /(?:\s[Aa]s\s|[\s:]|:\s?&?(?:'[a-z]+ )?)(?:string|String|str|text|char\[\]|char \*|CharSequence|NSString|varchar|SecureString|std::string|std::string_view|auto)\??$/

/** `let token: &str = …`, `var token string = …`: the end of the name in front of its type. */
function withoutType(text: string, end: number, least: number): number {
  if (!/[gstreo\]*?]/.test(text[end - 1] ?? '')) return end
  const found = type.exec(text.slice(Math.max(least, end - 30), end))
  if (found === null) return end
  let at = end - found[0].length
  while (at > least && (isBlank(text, at - 1) || text[at - 1] === ':')) at--
  return at
}

/** Quotes and brackets, and what makes words bold. */
function isCloser(code: number): boolean {
  return isQuote(code) || code === 93 || code === 41 || code === 125 || code === 42
}

function startOfName(text: string, end: number): number {
  let at = end
  const least = Math.max(0, end - longestName)
  while (at > least && isNameChar(text.charCodeAt(at - 1))) at--
  return at
}

interface Value {
  readonly start: number
  readonly end: number
  readonly quoted: boolean
}

/** @param below Whether the value may stand on the next line, as in XML and in blocks of YAML. */
function valueAt(text: string, to: number, below: boolean): Value | undefined {
  let at = to
  const most = Math.min(text.length, to + widestGap)
  while (at < most && isBlank(text, at)) at++
  // YAML: `name: |`, `name: >-`, an anchor, a tag; then the next line.
  const block = below ? /^(?:[|>][+-]?\d?|![!a-zA-Z]+)?[ \t]{0,8}(?:#[^\n]{0,80})?\r?\n[ \t]{1,40}(?:- )?/.exec(text.slice(at, at + 160)) : null
  if (block !== null) at += block[0].length
  else if (text[at] === '>' && /\r?\n\s/.test(text.slice(at + 1, at + 4))) at++
  // `{ "password": { "value": … } }`
  const inner = /^\{\s{0,40}["']?(?:value|default|plain|text|secret|data)["']?\s{0,4}:\s{0,4}/.exec(text.slice(at, at + 64))
  if (inner !== null) at += inner[0].length
  // Prefixes of strings: Python's b"", r"", C#'s @"", C++'s R"(".
  const prefix = /^(?:[bBrRuUfFLN@$]{1,2}(?=["'])|new \w+\(|str\(|string\(\d{1,6}\)|\[|\(|\{)[ \t]{0,2}/.exec(text.slice(at, at + 24))
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

/** Whether nothing but this assignment stands on the line, as in configuration, in URLs and in forms: what stands there is a value, not code. */
function isWhole(text: string, nameStart: number, value: Value, operator: string): boolean {
  if (operator === '=' && /[;&]/.test(text[value.end] ?? '') && /[;&?\s"']/.test(text[nameStart - 1] ?? ' ')) return true
  const near = text.slice(Math.max(0, nameStart - 40), nameStart)
  const before = near.slice(near.lastIndexOf('\n') + 1)
  if (operator === '=' && (/[?&]$/.test(before) || /^[A-Z][A-Z0-9_]*$/.test(text.slice(nameStart, nameStart + longestName).split('=', 1)[0] ?? ''))) return true
  if (value.quoted && (operator === '>' || operator === ',')) return false
  const [after = ''] = text.slice(value.end, value.end + 40).split('\n', 1)
  return (
    /^[ \t]*(?:(?:export|set|ENV|ARG|-|#|\/\/|[+])[ \t]{1,4})?["'$]?(?:env:)?[\w.-]*$|^(?:[A-Za-z]{1,12} ){1,4}$/.test(before) &&
    /^["']?[ \t]*(?:#.*|\/\/.*)?\r?$/.test(after)
  )
}

/** `password: passwordValue`: a value that is a name of the same thing. */
function isName(value: string, words: readonly string[]): boolean {
  if (!/^[A-Za-z_$][\w$-]*$/.test(value) || /\d{3}/.test(value)) return false
  const own = wordsOf(value)
  return own.length <= 4 && own.every((word) => words.includes(word) || word.length < 4) && own.some((word) => words.includes(word))
}
