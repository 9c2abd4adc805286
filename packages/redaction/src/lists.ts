import { type Value, valueAt } from './values.ts'

/** Values of one list that are looked at. */
const mostValues = 1_000

/** Last words of names of which several stand behind them. */
const plural = /^(?:[a-z]{0,16}(?:passwords|passphrases|passcodes|tokens|secrets|apikeys)|(?:api|access|secret|private|auth|license)?keys)$/

export function isPlural(words: readonly string[]): boolean {
  return words.some((word) => plural.test(word))
}

const named = `(?<name>["']?[\\w.@-]{1,60}["']?[ \\t]{0,2}(?::|=>?)(?:[ \\t]{1,4}|(?=["'\`])))?`
/** What stands in front of the first value: a bracket, or the end of the line. */
const opening = new RegExp(`[ \\t]{0,8}(?:[[({]\\s{0,60}|(?:#[^\\n]{0,80})?\\r?\\n(?=[ \\t]|- )[ \\t]{0,40})(?:-[ \\t]{1,4})?${named}`, 'y')
/** What stands between two values: a comma, or a new line with a hyphen or a name. */
const between = new RegExp(`["'\`]{0,3}[ \\t]{0,8}(?:,\\s{0,60}|\\r?\\n[ \\t]{0,40}(?:-[ \\t]{1,4}|(?=["']?[\\w.@-]{1,60}["']?[ \\t]{0,2}[:=])))${named}`, 'y')

/** A value in a list, or in a map under a name of its own. */
export interface Listed extends Value {
  readonly named: boolean
}

/**
 * Values behind a name of several: `A,B`, `["A", "B"]`, `- A` and `- B` on lines, `bob: A` and `eve: B`.
 *
 * @param to Where the name's operator ends.
 */
export function* valuesAt(text: string, to: number): Generator<Listed> {
  opening.lastIndex = to
  const first = opening.exec(text)
  const isMap = first?.groups?.['name'] !== undefined
  let at = first === null ? to : to + first[0].length
  for (let count = 0; count < mostValues; count++) {
    const value = valueAt(text, at, false)
    if (value === undefined || (!value.quoted && isName(text, value)) || (value.quoted && /["'`]\s{0,4}[:=]/y.test(text.slice(value.end, value.end + 6))))
      return
    yield { ...value, named: isMap }
    between.lastIndex = value.end
    const next = between.exec(text)
    if (next === null || (next.groups?.['name'] !== undefined) !== isMap) return
    at = value.end + next[0].length
  }
}

/** `a=1`, `a: 1`. */
function isName(text: string, { start, end }: Value): boolean {
  return text[end] === ':' || text.slice(start, end).replace(/=+$/, '').includes('=')
}
