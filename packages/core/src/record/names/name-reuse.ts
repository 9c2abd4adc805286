import { reuseBias, reuseWeights } from './name-reuse-weights.ts'
import { isLowerCase } from './names.ts'

/** What somebody said or did in one text: it decides how likely its names are used again. */
export type TextKind = 'user' | 'assistant' | 'output' | 'failure' | 'summary'

/** Where one name of the past was seen. */
export interface NameUse {
  /** Places, and texts of any kind. */
  readonly occurrences: number
  readonly texts: number
  /** Texts that tools returned, and that the agent wrote as arguments of calls. */
  readonly outputs: number
  readonly inputs: number
}

/** Words (lower case) of the newest messages: what was said and called there, and what tools answered. */
export interface RecentWords {
  readonly said: ReadonlySet<string>
  readonly shown: ReadonlySet<string>
}

/**
 * Measurable traits of a name, in the order of the weights. All lie roughly between 0 and 10.
 * Few on purpose: what else was tried (its spelling, its age, the length of its text, what stands beside it) said something of the sessions it was fitted on and nothing of others.
 */
export function traitsOf(name: string, use: NameUse, recent: RecentWords, words: readonly string[] = compoundWords(name)): readonly number[] {
  const overlap = (set: ReadonlySet<string>): number => countIn(set, words) / Math.max(1, words.length)
  return [
    Number(/^#?[A-Z]{1,10}-?\d{2,}$|_\d{4,}$/.test(name)),
    Math.log1p(words.length),
    Math.log1p(use.texts),
    Math.log1p(use.occurrences),
    Math.log1p(use.outputs),
    Math.log1p(use.inputs),
    overlap(recent.said),
    overlap(recent.shown),
  ]
}

/** How likely the agent is to use this name again before anybody mentions it: 0 to 1, fitted on recorded sessions. */
export function chanceOfReuse(name: string, use: NameUse, recent: RecentWords, words?: readonly string[]): number {
  let odds = reuseBias
  const traits = traitsOf(name, use, recent, words)
  for (let at = 0; at < traits.length; at++) odds += (traits[at] as number) * (reuseWeights[at] as number)
  return 1 / (1 + Math.exp(-odds))
}

const longestWord = 40
/** Words that are compared: a name has no more. */
const most = 99

/** Words of a name, in lower case: three letters or more, compounds taken apart. Those of a name each once. */
export function compoundWords(text: string): readonly string[] {
  const words: string[] = []
  let start = 0
  let afterLower = false
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at) || 0
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
  return words.filter((word, at) => at > most || words.indexOf(word) === at)
}

/** How many of these words are among those. */
export function countIn(set: ReadonlySet<string>, words: readonly string[]): number {
  let found = 0
  for (const word of words) if (set.has(word)) found++
  return found
}
