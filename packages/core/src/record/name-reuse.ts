import { reuseBias, reuseWeights } from './name-reuse-weights.ts'
import { isLowerCase, nameWorth } from './names.ts'

/** What somebody said or did in one text: it decides how likely its names are used again. */
export type TextKind = 'user' | 'assistant' | 'output' | 'failure' | 'summary'

/** Where one name of the past was seen. */
export interface NameUse {
  /** Places, and texts of any kind. */
  readonly occurrences: number
  readonly texts: number
  /** Places where a colon follows: a field, not a value. */
  readonly labels: number
  /** Texts by kind. */
  readonly outputs: number
  readonly inputs: number
  readonly users: number
  /** Characters of the shortest text that it stands in. */
  readonly shortest: number
  /** Characters between its newest text and the end of the history, and that as a share of all. */
  readonly age: number
  readonly ageShare: number
}

/** Words (lower case) of the newest messages: what was said and called there, and what tools answered. */
export interface RecentWords {
  readonly said: ReadonlySet<string>
  readonly shown: ReadonlySet<string>
}

/** Measurable traits of a name, in the order of the weights. All lie roughly between 0 and 10. */
export function traitsOf(name: string, use: NameUse, recent: RecentWords, words: readonly string[] = compoundWords(name)): readonly number[] {
  const worth = nameWorth(name)
  const phrase = name.includes(' ')
  const path = name.includes('/')
  const shouted = /^[A-Z0-9_]+$/.test(name)
  const overlap = (set: ReadonlySet<string>): number => countIn(set, words) / Math.max(1, words.length)
  return [
    flag(path && worth > 0),
    flag(!path && worth > 0 && /\.[a-z]{1,5}$/.test(name)),
    flag(/[a-z][A-Z]/.test(name)),
    flag(!shouted && name.includes('_')),
    flag(shouted && name.includes('_')),
    flag(/^[0-9a-f]{7,}$/.test(name)),
    flag(/^[\d.,:-]+$/.test(name)),
    flag(/\d/.test(name)),
    flag(/\w\.\w/.test(name)),
    flag(worth === 0.5),
    flag(worth === 1),
    flag(phrase),
    flag(/^#?[A-Z]{1,10}-?\d{2,}$|_\d{4,}$/.test(name)),
    use.labels / Math.max(1, use.occurrences),
    Math.log1p(words.length),
    Math.log1p(use.texts),
    Math.log1p(use.occurrences),
    Math.log1p(use.outputs),
    Math.log1p(use.inputs),
    Math.log1p(use.users),
    Math.log1p(use.shortest),
    Math.log1p(use.age / 2_000),
    use.ageShare,
    overlap(recent.said),
    overlap(recent.shown),
    flag(use.outputs > 0 && use.shortest < 160),
  ]
}

/** How likely the agent is to use this name again before anybody mentions it: 0 to 1, fitted on recorded sessions. */
export function chanceOfReuse(name: string, use: NameUse, recent: RecentWords, words?: readonly string[]): number {
  let odds = reuseBias
  const traits = traitsOf(name, use, recent, words)
  for (let at = 0; at < traits.length; at++) odds += (traits[at] as number) * (reuseWeights[at] as number)
  return 1 / (1 + Math.exp(-odds))
}

/** How likely the names of a text are used again by what is known of it, beside those of others. */
export function chanceByPlace({ shortest, age, ageShare }: Pick<NameUse, 'shortest' | 'age' | 'ageShare'>): number {
  const traits = [Math.log1p(shortest), Math.log1p(age / 2_000), ageShare]
  return Math.exp(traits.reduce((odds, trait, at) => odds + trait * (reuseWeights[firstOfPlace + at] as number), 0))
}

/** Where the traits of the place begin. */
const firstOfPlace = 20

const longestWord = 40

/** Words of a name, in lower case: three letters or more, compounds taken apart. */
export function compoundWords(text: string): readonly string[] {
  const words: string[] = []
  let start = 0
  let afterLower = false
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at)
    const isLower = isLowerCase(code)
    const isUpper = code >= 65 && code <= 90
    if ((isLower || (isUpper && !afterLower)) && at - start < longestWord) {
      afterLower = isLower
      continue
    }
    if (at - start >= 3) words.push(text.slice(start, at).toLowerCase())
    start = isLower || isUpper ? at : at + 1
    afterLower = isLower
  }
  return words.length > 1 ? [...new Set(words)] : words
}

/** How many of these words are among those. */
export function countIn(set: ReadonlySet<string>, words: readonly string[]): number {
  let found = 0
  for (const word of words) if (set.has(word)) found++
  return found
}

function flag(is: boolean): number {
  return is ? 1 : 0
}
