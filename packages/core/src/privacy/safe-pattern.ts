import { CompactionError } from '../errors.ts'

/** Tells whether a line contains a match. Linear in the line: no pattern of a model can stall the process. */
export type LineMatcher = (line: string) => boolean

/** Where the first match that begins at or behind `from` ends; -1 for none. As linear. */
export type LineSearch = (line: string, from: number) => number

/** One place of a pattern: which characters it accepts, and how often it may or must stand. */
interface Atom {
  readonly accepts: (code: number) => boolean
  readonly optional: boolean
  readonly repeats: boolean
  /** The one character that it accepts; undefined where there are more. */
  readonly char: string | undefined
}

interface Branch {
  readonly atoms: readonly Atom[]
  /** A text that every match contains: most lines are refused by a search for it alone. "" where there is none. */
  readonly required: string
  readonly fromStart: boolean
  readonly toEnd: boolean
}

/** Characters of a pattern: longer ones are texts, not patterns. */
const longest = 500

/**
 * Compiles the part of regular expressions that a linear matcher can hold: literals, `.`, `[a-z]`, `\d \w \s` and their opposites,
 * `* + ?` behind one of these, `^` and `$`, alternatives with `|`. No groups, no back references, no counted repetition.
 *
 * @throws CompactionError that says what is not supported, so that a model can ask again.
 */
export function safePattern(pattern: string, options: { readonly ignoreCase?: boolean } = {}): LineMatcher {
  const search = safeSearch(pattern, options)
  return (line) => search(line, 0) >= 0
}

/** The same patterns, with the place of what they find. @throws CompactionError like `safePattern`. */
export function safeSearch(pattern: string, options: { readonly ignoreCase?: boolean } = {}): LineSearch {
  if (pattern.length > longest)
    throw new CompactionError(`The pattern has ${pattern.length} characters; at most ${longest} are allowed. Search for a shorter text.`)
  const branches = splitBranches(pattern).map((branch) => parseBranch(branch, options.ignoreCase === true))
  const ignoreCase = options.ignoreCase === true
  return (line, from) => {
    // Lower case may have another length; only what the patterns themselves hold equal is.
    const text = ignoreCase ? line.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : line
    let first = -1
    for (const branch of branches) {
      const at = text.indexOf(branch.required, from)
      const end = at < 0 ? -1 : isLiteral(branch) ? at + branch.required.length : endOfMatch(branch, line, from)
      if (end >= 0 && (first < 0 || end < first)) first = end
    }
    return first
  }
}

function splitBranches(pattern: string): readonly string[] {
  const branches: string[] = ['']
  let inClass = false
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string
    if (char === '\\') {
      branches.push(`${branches.pop()}${char}${pattern[++at] ?? ''}`)
      continue
    }
    if (char === '[') inClass = true
    if (char === ']') inClass = false
    if (char === '|' && !inClass) branches.push('')
    else branches.push(`${branches.pop()}${char}`)
  }
  return branches
}

function parseBranch(text: string, ignoreCase: boolean): Branch {
  const fromStart = text.startsWith('^')
  const toEnd = text.endsWith('$') && !text.endsWith('\\$')
  const body = text.slice(fromStart ? 1 : 0, toEnd ? -1 : undefined)
  const atoms: Atom[] = []
  for (let at = 0; at < body.length; ) {
    const char = body[at] as string
    if (char === '(' || char === ')') throw unsupported('groups "( )"', 'write alternatives as a|b for the whole pattern, or escape the bracket as \\(')
    if (char === '{' && /^\{\d/.test(body.slice(at))) throw unsupported('counted repetition "{n}"', 'repeat the character, or use + or *')
    const { accepts, next, char: only } = parseAtom(body, at, ignoreCase)
    const mark = body[next]
    const quantified = mark === '*' || mark === '+' || mark === '?'
    atoms.push({ accepts, optional: mark === '*' || mark === '?', repeats: mark === '*' || mark === '+', char: only })
    at = quantified ? next + 1 : next
  }
  return { atoms, required: requiredText(atoms, ignoreCase), fromStart, toEnd }
}

/** The longest run of characters that must stand in every match, in lower case where case does not count. */
function requiredText(atoms: readonly Atom[], ignoreCase: boolean): string {
  let best = ''
  let run = ''
  for (const { char, optional, repeats } of atoms) {
    run = char === undefined || optional ? '' : run + char
    if (run.length > best.length) best = run
    if (repeats) run = ''
  }
  return ignoreCase ? best.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : best
}

/** Nothing but characters: containing them is matching. */
function isLiteral({ atoms, required, fromStart, toEnd }: Branch): boolean {
  return !fromStart && !toEnd && required.length === atoms.length && atoms.every((atom) => !atom.repeats)
}

function parseAtom(body: string, at: number, ignoreCase: boolean): { accepts: Atom['accepts']; next: number; char?: string } {
  const char = body[at] as string
  if (char === '.') return { accepts: () => true, next: at + 1 }
  if (char === '\\') {
    const escaped = body[at + 1] ?? '\\'
    if (/[1-9bB]/.test(escaped)) throw unsupported(`"\\${escaped}"`, 'leave it out')
    const named = escapeClass(escaped)
    if (named) return { accepts: named, next: at + 2 }
    const char = escaped === 't' ? '\t' : escaped
    return { accepts: literal(char, ignoreCase), next: at + 2, char }
  }
  if (char === '[') return parseClass(body, at, ignoreCase)
  if (char === '*' || char === '+' || char === '?') throw unsupported(`"${char}" with nothing in front of it`, `escape it as \\${char}`)
  return { accepts: literal(char, ignoreCase), next: at + 1, char }
}

function parseClass(body: string, start: number, ignoreCase: boolean): { accepts: Atom['accepts']; next: number } {
  const end = body.indexOf(']', start + 2)
  if (end < 0) throw unsupported('an open "["', 'close it, or escape it as \\[')
  const negated = body[start + 1] === '^'
  const inner = body.slice(start + (negated ? 2 : 1), end)
  const tests: Atom['accepts'][] = []
  for (let at = 0; at < inner.length; at++) {
    const char = inner[at] as string
    if (char === '\\') {
      const escaped = inner[++at] ?? '\\'
      tests.push(escapeClass(escaped) ?? literal(escaped, ignoreCase))
    } else if (inner[at + 1] === '-' && at + 2 < inner.length) {
      const [low, high] = [char.charCodeAt(0), inner.charCodeAt(at + 2)]
      tests.push((code) => anyCase(code, ignoreCase, (one) => one >= low && one <= high))
      at += 2
    } else tests.push(literal(char, ignoreCase))
  }
  return { accepts: (code) => tests.some((test) => test(code)) !== negated, next: end + 1 }
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isWord = (code: number): boolean => isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 160

function escapeClass(char: string): Atom['accepts'] | undefined {
  const test = { d: isDigit, w: isWord, s: isSpace }[char.toLowerCase()]
  if (!test) return undefined
  return char === char.toLowerCase() ? test : (code) => !test(code)
}

function literal(char: string, ignoreCase: boolean): Atom['accepts'] {
  const wanted = char.charCodeAt(0)
  return (code) => anyCase(code, ignoreCase, (one) => one === wanted)
}

function anyCase(code: number, ignoreCase: boolean, test: (code: number) => boolean): boolean {
  if (test(code)) return true
  if (!ignoreCase) return false
  const upper = code >= 65 && code <= 90
  const lower = code >= 97 && code <= 122
  return (upper && test(code + 32)) || (lower && test(code - 32))
}

/** Walks all places of the pattern at once: at most one step per place and character. */
function endOfMatch({ atoms, fromStart, toEnd }: Branch, line: string, from: number): number {
  if (fromStart && from > 0) return -1
  let current = new Set<number>()
  const enter = (state: number, into: Set<number>): void => {
    for (let at = state; !into.has(at); at++) {
      into.add(at)
      if (atoms[at]?.optional !== true) break
    }
  }
  enter(0, current)
  for (let at = from; ; at++) {
    if (current.has(atoms.length) && (!toEnd || at === line.length)) return at
    if (at >= line.length) return -1
    const code = line.charCodeAt(at)
    const next = new Set<number>()
    for (const state of current) {
      const atom = atoms[state]
      if (!atom?.accepts(code)) continue
      if (atom.repeats) enter(state, next)
      enter(state + 1, next)
    }
    if (!fromStart) enter(0, next)
    current = next
  }
}

function unsupported(what: string, remedy: string): CompactionError {
  return new CompactionError(`The pattern uses ${what}, which is not supported: ${remedy}.`)
}
