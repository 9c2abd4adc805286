import { memoized } from '../history/memoize.ts'
import { valuePattern } from './value-kinds.ts'
import { article, hump, isUnspaced, root, stemOf, type Term, touch } from './words.ts'

/** Characters of a word that are read. */
const longestWord = 60
/** A shorter root, for words that are hardly longer, and characters by which their forms may differ: `заказ`, `заказами`. */
const shortRoot = 5
const mostEnding = 3

/**
 * Finds the words of one query in texts. Linear in each text.
 *
 * @param text As `plain` gives it. @param lower The same in lower case.
 * @param found Called with the number of a term and its place; `isForm`: what stands there is another form of the word.
 */
export type WordScan = (text: string, lower: string, found: (term: number, at: number, isForm: boolean) => void) => void

type Numbered = Term & { readonly number: number }

/** One kind of term: what may be one, and which it is. */
interface Kind {
  readonly pattern: RegExp
  /** What is found may hold the beginning of another. */
  readonly mayOverlap: boolean
  look(text: string, at: number, matched: string, found: (term: number, at: number, isForm: boolean) => void): void
}

/**
 * @param withForms Whether words are found that share the first letters of a term: `Rechnungen` for `Rechnung`.
 * @param withValues Whether values are found that a term asks for, as forms of it: `€69.90` for `price`.
 * @returns what calls `found` for each place where a text has one of the terms.
 */
export function createWordScan(terms: readonly Term[], withForms = false, withValues = false): WordScan {
  const numbered = terms.map((term, number) => ({ ...term, number }))
  const names = numbered.filter(({ isName }) => isName)
  const words = numbered.filter(({ isName }) => !isName)
  const long = words.filter(({ stem }) => /^\d{4,12}$/.test(stem))
  const kinds = [
    ...(names.length === 0 ? [] : [namesOf(names, withForms)]),
    ...(words.length === 0 ? [] : [wordsOf(words, withForms)]),
    ...(long.length === 0 ? [] : [groupedOf(long)]),
    ...(withValues ? words.flatMap(valuesOf) : []),
  ]
  return (text, lower, found) => {
    for (const { pattern, mayOverlap, look } of kinds) {
      pattern.lastIndex = 0
      for (let match = pattern.exec(lower); match !== null; match = pattern.exec(lower)) {
        const { index, 0: matched } = match
        // The word goes on behind its beginning; another may begin inside it.
        pattern.lastIndex = index + (mayOverlap ? 1 : matched.length)
        look(text, index, matched, found)
      }
    }
  }
}

/** Names, anywhere as they are written. One whose number goes on is another, at best a form of it: `model_1` in `model_16`. */
function namesOf(terms: readonly Numbered[], withForms: boolean): Kind {
  const numbers = new Map(terms.map(({ stem, number }) => [stem, number]))
  return {
    pattern: anyOf(terms.map(({ stem }) => literal(stem))),
    mayOverlap: false,
    look(text, at, matched, found) {
      const [end, isOther] = [at + matched.length, (place: number) => /^\d\d$/.test(text.slice(place - 1, place + 1))]
      const goesOn = isOther(at) || isOther(end)
      if (!goesOn || withForms) found(numbers.get(matched) as number, at, goesOn)
    },
  }
}

/** Numbers in groups, as `1.249` for `1249`. */
function groupedOf(terms: readonly Numbered[]): Kind {
  const numbers = new Map(terms.map(({ stem, number }) => [stem, number]))
  // The same mark between all groups, and none behind the last: that is a version, or an address.
  const patterns = terms.map(({ stem }, at) => {
    let groups = 0
    const digits = stem.replace(/\B(?=(?:\d{3})+$)/g, () => (groups++ === 0 ? "([.,'’ \\u00a0\\u202f])" : `\\${at + 1}`))
    return `${digits}(?!\\d|\\${at + 1}\\d)`
  })
  return {
    pattern: new RegExp(patterns.join('|'), 'g'),
    mayOverlap: true,
    look(text, at, matched, found) {
      if (!/\d[.,'’]?$/.test(text.slice(Math.max(0, at - 2), at))) found(numbers.get(matched.replace(/\D/g, '')) as number, at, false)
    },
  }
}

/** Values that a word asks for. */
function valuesOf({ stem, number }: Numbered): readonly Kind[] {
  const value = valuePattern(stem)
  return value === undefined ? [] : [{ pattern: new RegExp(value, 'g'), mayOverlap: false, look: (_, at, __, found) => found(number, at, true) }]
}

function wordsOf(terms: readonly Numbered[], withForms: boolean): Kind {
  const numbers = new Map(terms.map(({ stem, number }) => [stem, number]))
  const byRoot = new Map<string, Numbered[]>()
  const prefixes = terms.map((term) => {
    const beginning = withForms ? rootOf(term) : undefined
    if (beginning !== undefined) memoized(byRoot, beginning, () => []).push(term)
    return beginning ?? term.prefix
  })
  return {
    pattern: anyOf(prefixes.map(literal)),
    mayOverlap: true,
    look(text, at, matched, found) {
      if (!begins(text, at)) return
      const word = wordAt(text, at, matched)
      const number = numbers.get(stemOf(word))
      if (number !== undefined) return found(number, at, false)
      for (const length of byRoot.size > 0 ? [shortRoot, root] : [])
        for (const { stem, number: other } of byRoot.get(word.slice(0, length)) ?? [])
          if (length === root || Math.abs(word.length - stem.length) <= mostEnding) found(other, at, true)
    },
  }
}

/** The letters by which other forms of a word are known; undefined for a short one, and what has a digit. */
function rootOf({ prefix }: Term): string | undefined {
  if (prefix.length < shortRoot || /\d/.test(prefix) || isUnspaced(prefix)) return undefined
  return prefix.slice(0, prefix.length > root ? root : shortRoot)
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Longest first: of several that begin alike the first one is taken. */
const anyOf = (literals: readonly string[]): RegExp => new RegExp([...new Set(literals)].sort((a, b) => b.length - a.length).join('|'), 'g')

const letter = /[\p{L}\p{N}\p{M}]/u
const isLower = (code: number): boolean => code >= 97 && code <= 122
const isUpper = (code: number): boolean => code >= 65 && code <= 90

/** A word begins here: behind no letter or digit, at a hump, or where another script begins. */
function begins(text: string, at: number): boolean {
  const [before, here, after] = [text.charCodeAt(at - 1), text.charCodeAt(at), text.charCodeAt(at + 1)]
  if (before < 128 && here < 128) {
    const behindWord = isLower(before) || isUpper(before) || (before >= 48 && before <= 57)
    return !behindWord || (isUpper(here) && (isLower(before) || isLower(after)))
  }
  if (at === 0 || !letter.test(text[at - 1] ?? ' ') || isUnspaced(text[at] ?? ' ') || touch.test(text.slice(at - 1, at + 1))) return true
  if (article.test(text.slice(Math.max(0, at - 5), at))) return true
  return /\p{Lu}/u.test(text[at] ?? ' ') && (/\p{Ll}/u.test(text[at - 1] ?? ' ') || /\p{Ll}/u.test(text[at + 1] ?? ' '))
}

/** The word that begins at a place, in lower case, up to its end, the next hump or the next script. */
function wordAt(text: string, at: number, matched: string): string {
  if (isUnspaced(matched)) return matched
  const [run = ''] = /^[\p{L}\p{N}\p{M}]+/u.exec(text.slice(at, at + longestWord)) ?? []
  return (run.split(hump)[0] ?? '').toLowerCase()
}
