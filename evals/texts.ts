// What is measured on generated sessions, and of the policy as it is shipped.

import { type Fullness, fullnessOf } from './fullness.ts'
import type { Figure } from './measures/account.ts'
import { budgetName } from './rows.ts'
import type { Cut } from './sessions/cuts.ts'
import { statedCuts, statedFacts, statedFactsWithRecall } from './stated-facts.ts'
import { userWords } from './user-words.ts'
import type { Strategy } from './ways/baselines.ts'

/** Figures in percent. */
export interface Texts {
  readonly facts: readonly { readonly budget: string; readonly strategy: string; readonly found: Figure }[]
  readonly words: readonly { readonly mode: string; readonly found: Figure }[]
  readonly fullness: readonly (Fullness & { readonly set: string; readonly budget: string })[]
}

export interface TextsOptions {
  readonly strategies: Readonly<Record<string, Strategy>>
  /** The one that may also look into its history. */
  readonly ours: string
  readonly shares: readonly number[]
  readonly sets: Readonly<Record<string, readonly Cut[]>>
  /** Shares at which the shipped policy is looked at: the slowest part. */
  readonly fullnessShares: readonly number[]
  /** Generated sessions of each kind. */
  readonly sessions: { readonly facts: number; readonly words: number }
}

const looks = { subject: 'the name', question: 'the question', otherwise: 'other words' }
const none: Figure = { mean: 0, interval: [0, 0], sessions: 0 }

export async function measureTexts({ strategies, ours, shares, sets, fullnessShares, sessions }: TextsOptions): Promise<Texts> {
  const cuts = statedCuts(sessions.facts)
  const facts: Texts['facts'][number][] = []
  for (const share of shares) {
    const budget = budgetName(share)
    for (const [strategy, run] of Object.entries(strategies)) facts.push({ budget, strategy, found: (await statedFacts(cuts, share, run)) ?? none })
    for (const [by, name] of Object.entries(looks) as [keyof typeof looks, string][]) {
      const found = (await statedFactsWithRecall(cuts, share, by)) ?? none
      facts.push({ budget, strategy: `${ours}, one look for ${name}`, found })
    }
  }
  const words = Object.entries(await userWords(sessions.words)).map(([mode, found]) => ({ mode, found: found ?? none }))
  const fullness: Texts['fullness'][number][] = []
  for (const [set, own] of Object.entries(sets)) {
    for (const share of fullnessShares) fullness.push({ set, budget: budgetName(share), ...(await fullnessOf(own, share)) })
  }
  return { facts, words, fullness }
}
