/**
 * Names worth remembering, and where they stand: paths, identifiers, numbers, addresses. Later work refers to the past through
 * them, so a text is as useful as the names it still shows in their surroundings.
 */

/** What a sign may be in a name, as bits: its first, one within, its last. Punctuation at its ends belongs to the sentence, not to the name; a slash in front to the name. */
const [first, within, last] = [1, 2, 4]
const signs = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  return /[\w$@~#]/.test(sign) ? first | within | last : sign === '/' ? first | within : /[.:%+=&?-]/.test(sign) ? within : 0
})
/** Signs of the longest name. */
const longestName = 200

const piece = /[A-Za-z0-9_$][\w$-]{2,}(?:\.[a-z]{1,5}(?![\w]))?/g

/**
 * Calls `found` for each name in the text, in order; the parts of a compound (the file of a path, the member of an object) follow it.
 *
 * @param from Where to begin.
 * @param most Characters to look at, about.
 * @returns Where to go on; the length of the text at its end.
 */
export function scanTerms(text: string, found: (name: string, start: number, end: number) => void, from = 0, most: number = Infinity): number {
  const { length } = text
  for (let at = from; at < length; ) {
    if (!is(text, at, first)) {
      at++
      continue
    }
    const limit = Math.min(length, at + longestName)
    let border = at + 1
    while (border < limit && is(text, border, within)) border++
    let end = border
    while (end > at + 2 && !is(text, end - 1, last)) end--
    if (end < at + 3) {
      // No name ends behind here before the next sign that stands in none.
      at = border < at + longestName ? Math.max(at + 1, border) : at + 1
      continue
    }
    const token = text.slice(at, end)
    if (nameWorth(token) > 0) {
      found(token, at, end)
      if (compound.test(token)) scanParts(token, at, found)
    }
    at = end
    if (at - from >= most) return at
  }
  return length
}

function is(text: string, at: number, place: number): boolean {
  const code = text.charCodeAt(at)
  return code < 128 && ((signs[code] as number) & place) !== 0
}

function scanParts(token: string, start: number, found: (name: string, start: number, end: number) => void): void {
  piece.lastIndex = 0
  for (let part = piece.exec(token); part !== null; part = piece.exec(token)) {
    if (part[0].length < token.length && nameWorth(part[0]) > 0) found(part[0], start + part.index, start + part.index + part[0].length)
  }
}

/** The names of a text, in order: identifiers, paths, ids, numbers; ordinary words are none. */
export function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  scanTerms(text, (name) => nameWorth(name) >= 0.5 && names.add(name))
  return names
}

const compound = /[/.:#=&?]/

/**
 * How much a token looks like a name rather than a word: 0 ordinary or too short, 0.25 an unusual plain word,
 * 1 a number, 2 an identifier, a path or an id.
 */
export function nameWorth(token: string): number {
  const length = token.length
  if (length < 3) return 0
  let digits = 0
  let upper = 0
  let humps = 0
  let letters = 0
  let marks = 0
  let dots = 0
  let dot = -1
  let scores = 0
  let joints = 0
  let slashes = 0
  let others = 0
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
    else {
      marks++
      if (code === 95) scores++
      else if (code === 46) {
        dots++
        dot = index
      } else if (code !== 45) others++
      if (code === 58 || code === 40 || code === 61) joints++
      else if (code === 47) slashes++
    }
    previousLower = lower
  }
  if (letters === 0) return digits >= 4 || (digits >= 2 && marks > 0) ? 0.5 : 0
  if (slashes > 0 || (dots === 1 && others === 0 && dot > 0 && /^[a-z]{1,5}$/.test(token.slice(dot + 1)))) return 2
  if (dots + joints > 0) return 0.3
  if (humps + scores > 0) return 2
  if (digits > 0) return length >= 7 || upper > 0 ? 2 : 0.5
  if (marks > 0) return 0.5
  if (upper >= 3 && upper === letters) return 1
  return length >= 6 ? 0.05 : 0
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
