import type { Finding, SecretFinder } from '@precis/core'
import { isBlank, isNameChar, isQuote } from './chars.ts'
import { aUuid, isKey, isPassword, isPlaceholder } from './judge.ts'
import { isPlural, valuesAt } from './lists.ts'
import { type Promised, promiseOf, readName, wordsOf } from './names.ts'
import { restOfLine, type Value, valueAt, widestGap } from './values.ts'

const none = -1

/** Most characters of a name. */
const longestName = 100
/** Characters that are looked at before others may have their turn. */
const atOnce = 65_536

/** `：` and `＝`, as they are typed between ideographs. */
const wideColon = 0xff1a
const wideEquals = 0xff1d
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
    if (code > 127 ? code !== wideColon && code !== wideEquals : beginsOperator[code] === 0) continue
    // Most quotes do not stand behind a space.
    if ((code === 34 || code === 39) && text.charCodeAt(at - 1) !== 32) continue
    const to = endOfOperator(text, at, code)
    if (to === none) continue
    found.push(...findAt(text, at, to, run))
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
    case wideColon:
    case wideEquals:
      return at + 1
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

function findAt(text: string, from: number, to: number, run: Run): readonly Finding[] {
  const end = endOfName(text, from)
  if (end < 0) return []
  const start = startOfName(text, end)
  if (start === end) return []
  if (text[from] === ',' && !beginsPair(text, start, from)) return []
  const { words, services, promised: own } = readName(text.slice(start, end))
  // `t.pass('…')` is what tests say, "pass 'ignore'" what documents do.
  if (words.length === 0 || (words.at(-1) === 'pass' && (text[from] === '(' || isQuote(text.charCodeAt(from))))) return []
  // "API key: …", "Client Secret = …": the words in front on the same line.
  const promised = own === 'nothing' && words.length < 3 ? promisedWithWordsBefore(text, start, words) : own
  if (promised === 'nothing' && services.length === 0) return []
  if (run.tries >= mostTries && to + widestGap < run.end) return []
  const several = promised !== 'nothing' && isPlural(words) ? severalAt(text, to, promised, words) : []
  const value =
    wholeLineAt(text, start, from, to, promised, several.length) ?? valueAt(text, to, text[from] === '>' || text[from] === ':' || text[from] === '=')
  const last = Math.max(several.at(-1)?.end ?? 0, value?.end ?? 0)
  const first = several[0]?.start ?? value?.start
  if (first === undefined) return []
  run.tries = first < run.end ? run.tries + 1 : 0
  run.end = Math.max(run.end, last)
  if (run.tries > mostTries) return []
  if (several.length > 0 || value === undefined) return several
  const secret = text.slice(value.start, value.end)
  const found = (tag: string): readonly Finding[] => [{ start: value.start, end: value.end, tag }]
  if (secret.length >= 12 && services.some((service) => service.value.test(secret)) && /\d|^[a-f]+:[a-f]+$/.test(secret)) return found('key')
  if (promised === 'nothing') return []
  const accepted =
    value.isLine === true ||
    (promised === 'password'
      ? isNumberInJson(text, from, value, words) || isPassword(secret, { quoted: value.quoted, whole: isWhole(text, start, value, text.slice(from, to)) })
      : isKey(secret, value.quoted) && (promised === 'key' || !aUuid.test(secret)))
  if (!accepted || isName(secret, words)) return []
  return found(promised === 'password' ? 'password' : 'key')
}

/** What stands behind a name of several, as far as it is what the name says. */
function severalAt(text: string, to: number, promised: Promised, words: readonly string[]): readonly Finding[] {
  const found: Finding[] = []
  for (const { start, end, quoted, named } of valuesAt(text, to)) {
    const secret = text.slice(start, end)
    const accepted =
      promised === 'password' ? isPassword(secret, { quoted, whole: true }) && (!named || isMixedUp(secret)) : isKey(secret, quoted) && !aUuid.test(secret)
    if (!accepted || isName(secret, words)) break
    found.push({ start, end, tag: promised === 'password' ? 'password' : 'key' })
  }
  return found
}

/** Letters and digits that are no word with a number behind it. */
function isMixedUp(value: string): boolean {
  return value.length >= 6 && /\d/.test(value) && /[a-z]/i.test(value) && !/^[a-z]{1,12}[-_.]?\d{0,6}$/i.test(value)
}

/** The rest of the line as the value, where the name begins the line. */
function wholeLineAt(text: string, start: number, from: number, to: number, promised: Promised, several: number): Value | undefined {
  if (several > 0 || (promised !== 'password' && promised !== 'key')) return undefined
  const operator = text.slice(from, to)
  if (operator !== '=' && (operator !== ':' || !isBlank(text, to))) return undefined
  const near = text.slice(Math.max(0, start - 40), start)
  if (!/^[ \t]*(?:(?:export|set|ENV|ARG|-)[ \t]{1,4}|[+-])?$/.test(near.slice(near.lastIndexOf('\n') + 1))) return undefined
  const value = restOfLine(text, to)
  // A key seldom has such signs in it: what stands in front of them must be one.
  const [head = ''] = value === undefined || promised === 'password' ? [] : (/^[^;&,<>|()[\]{}]*/.exec(text.slice(value.start, value.end)) ?? [])
  return promised === 'password' || isKey(head, false) ? value : undefined
}

/** `"password": 48291734`: digits alone, where a program has put a number. Under "pass" it counts something. */
function isNumberInJson(text: string, operator: number, { start, end, quoted }: Value, words: readonly string[]): boolean {
  if (quoted || text[operator - 1] !== '"' || words.at(-1) === 'pass') return false
  return /^\d{6,20}$/.test(text.slice(start, end)) && /^\s{0,40}[,}]/.test(text.slice(end, end + 42)) && !isPlaceholder(text.slice(start, end))
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
const open = new Set(['key', 'keys', 'token', 'word', 'phrase', 'secret', 'id', 'passe'])

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

/** Quotes and brackets, also as wide as an ideograph, and what makes words bold. */
function isCloser(code: number): boolean {
  return isQuote(code) || code === 93 || code === 41 || code === 125 || code === 42 || code === 0xff09 || code === 0x300d
}

function startOfName(text: string, end: number): number {
  let at = end
  const least = Math.max(0, end - longestName)
  while (at > least && isNameChar(text.charCodeAt(at - 1))) at--
  return at
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
