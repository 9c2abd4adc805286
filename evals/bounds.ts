// What later work may not lose silently: figures of ours as they were last stored in gate.json.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accountMeasures } from './measures/account.ts'
import type { Row } from './rows.ts'
import type { Texts } from './texts.ts'

const file = join(import.meta.dirname, 'gate.json')
/** Points that a figure may be worse than the stored one. */
const margin = 1
/** Figures of which less is better; of all others, more. */
const lessIsBetter = new Set(['falsehoods', 'above', 'avoidable', 'size'])

type Stored = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Figures of one strategy, and of what only ours is asked. */
export function storable(rows: readonly Row[], strategy: string, texts: Texts): Stored {
  const own = rows.filter((row) => row.strategy === strategy && row.budget.endsWith('%') && !row.set.includes('rare'))
  const ofRows = own.map(({ set, budget, primary, passage, letters, tailKept, account }) => {
    const ofAccount = accountMeasures.flatMap((measure) => {
      const figure = account?.[measure]
      return figure === undefined ? [] : [[measure, figure.mean] as const]
    })
    return [`${set} at ${budget}`, { primary, passage, letters, tail: tailKept, ...Object.fromEntries(ofAccount) }] as const
  })
  const ofFacts = texts.facts.filter((row) => row.strategy === strategy || row.strategy.startsWith(`${strategy},`))
  return {
    ...Object.fromEntries(ofRows),
    ...Object.fromEntries(ofFacts.map((row) => [`stated facts, ${row.strategy} at ${row.budget}`, { found: row.found.mean }])),
    ...Object.fromEntries(texts.words.map(({ mode, found }) => [`the user's words, ${mode}`, { found: found.mean }])),
    ...Object.fromEntries(
      texts.fullness.map(({ set, budget, above, avoidable, size, used }) => [
        `the shipped policy, ${set} at ${budget}`,
        { above: above?.mean ?? 0, avoidable: avoidable?.mean ?? 0, size: size?.mean ?? 0, used: used?.mean ?? 0 },
      ]),
    ),
  }
}

export function store(figures: Stored): void {
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`)
}

/** Figures that are worse than stored by more than the margin, or gone. */
export function fallen(now: Stored): readonly string[] {
  return worseThan(JSON.parse(readFileSync(file, 'utf8')) as Stored, now)
}

/** The same of any two. */
export function worseThan(before: Stored, now: Stored): readonly string[] {
  return Object.entries(before).flatMap(([name, figures]) =>
    Object.entries(figures).flatMap(([figure, was]) => {
      const is = now[name]?.[figure]
      const holds = is !== undefined && (lessIsBetter.has(figure) ? is <= was + margin : is >= was - margin)
      return holds ? [] : [`${name}: ${figure} was ${was}, is ${is ?? 'not measured'}`]
    }),
  )
}
