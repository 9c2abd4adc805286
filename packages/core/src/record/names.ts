/**
 * Names worth remembering, and where they stand: paths, identifiers, numbers, addresses. Later work refers to the past through
 * them, so a text is as useful as the names it still shows in their surroundings.
 */

/** Punctuation at its ends belongs to the sentence, not to the name; a slash in front to the name. */
const candidate = /[\w$@~/#][\w$@~/.:#%+=&?-]{1,198}[\w$@~#]/g

const piece = /[A-Za-z0-9_$][\w$-]{2,}(?:\.[a-z]{1,5}(?![\w]))?/g

/**
 * Calls `found` for each name in the text, in order; the parts of a compound (the file of a path, the member of an object) follow it.
 *
 * @param from Where to begin.
 * @param most Characters in which they may begin.
 * @param worthOf What is a name: of which it is more than 0.
 * @returns Where to go on; the length of the text at its end.
 */
export function scanTerms(text: string, found: NameFound, from = 0, most: number = Infinity, worthOf: (token: string) => number = nameWorth): number {
  candidate.lastIndex = from
  for (let match = candidate.exec(text); match !== null; match = candidate.exec(text)) {
    if (match.index - from >= most) return match.index
    const [token] = match
    const worth = worthOf(token)
    if (worth === 0) continue
    const next = candidate.lastIndex
    found(token, match.index, next, worth)
    if (compound.test(token)) scanParts(token, match.index, found)
  }
  return text.length
}

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

/** Whether a name that ends there is a field: a colon follows, behind a quotation mark perhaps. */
export function isField(text: string, end: number): boolean {
  const next = text.charCodeAt(end)
  return next === colon || (next === quote && text.charCodeAt(end + 1) === colon)
}

const colon = 58
const quote = 34

const compound = /[/.:#=&?]/

/**
 * How much a token looks like a name rather than a word: 0 a word or too short, 0.3 words with marks between them, 0.5 a number,
 * 1 a shouted word, 2 an identifier, a path or an id.
 */
export function nameWorth(token: string): number {
  const length = token.length
  if (length < 3) return 0
  let digits = 0
  let upper = 0
  let marks = 0
  let humps = 0
  let letters = 0
  let previousLower = false
  for (let index = 0; index < length; index++) {
    const code = token.charCodeAt(index)
    const lower = code >= 97 && code <= 122
    if (lower) letters++
    else if (code >= 65 && code <= 90) {
      letters++
      upper++
      if (previousLower) humps++
    } else if (code >= 48 && code <= 57) digits++
    else marks++
    previousLower = lower
  }
  if (letters === 0) return digits >= 4 || (digits >= 2 && marks > 0) ? 0.5 : 0
  if (token.includes('/')) return 2
  if (/^[\w-]+\.[a-z]{1,5}$/.test(token)) return 2
  if (/[.:(=]/.test(token)) return 0.3
  if (humps > 0 || token.includes('_')) return 2
  if (digits > 0) return length >= 7 || upper > 0 ? 2 : 0.5
  if (marks > 0) return 0.5
  if (upper >= 3 && upper === letters) return 1
  return 0
}

/** The same, where words of six letters and more are names too, if hardly: prose has no others. */
export function wordWorth(token: string): number {
  return nameWorth(token) || (token.length >= 6 && /[A-Za-z]/.test(token) ? 0.05 : 0)
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
