// How likely a name is used again (packages/core/src/record/names/name-reuse-weights.ts), fitted on recorded sessions with the library's own eyes:
// its scanner decides what a name is and what the agent used later; the recall metric has no part in it.

import { finished } from '../../packages/core/src/history/pieces.ts'
import { recentWords, sourcesOf } from '../../packages/core/src/record/excerpts/sources.ts'
import { indexNames } from '../../packages/core/src/record/names/name-index.ts'
import { traitsOf } from '../../packages/core/src/record/names/name-reuse.ts'
import { nameWorth, scanErrorLines, scanTerms } from '../../packages/core/src/record/names/names.ts'
import { cutsOf } from '../sessions/cuts.ts'
import { neutral, type Recorded, type RecordedMessage, textOf } from '../sessions/transcripts.ts'

export interface Sample {
  readonly session: string
  /** Which cut it is of. */
  readonly cut: number
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
  let cuts = 0
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
      const inTail = newestNames(prefix)
      const own: Sample[] = []
      const cut = cuts++
      for (const name of finished(indexNames(sources, {})).names) {
        if (inTail.has(name.token) || name.use.texts > Math.max(3, sources.length * 0.2) || (nameWorth(name.token) < 0.5 && !name.token.includes(' '))) continue
        own.push({ session: transcript.id, cut, traits: traitsOf(name.token, name.use, recent), used: used.has(name.token), weight: 1 })
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

/** Names of the newest messages. */
function newestNames(messages: readonly RecordedMessage[]): ReadonlySet<string> {
  const found = new Set<string>()
  let left = tailShare * messages.reduce((sum, message) => sum + textOf(message).length, 0)
  for (const message of messages.toReversed()) {
    if (left < 0) break
    const text = textOf(message)
    left -= text.length
    scanTerms(text, (name) => found.add(name))
    scanErrorLines(text, (line) => found.add(line))
  }
  return found
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

/**
 * Logistic regression by Newton's method, with a bias of its own for each cut: names are ranked within one, and how many of a session's names come back says nothing of which.
 * Ridge on the weights. @returns The mean bias, then one weight a trait.
 */
export function regress(samples: readonly Sample[]): readonly number[] {
  const size = (samples[0] as Sample).traits.length
  let weights = new Array<number>(size).fill(0)
  const biases = new Map(samples.map(({ cut }) => [cut, -3]))
  for (let round = 0; round < 20; round++) {
    const gradient = weights.map((weight) => -ridge * weight)
    const hessian = weights.map((_, row) => weights.map((__, column) => (row === column ? ridge : 0)))
    const byCut = new Map([...biases.keys()].map((cut) => [cut, { slope: 1e-3, error: 0, traits: new Array<number>(size).fill(0) }]))
    for (const { cut, traits, used, weight } of samples) {
      const own = byCut.get(cut) as { slope: number; error: number; traits: number[] }
      const chance = 1 / (1 + Math.exp(-odds(biases.get(cut) as number, weights, traits)))
      const slope = weight * chance * (1 - chance)
      const error = weight * ((used ? 1 : 0) - chance)
      own.slope += slope
      own.error += error
      for (const [row, x] of traits.entries()) {
        if (x === 0) continue
        own.traits[row] = (own.traits[row] as number) + slope * x
        gradient[row] = (gradient[row] as number) + error * x
        const line = hessian[row] as number[]
        for (let column = 0; column < size; column++) line[column] = (line[column] as number) + slope * x * (traits[column] as number)
      }
    }
    // The biases are eliminated: what is left is a system of the weights alone.
    for (const { slope, error, traits } of byCut.values()) {
      for (const [row, x] of traits.entries()) {
        gradient[row] = (gradient[row] as number) - (x * error) / slope
        const line = hessian[row] as number[]
        for (let column = 0; column < size; column++) line[column] = (line[column] as number) - (x * (traits[column] as number)) / slope
      }
    }
    const step = solve(hessian, gradient)
    weights = weights.map((weight, at) => weight + (step[at] as number))
    for (const [cut, { slope, error, traits }] of byCut)
      biases.set(cut, Math.max(-12, Math.min(4, (biases.get(cut) as number) + (error - dot(step, traits)) / slope)))
  }
  return [dot([...biases.values()], new Array<number>(biases.size).fill(1 / biases.size)), ...weights]
}

function odds(bias: number, weights: readonly number[], traits: readonly number[]): number {
  return bias + dot(weights, traits)
}

const dot = (some: readonly number[], others: readonly number[]): number => some.reduce((sum, one, at) => sum + one * (others[at] as number), 0)

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
