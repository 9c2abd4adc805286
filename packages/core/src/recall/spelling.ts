import { memoized } from '../history/memoize.ts'

/** What is dropped: accents that stand by themselves, vowel signs of Arabic, soft hyphens. */
const marks = String.raw`\u00ad\u0300-\u036f\u0640\u064b-\u0655\u0670`
/** What is written in several ways: Latin, Greek, Cyrillic and Arabic letters with marks; Devanagari, kana and Hangul in parts; letters and digits of another width. */
const variants = new RegExp(
  [
    `[${marks}]+`,
    String.raw`[\u00c0-\u024f\u1e00-\u1eff\u0386\u0388-\u0390\u03aa-\u03b0\u03ca-\u03ce\u1f00-\u1fff]`,
    String.raw`[\u0400\u0401\u0403\u0407\u040c-\u040e\u0419\u0439\u0450\u0451\u0453\u0457\u045c-\u045e\u0622-\u0626\u0958-\u095f]`,
    String.raw`[\u3041-\u30fe][\u3099\u309a]|[\u1100-\u11ff]+|[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f]+`,
  ].join('|'),
  'g',
)
/** Most texts have none of them, or the common ones alone: those are found several times as fast. */
const any = /[\u00ad-\u1fff\u3099\u309a\uff10-\uff19\uff21-\uff3a\uff41-\uff9f]/
const rare = /[\u0300-\u0400\u0402-\u040f\u0450\u0452-\u1fff\u3099\u309a\uff10-\uff19\uff21-\uff3a\uff41-\uff9f\u00ad]/
const common = /[\u00c0-\u024f\u0401\u0419\u0439\u0451]/g
const dropped = new RegExp(`[${marks}]+`, 'g')
/** Letters that no decomposition knows. */
const others = new Map(Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i' }))

const known = new Map<string, string>()

function plainLetters(written: string): string {
  const other = others.get(written.toLowerCase())
  if (other !== undefined) return written === written.toLowerCase() ? other : other.toUpperCase()
  return written.normalize('NFKD').replace(dropped, '').normalize()
}

const plainOf = (written: string): string => (written.length > 1 ? plainLetters(written) : memoized(known, written, () => plainLetters(written)))

/**
 * A text as everybody would type it: `Córdoba` is `Cordoba`, `отчёт` is `отчет`, `Straße` is `Strasse`, `ＡＢ１２` is `AB12`, composed or not. Case stays. In lower
 * case it has as many characters.
 */
export const plain = (text: string): string => rewritten(text, plainOf)

const rewritten = (text: string, letters: (written: string, at: number) => string): string =>
  any.test(text) ? text.replace(rare.test(text) ? variants : common, letters) : text

/** The same, and for each place in it the place in the text. */
export function plainWithPlaces(text: string): { readonly text: string; readonly placeOf: (at: number) => number } {
  const [froms, shifts]: [number[], number[]] = [[0], [0]]
  let moved = 0
  const letters = rewritten(text, (written, at) => {
    const typed = plainOf(written)
    if (typed.length !== written.length) {
      froms.push(at - moved + typed.length)
      moved += written.length - typed.length
      shifts.push(moved)
    }
    return typed
  })
  const placeOf = (at: number): number => {
    let [low, high] = [0, froms.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((froms[middle] as number) <= at) low = middle
      else high = middle
    }
    return Math.min(text.length, at + (shifts[low] as number))
  }
  return { text: letters, placeOf }
}
