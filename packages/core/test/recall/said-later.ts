import { assistant, history, user } from '@precis/testkit'
import { finished } from '../../src/history/pieces.ts'
import { builtInEstimator, type Message } from '../../src/index.ts'
import { askedAboutInPieces } from '../../src/recall/asked-about.ts'
import { lookUp } from '../../src/recall/look-up.ts'

export const turns = (from: number, to: number): readonly Message[] =>
  Array.from({ length: to - from }, (_, at) => [
    user(`Please go on with src/part-${from + at}.ts and say what you see.`),
    assistant(`Nothing new in src/part-${from + at}.ts.`),
  ]).flat()

/** What comes back with a question, and what a look-up with its words shows: each thing was said with some turns after it, or right behind the one before. */
export function found(
  said: readonly string[],
  question: string,
  next: 'later' | 'at once' = 'later',
  { shown = [], tokens }: { readonly shown?: readonly Message[]; readonly tokens?: number } = {},
): readonly string[] {
  const told = said.flatMap((text, at) => [user(text), assistant('Noted.'), ...(next === 'later' ? turns(at * 5, at * 5 + 5) : [])])
  const all = history(told, turns(100, 120), user(question))
  const options = { left: new Set(all.slice(0, -1).keys()), estimator: builtInEstimator }
  const unasked = finished(askedAboutInPieces(all, [...shown, all.at(-1) as Message], { ...options, tokens: tokens ?? 400 }))
  return [unasked?.text ?? '', lookUp(all, { query: question }, { ...options, tokens: tokens ?? 2_000 }).text]
}
export const lastOf = (text: string, values: readonly string[]): string | undefined =>
  values.toSorted((a, b) => text.lastIndexOf(b) - text.lastIndexOf(a)).find((value) => text.includes(value))
