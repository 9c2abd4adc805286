// How likely a name is used again (packages/core/src/record/name-reuse-weights.ts), fitted on recorded sessions with the library's own eyes:
// its scanner decides what a name is and what the agent used later; the recall metric has no part in it.

import { finished } from '../packages/core/src/history/pieces.ts'
import { indexNames } from '../packages/core/src/record/name-index.ts'
import { traitsOf } from '../packages/core/src/record/name-reuse.ts'
import { nameWorth, scanErrorLines, scanTerms } from '../packages/core/src/record/names.ts'
import { recentWords, sourcesOf } from '../packages/core/src/record/sources.ts'
import { cutsOf } from './cuts.ts'
import { neutral, type Recorded, type RecordedMessage, textOf, tokensOf } from './transcripts.ts'

export interface Sample {
  readonly session: string
  readonly traits: readonly number[]
  readonly used: boolean
  weight: number
}

/** Names in the newest share of a history stay in the tail: nothing is learned from them. */
const tailShare = 0.09
const future = 40
export const ridge = 20

/** Names of the past at every cut, each with its traits and whether it was used again. */
export function samplesOf(transcripts: readonly Recorded[]): readonly Sample[] {
  const samples: Sample[] = []
  for (const transcript of transcripts) {
    for (const { prefix } of cutsOf(transcript)) {
      const begin = transcript.messages.indexOf(prefix.at(-1) as RecordedMessage) + 1
      const end = Math.min(
        begin + future,
        ...(transcript.compactions ?? []).map((one) => one.beforeMessage).filter((at) => at >= begin),
        transcript.messages.length,
      )
      const used = usedLater(transcript.messages.slice(begin, end))
      const messages = prefix.map(neutral)
      const sources = finished(sourcesOf(messages, [...messages.keys()]))
      const recent = recentWords(messages)
      const tail = tailShare * prefix.reduce((sum, message) => sum + tokensOf(textOf(message)) * 4, 0)
      const own: Sample[] = []
      for (const name of finished(indexNames(sources, {})).names) {
        if (name.use.age < tail || name.use.texts > Math.max(3, sources.length * 0.2) || (nameWorth(name.token) < 0.5 && !name.token.includes(' '))) continue
        own.push({ session: transcript.id, traits: traitsOf(name.token, name.use, recent), used: used.has(name.token), weight: 1 })
      }
      // Each cut counts the same, however long its history is.
      const positive = own.filter((one) => one.used).length
      if (positive < 3) continue
      for (const one of own) one.weight = Math.min(1, 20 / positive)
      samples.push(...own)
    }
  }
  return samples
}

/** Names that the agent uses before a tool or the user mentions them. */
function usedLater(messages: readonly RecordedMessage[]): ReadonlySet<string> {
  const used = new Set<string>()
  const mentioned = new Set<string>()
  for (const message of messages) {
    const names: string[] = []
    scanTerms(textOf(message), (name) => names.push(name))
    scanErrorLines(textOf(message), (line) => names.push(line))
    for (const name of names) {
      if (message.role !== 'assistant') mentioned.add(name)
      else if (!mentioned.has(name)) used.add(name)
    }
  }
  return used
}

/** Logistic regression by Newton's method, ridge on all but the first weight. @returns Bias, then one weight a trait. */
export function regress(samples: readonly Sample[]): readonly number[] {
  const size = (samples[0] as Sample).traits.length + 1
  let weights = new Array<number>(size).fill(0)
  for (let round = 0; round < 12; round++) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : -ridge * weight))
    const hessian = weights.map((_, row) => weights.map((__, column) => (row === column ? (row === 0 ? 1e-6 : ridge) : 0)))
    for (const { traits, used, weight } of samples) {
      const chance = 1 / (1 + Math.exp(-odds(weights, traits)))
      const slope = weight * chance * (1 - chance)
      const error = weight * ((used ? 1 : 0) - chance)
      for (let row = 0; row < size; row++) {
        const x = row === 0 ? 1 : (traits[row - 1] as number)
        if (x === 0) continue
        gradient[row] = (gradient[row] as number) + error * x
        const line = hessian[row] as number[]
        for (let column = 0; column < size; column++) line[column] = (line[column] as number) + slope * x * (column === 0 ? 1 : (traits[column - 1] as number))
      }
    }
    const step = solve(hessian, gradient)
    weights = weights.map((weight, at) => weight + (step[at] as number))
  }
  return weights
}

function odds(weights: readonly number[], traits: readonly number[]): number {
  let sum = weights[0] as number
  for (let at = 0; at < traits.length; at++) sum += (weights[at + 1] as number) * (traits[at] as number)
  return sum
}

/** Gaussian elimination with pivots. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, at) => [...row, right[at] as number])
  for (let column = 0; column < rows.length; column++) {
    const pivot = rows.findIndex(
      (row, at) => at >= column && Math.abs(row[column] as number) === Math.max(...rows.slice(column).map((one) => Math.abs(one[column] as number))),
    )
    ;[rows[column], rows[pivot]] = [rows[pivot] as number[], rows[column] as number[]]
    const top = rows[column] as number[]
    rows.forEach((row, at) => {
      if (at === column) return
      const factor = (row[column] as number) / (top[column] as number)
      for (let cell = column; cell < row.length; cell++) row[cell] = (row[cell] as number) - factor * (top[cell] as number)
    })
  }
  return rows.map((row, at) => (row.at(-1) as number) / (row[at] as number))
}
