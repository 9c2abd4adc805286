import { type Figures, figuresOf, type Scored } from './aggregate.ts'
import { type AccountMeasure, type AccountScore, accountFigures, accountOf, type Figure } from './measures/account.ts'
import { scoreOf } from './measures/score.ts'
import type { Cut } from './sessions/cuts.ts'
import type { Strategy } from './ways/baselines.ts'

/** One strategy at one budget on one set. */
export interface Row extends Figures {
  readonly set: string
  readonly budget: string
  readonly strategy: string
  /** What the contexts are worth as texts; undefined where that was not asked. */
  readonly account?: Readonly<Record<AccountMeasure, Figure | undefined>>
}

/** A budget as it is printed: a share of the tokens, or tokens. */
export function budgetName(budget: number): string {
  return budget < 1 ? `${budget * 100} %` : `${budget / 1_000}k`
}

/** Every cut under one strategy at one budget. @param asText Whether the contexts are judged as texts too. */
export async function rowOf(set: string, cuts: readonly Cut[], budget: number, [strategy, run]: readonly [string, Strategy], asText: boolean): Promise<Row> {
  const scored: Scored[] = []
  const accounts: { readonly session: string; readonly account: AccountScore }[] = []
  for (const cut of budget < 1 ? cuts : cuts.filter((one) => one.tokens > budget)) {
    const tokens = budget < 1 ? Math.floor(cut.tokens * budget) : budget
    const output = await run(cut, tokens)
    scored.push({ session: cut.transcript.id, domain: cut.transcript.domain, score: scoreOf(cut, output, tokens) })
    if (asText) accounts.push({ session: cut.transcript.id, account: accountOf(cut, output, tokens) })
  }
  return { set, budget: budgetName(budget), strategy, ...figuresOf(scored), ...(asText && { account: accountFigures(accounts) }) }
}
