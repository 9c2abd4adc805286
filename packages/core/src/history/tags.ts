import { memoized } from './memoize.ts'

/**
 * A text in which nothing can be read as one of these tags, opening or closing: their `<` becomes `[`, in whatever spelling a lenient reader would still follow.
 * Case, blanks, line breaks and invisible letters do not matter; each character may be full width, an entity (escaped once or more), or an escape of JSON, JavaScript or URLs.
 */
export function withoutTags(text: string, name: string): string {
  return text.replace(
    memoized(patterns, name, () => patternOf(name)),
    '[',
  )
}

const patterns = new Map<string, RegExp>()

function patternOf(name: string): RegExp {
  const skipped = '[\\s\\p{C}\\p{M}]*'
  const rest = [...name].map((letter) => (letter === '-' ? `(?:${spelled('-', '[-_‐-―−]|&(?:hyphen|dash|shy);')})?` : spelled(letter, letter))).join(skipped)
  const slash = `(?:(?:\\\\|${spelled('/', '[/⁄∕]|&sol;')})${skipped}){0,3}`
  return new RegExp(`${spelled('<', '[<‹〈⟨﹤]|&(?:amp;){0,3}lt;?')}(?=${skipped}${slash}${rest})`, 'giu')
}

/** Spellings of one character, besides those given. */
function spelled(character: string, plain: string): string {
  const code = character.charCodeAt(0)
  const hex = code.toString(16)
  const full = String.fromCharCode(code + 0xfee0)
  return `(?:${plain}|${full}|&(?:amp;){0,3}#(?:0{0,6}${code}|x0{0,6}${hex});?|\\\\(?:u00|x)${hex}|\\\\u\\{0{0,4}${hex}\\}|%(?:25)?${hex})`
}
