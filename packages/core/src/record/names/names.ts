/**
 * Names worth remembering, and where they stand: paths, identifiers, numbers, addresses. Later work refers to the past through
 * them, so a text is as useful as the names it still shows in their surroundings.
 */

// Where characters may stand in a name; each also where those above it may. Punctuation at its ends belongs to the sentence, not to the name; a slash in front to the name.
const inside = 1
const first = 2
const last = 3
/** Small letters alone make no name. */
const small = 4
/** Most characters of a name. */
const longest = 200

/** A small letter, or one of an alphabet behind ASCII: from `À` to before Thai. */
export const isLowerCase = (code: number): boolean => places[code] === small

/** Where each character, in UTF-16, may stand: of what is not ASCII, letters of alphabets whose words have spaces between them. */
const places = new Uint8Array(65_536)
for (let code = 0; code < 0xe00; code++) {
  const character = String.fromCharCode(code)
  places[code] = /[a-zÀ-\u0dff]/.test(character)
    ? small
    : /[\w$@~#]/.test(character)
      ? last
      : character === '/'
        ? first
        : /[.:%+=&?-]/.test(character)
          ? inside
          : 0
}

const piece = /[\w$À-\u0dff][\w$À-\u0dff-]{2,}(?:\.[a-z]{1,5}(?!\w))?/g

/**
 * Calls `found` for each name in the text, in order; the parts of a compound (the file of a path, the member of an object) follow it.
 *
 * @param from Where to begin.
 * @param most Characters in which they may begin.
 * @param worthOf What is a name: of which it is more than 0.
 * @param length Where it ends.
 * @returns Where to go on; the length at its end.
 */
export function scanTerms(
  text: string,
  found: NameFound,
  from = 0,
  most: number = Infinity,
  worthOf: NameWorth = nameWorth,
  length: number = text.length,
): number {
  for (let at = from; at < length; ) {
    let least = places[text.charCodeAt(at)] as number
    if (least < first) {
      at++
      continue
    }
    if (at - from >= most) return at
    const limit = Math.min(length, at + longest)
    let beyond = at + 1
    for (; beyond < limit; beyond++) {
      const place = places[text.charCodeAt(beyond)] as number
      if (place < inside) break
      least = Math.min(least, place)
    }
    let end = beyond
    while (end > at + 2 && (places[text.charCodeAt(end - 1)] as number) < last) end--
    if (end < at + 3) {
      // Marks alone: where they end, or at the last of so many that a name may stand behind them.
      at = beyond < limit || limit === length ? beyond : beyond - 1
      continue
    }
    const worth = least === small && worthOf === nameWorth ? 0 : worthOf(text, at, end)
    if (worth > 0) {
      const token = text.slice(at, end)
      found(token, at, end, worth)
      if (compound.test(token)) scanParts(token, at, found)
    }
    at = end
  }
  return length
}

/** How much a token looks like a name: all of a text, or a part of it. */
export type NameWorth = (text: string, start?: number, end?: number) => number

/** A name with its place, and how much it looks like one (`nameWorth`). */
type NameFound = (name: string, start: number, end: number, worth: number) => void

function scanParts(token: string, start: number, found: NameFound): void {
  piece.lastIndex = 0
  for (let part = piece.exec(token); part !== null; part = piece.exec(token)) {
    const [own] = part
    const worth = own.length < token.length ? nameWorth(own) : 0
    if (worth > 0) found(own, start + part.index, start + part.index + own.length, worth)
  }
}

/** The names of a text, in order: identifiers, paths, ids, numbers; ordinary words are none. */
export function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  scanTerms(text, (name, _start, _end, worth) => worth >= 0.5 && names.add(name))
  return names
}

const compound = /[/.:#=&?]/

// Marks that a name was seen with.
const slash = 1
const underscore = 2
const joint = 4
const other = 8

/**
 * How much a token looks like a name rather than a word: 0 a word or too short, 0.3 words with marks between them, 0.5 a number,
 * 1 a shouted word, 2 an identifier, a path or an id.
 */
export function nameWorth(text: string, start = 0, end: number = text.length): number {
  const length = end - start
  if (length < 3) return 0
  let letters = 0
  let digits = 0
  let upper = 0
  let humps = 0
  let marks = 0
  let dots = 0
  let kinds = 0
  let wasLower = false
  let lowerFrom = start
  let dot = -1
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    const isLower = isLowerCase(code)
    if (isLower) letters++
    else {
      lowerFrom = at + 1
      if (code >= 65 && code <= 90) {
        letters++
        upper++
        if (wasLower) humps++
      } else if (code >= 48 && code <= 57) digits++
      else {
        marks++
        if (code === 46) {
          dots++
          dot = at
        } else if (code !== 45) kinds |= code === 47 ? slash : code === 95 ? underscore : code === 58 || code === 61 || code === 40 ? joint : other
      }
    }
    wasLower = isLower
  }
  if (letters === 0) return digits >= 4 || (digits >= 2 && marks > 0) ? 0.5 : 0
  if ((kinds & slash) > 0) return 2
  // A file: one dot, and a few small letters to its end.
  if (dots === 1 && (kinds & (joint | other)) === 0 && dot > start && lowerFrom === dot + 1 && end - lowerFrom >= 1 && end - lowerFrom <= 5) return 2
  // Where an element stands in one snapshot of a page is void with the next.
  if (dots > 0 || (kinds & joint) > 0) return /ref=|uid=/.test(text.slice(start, start + 4)) ? 0 : 0.3
  if (humps > 0 || (kinds & underscore) > 0) return 2
  if (digits > 0) return length >= 7 || upper > 0 ? 2 : 0.5
  if (marks > 0) return 0.5
  return upper >= 3 && upper === letters ? 1 : 0
}

/** The same, where words of six letters and more are names too, if hardly: prose has no others. */
export function wordWorth(text: string, start = 0, end: number = text.length): number {
  return nameWorth(text, start, end) || (end - start >= 6 && /\p{L}/u.test(text.slice(start, end)) ? 0.05 : 0)
}

/** Words by which a line speaks of a failure, as a pattern. */
export const failureWords = "error|exception|fatal|panic|fail(?:ed|ure)|cannot|can't|undefined|not found|no such|denied|refused|timed? ?out|traceback"

/** Calls `found` for each line that speaks of a failure in few words, as a name of its own: its exact wording is what it is good for. */
export function scanErrorLines(text: string, found: (line: string, start: number, end: number) => void): void {
  aboutFailure.lastIndex = 0
  for (let match = aboutFailure.exec(text); match !== null; match = aboutFailure.exec(text)) {
    const start = text.lastIndexOf('\n', match.index) + 1
    const stop = text.indexOf('\n', match.index)
    const end = stop < 0 ? text.length : stop
    aboutFailure.lastIndex = end
    if (end - start < 25 || end - start > 200) continue
    const line = text.slice(start, end)
    const number = lineNumber.exec(line)?.[0].length ?? 0
    const trimmed = line.slice(number).trim()
    const from = start + line.indexOf(trimmed, number)
    if (trimmed.length >= 25 && trimmed.length <= 160) found(trimmed, from, from + trimmed.length)
  }
}

/** A number that a tool put before a line of a file: not part of the line. */
const lineNumber = /^ *\d{1,6}(?:→|\t|: ?|\| ?)/

/** Wider than what reports a failure: code that handles one is written again word for word when it is edited. */
const aboutFailure = /* @__PURE__ */ new RegExp(failureWords, 'gi')
