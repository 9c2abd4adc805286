/**
 * Words as a search compares them: lower case, without the endings that grammar adds, identifiers taken apart at their humps and marks, and a name from what is
 * written behind it in Japanese, Chinese or Korean. Scripts that write no spaces are compared by pairs of characters.
 */

/** A word of a query. */
export interface Term {
  /** What words are compared by; for a name, the name itself in lower case. */
  readonly stem: string
  /** What every word with this stem begins with. */
  readonly prefix: string
  /** An identifier, a path, an id: found anywhere, as it is written. */
  readonly isName: boolean
}

/** Words that every question has. */
const common = new Set(
  'a an and any are as at be been but by can could did do does for from had has have how i in into is it its me my no not of on or our should so that the their them then there these they this those to us was we were what when where which who why will with would you your'.split(
    ' ',
  ),
)

export const isCommon = (word: string): boolean => common.has(word)
/** What stands behind a name in Japanese, and in every question. */
const particle = /^\p{Script=Hiragana}$/u

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
/** Where a word of Latin letters or digits touches one of Chinese, Japanese or Korean: `Ulvertonのスキャン`, `3개`. */
const touching = ((spaced, other) => `(?<=[${spaced}])(?=[${other}])|(?<=[${other}])(?=[${spaced}])`)(
  String.raw`\p{Script=Latin}\p{Nd}`,
  String.raw`\p{Script=Han}\p{Script=Hangul}\p{scx=Hiragana}\p{scx=Katakana}`,
)
const touch = new RegExp(touching, 'u')
const hump = new RegExp(String.raw`(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|${touching}`, 'u')
/** A text in pieces, each of which holds words of one kind of script, or other characters between them. */
export const scriptsIn = (text: string): readonly string[] => text.split(touch)
export const isUnspaced = (word: string): boolean => unspaced.test(word)
/** Words of a query that are looked for, and characters of one word. */
const most = 40
const longestWord = 60

/** The words of a query, each once; those that every question has only where there are no others. */
export function termsOf(query: string): readonly Term[] {
  const words = piecesOf(query)
  const telling = words.filter((word) => !isCommon(word) && !particle.test(word))
  const terms = new Map<string, Term>()
  for (const name of [...query.matchAll(/[\p{L}\p{N}_$@~/.#:=-]{3,200}/gu)].flatMap(([run]) => scriptsIn(run))) {
    const literal = name.toLowerCase().replace(/^[-.:=]+|[.:=]+$/g, '')
    if (literal.length > 2 && !unspaced.test(literal) && piecesOf(name).length > 1)
      terms.set(`name ${literal}`, { stem: literal, prefix: literal, isName: true })
  }
  for (const word of telling.length > 0 ? telling : words) {
    const stem = stemOf(word)
    terms.set(stem, { stem, prefix: stem.endsWith('y') && stem.length > 3 ? stem.slice(0, -1) : stem, isName: false })
  }
  return [...terms.values()].slice(0, most)
}

/** Words of a text in lower case: `retryCount_v2` is `retry`, `count`, `v2`. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = []
  for (const [run] of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const piece of run.split(hump)) {
      const word = piece.toLowerCase()
      if (!unspaced.test(word) || word.length < 3) pieces.push(word)
      else for (let at = 0; at + 2 <= word.length; at++) pieces.push(word.slice(at, at + 2))
    }
  }
  return pieces
}

/** A word without the endings of grammar: `caches`, `cached` and `caching` are `cach`. Light: words that share no sense may not share a stem. */
export function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  let stem = word
  if (stem.endsWith('ies') && stem.length > 4) stem = `${stem.slice(0, -3)}y`
  else if (stem.endsWith('ied') && stem.length > 4) stem = `${stem.slice(0, -3)}y`
  else if (/(?:s|x|z|ch|sh)es$/.test(stem)) stem = stem.slice(0, -2)
  else if (/[^siu]s$/.test(stem)) stem = stem.slice(0, -1)
  const bare = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(stem)?.[1]
  if (bare !== undefined && bare.length > 2) stem = bare.replace(/([bdfgmnprt])\1$/, '$1')
  else if (/[ts]ion$/.test(stem) && stem.length > 5) stem = stem.slice(0, -3)
  return stem.length > 3 && stem.endsWith('e') ? stem.slice(0, -1) : stem
}

/** A text in lower case, character for character: places in it are places in the text. */
export function folded(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Finds the words of one query in texts. Linear in each text. */
export type WordScan = (text: string, lower: string, found: (term: number, at: number) => void) => void

/** @returns what calls `found` for each place where a text has one of the terms, by the number of the term. */
export function createWordScan(terms: readonly Term[]): WordScan {
  const kinds = [true, false].flatMap((isName) => {
    const own = terms.flatMap((term, number) => (term.isName === isName ? [{ ...term, number }] : []))
    if (own.length === 0) return []
    // Longest first: of several that begin alike the first one is taken.
    const prefixes = [...new Set(own.map(({ prefix }) => prefix))].sort((a, b) => b.length - a.length)
    const pattern = new RegExp(prefixes.map((prefix) => prefix.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'g')
    return [{ isName, pattern, numbers: new Map(own.map(({ stem, number }) => [stem, number])) }]
  })
  return (text, lower, found) => {
    for (const { isName, pattern, numbers } of kinds) {
      pattern.lastIndex = 0
      for (let match = pattern.exec(lower); match !== null; match = pattern.exec(lower)) {
        const at = match.index
        // The word goes on behind its beginning; another may begin inside it.
        pattern.lastIndex = at + (isName ? match[0].length : 1)
        const number = isName ? numbers.get(match[0]) : begins(text, at) ? numbers.get(stemOf(wordAt(text, at, match[0]))) : undefined
        if (number !== undefined) found(number, at)
      }
    }
  }
}

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
  if (at === 0 || !letter.test(text[at - 1] ?? ' ') || unspaced.test(text[at] ?? ' ') || touch.test(text.slice(at - 1, at + 1))) return true
  return /\p{Lu}/u.test(text[at] ?? ' ') && (/\p{Ll}/u.test(text[at - 1] ?? ' ') || /\p{Ll}/u.test(text[at + 1] ?? ' '))
}

/** The word that begins at a place, in lower case, up to its end, the next hump or the next script. */
function wordAt(text: string, at: number, matched: string): string {
  if (unspaced.test(matched)) return matched
  const [run = ''] = /^[\p{L}\p{N}\p{M}]+/u.exec(text.slice(at, at + longestWord)) ?? []
  return (run.split(hump)[0] ?? '').toLowerCase()
}
