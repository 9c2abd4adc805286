import { plain } from './spelling.ts'

/**
 * Words as a search compares them: lower case, without accents and the endings that grammar adds, identifiers taken apart at their humps and marks, and a name
 * from what is written behind it in Japanese, Chinese or Korean. Scripts that write no spaces, and Korean, which writes particles behind its words, are compared
 * by pairs of characters.
 */

/** Letters at its beginning by which a longer word is known as well: `indent` and `indentation`, `Vertrag` and `Vertragspartner` are of the same. */
export const root = 6

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
/** What stands behind a name in Japanese and Korean, and in every question. */
const particle = /^[\p{Script=Hiragana}은는이가을를에의로와과도]$/u
/** What stands behind a word in Korean. */
const ending = /(?<=\p{Script=Hangul}{2})(?:에서|에게|한테|으로|까지|부터|처럼|보다|라고|입니다|이에요|예요|[은는이가을를에의로와과도만])$/u

/** What is written in front of an Arabic word: the article, alone or with what stands before it. */
export const article: RegExp = /(?<![\p{L}\p{M}])[وف]?(?:[بك]?ال|لل)$/u
const articled = /^[وف]?(?:[بك]?ال|لل)(?=\p{Script=Arabic}{3})/u
/** Endings of grammar of an Arabic and of a Hindi word. */
const spacedEnding = /(?<=\p{Script=Arabic}{3})(?:ات|[وي]ن|ية|نا|ها|هم|[ةهي])$|(?<=\p{Script=Devanagari}{2})(?:ि?य?(?:ाँ|ों|ाओं|ें)|[नत][ािीे]|[ािीुूेैोौ])$/u

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u
/** Where a word of Latin letters or digits touches one of Chinese, Japanese or Korean: `Ulvertonのスキャン`, `3개`. */
const touching = ((spaced, other) => `(?<=[${spaced}])(?=[${other}])|(?<=[${other}])(?=[${spaced}])`)(
  String.raw`\p{Script=Latin}\p{Nd}`,
  String.raw`\p{Script=Han}\p{Script=Hangul}\p{scx=Hiragana}\p{scx=Katakana}`,
)
export const touch: RegExp = new RegExp(touching, 'u')
/** Where a word ends within an identifier. */
export const hump: RegExp = new RegExp(String.raw`(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|${touching}`, 'u')
/** A text in pieces, each of which holds words of one kind of script, or other characters between them. */
export const scriptsIn = (text: string): readonly string[] => plain(text).split(touch)
export const isUnspaced = (word: string): boolean => unspaced.test(word)
/** Words of a query that are looked for. */
const most = 40

/** The words of a query, each once; those that every question has only where there are no others. */
export function termsOf(query: string): readonly Term[] {
  const words = piecesOf(query)
  const telling = words.filter((word) => !isCommon(word) && !particle.test(word))
  const terms = new Map<string, Term>()
  for (const name of [...plain(query).matchAll(/[\p{L}\p{N}_$@~/.#:=-]{3,200}/gu)].flatMap(([run]) => scriptsIn(run))) {
    const literal = name.toLowerCase().replace(/^[-.:=]+|[.:=]+$/g, '')
    if (literal.length > 2 && !unspaced.test(literal) && piecesOf(name).length > 1)
      terms.set(`name ${literal}`, { stem: literal, prefix: literal, isName: true })
  }
  const numbers = [...query.matchAll(grouped)].map(([number]) => number.replace(/\D/g, ''))
  for (const word of [...(telling.length > 0 ? telling : words), ...numbers]) {
    const stem = stemOf(word)
    terms.set(stem, { stem, prefix: stem.endsWith('y') && stem.length > 3 ? stem.slice(0, -1) : stem, isName: false })
  }
  return [...terms.values()].slice(0, most)
}

/** A number that is written in groups, `1.249`; no version, no address. */
const grouped = /(?<![\p{N}.,])\d{1,3}([.,'’\u00a0\u202f])\d{3}(?:\1\d{3})*(?!\d|\1\d)/gu

/** Words of a text in lower case, without accents: `retryCount_v2` is `retry`, `count`, `v2`. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = []
  for (const [run] of plain(text).matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const piece of run.split(hump)) {
      const word = piece.toLowerCase().replace(ending, '').replace(articled, '')
      if (!unspaced.test(word) || word.length < 3) pieces.push(word)
      else for (let at = 0; at + 2 <= word.length; at++) pieces.push(word.slice(at, at + 2))
    }
  }
  return pieces
}

/** A word without the endings of grammar: `caches`, `cached` and `caching` are `cach`. Light: words that share no sense may not share a stem. */
export function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word.replace(spacedEnding, '')
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

/** A text as it is compared. */
export const folded = (text: string): string => plain(text).toLowerCase()
