// Figures as a person reads them.
import { accountMeasures, type Figure } from './measures/account.ts'
import type { Row } from './rows.ts'
import type { Texts } from './texts.ts'

export function tableRow({ set, budget, strategy, interval, errors, ...figures }: Row): Record<string, unknown> {
  return {
    set,
    budget,
    strategy,
    primary: figures.primary,
    '95 %': interval.join('–'),
    'FRR / in context / passage (by letters)': `${figures.recall} / ${figures.inContext} / ${figures.passage} (${figures.letters})`,
    far: figures.far,
    'tail kept': figures.tailKept,
    errors: errors.of === 0 ? '–' : `${errors.kept} % of ${errors.of}`,
    used: figures.used,
    'over · unpaired · request lost · nothing': `${figures.over} · ${figures.unpaired} · ${figures.requestsLost} · ${figures.nothing}`,
  }
}

/** Names of the measures of a text, in a table's head. */
const accountTitles: Readonly<Record<(typeof accountMeasures)[number], string>> = {
  requests: 'requests',
  findings: 'findings',
  sentences: 'all sentences',
  wholeLines: 'whole lines',
  outlines: 'outlines',
  pointers: 'pointers',
  tailShare: 'tail share',
  falsehoods: 'false statements',
}

export function accountRow({ set, budget, strategy, over, account }: Row): Record<string, unknown> {
  const figures = accountMeasures.map((measure) => [accountTitles[measure], shown(account?.[measure])])
  return { set, budget, strategy, over, ...Object.fromEntries(figures) }
}

/** A mean with its interval. */
function shown(figure: Figure | undefined): string {
  return figure === undefined ? '–' : `${figure.mean} (${figure.interval.join('–')})`
}

export function printTexts({ facts, words, fullness }: Texts): void {
  const budgets = [...new Set(facts.map(({ budget }) => budget))]
  const found = (strategy: string, budget: string) => facts.find((row) => row.strategy === strategy && row.budget === budget)?.found
  console.log('Facts that tools stated once, one in a thousand tokens of output (generated sessions), found by a reader:')
  const strategies = [...new Set(facts.map(({ strategy }) => strategy))]
  console.table(strategies.map((strategy) => ({ strategy, ...Object.fromEntries(budgets.map((budget) => [budget, shown(found(strategy, budget))])) })))
  console.log('Facts that the user stated, after ten compactions one upon the other (generated sessions), found by a reader:')
  console.table(words.map(({ mode, found }) => ({ mode, found: shown(found) })))
  console.log('The shipped policy with its own estimator, on windows whose target is the budget:')
  console.table(
    fullness.map(({ set, budget, cuts, stopped, above, roomyCuts, avoidable, size, sizeByRuler, used }) => ({
      set,
      budget,
      cuts,
      stopped,
      '% of cuts above the target': shown(above),
      'of cuts with room': `${shown(avoidable)} of ${roomyCuts}`,
      'size ÷ target, %': shown(size),
      'by the ruler': shown(sizeByRuler),
      'target used, %': shown(used),
    })),
  )
}

/** One line per session, strategy and budget. */
export function sessionsCsv(rows: readonly Row[]): string {
  const lines = rows.flatMap(({ set, budget, strategy, sessions }) =>
    sessions.map((one) => [set, budget, strategy, one.session, one.cuts, one.names, one.primary, one.passage, one.tailKept]),
  )
  const cells = [['set', 'budget', 'strategy', 'session', 'cuts', 'names', 'primary', 'passage', 'tail kept'], ...lines]
  return `${cells.map((line) => line.map((cell) => JSON.stringify(cell)).join(',')).join('\n')}\n`
}

export function list(shares: Readonly<Record<string, number>>): string {
  return Object.entries(shares)
    .map(([name, share]) => `${name} ${share}`)
    .join(', ')
}
