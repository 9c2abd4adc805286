import type { TokenEstimator } from '@precis/core'
import { tiktokenEstimator } from '@precis/tokenizers'
import { scoreOf } from './measures/score.ts'
import type { Cut } from './sessions/cuts.ts'
import { neutral, neutralText } from './sessions/transcripts.ts'
import type { Strategy } from './ways/baselines.ts'
import { precis } from './ways/strategies.ts'

/** Most tokens by the real tokenizer for each token of the budget, in the mean. */
const mostReal = 1.1
/** Least share of its target that is used, in the mean. */
const leastFilled = 0.95
const budgets = [0.05, 0.1, 0.25, 0.5]

/** What must hold of every output at each of the `budgets` (shares of the tokens). @param asked Ours, which may know its answers already. @returns What does not. */
export async function brokenGates(asked: Strategy, ...sets: readonly (readonly Cut[])[]): Promise<readonly string[]> {
  const broken: string[] = []
  const estimator = await tiktokenEstimator()
  for (const cuts of sets) {
    const own = cuts.reduce((sum, cut) => sum + realTokens(cut.prefix.map(neutral).map(neutralText), estimator) / cut.tokens, 0) / cuts.length
    console.log(`${cuts.length} cuts: o200k_base counts ${own.toFixed(3)} tokens for each of the ruler's in the sessions themselves`)
    for (const budget of budgets) broken.push(...(await brokenAt(asked, cuts, budget, estimator)))
  }
  return broken
}

function realTokens(texts: readonly string[], estimator: TokenEstimator): number {
  return texts.reduce((sum, text) => sum + estimator.count(text), 0)
}

async function brokenAt(asked: Strategy, cuts: readonly Cut[], budget: number, estimator: TokenEstimator): Promise<readonly string[]> {
  const broken: string[] = []
  const first = new Map<Cut, readonly string[]>()
  let ratio = 0
  const filled: number[] = []
  for (const cut of cuts) {
    const tokens = Math.floor(cut.tokens * budget)
    const output = await asked(cut, tokens)
    const { unpaired, overBudget, requestsKept } = scoreOf(cut, output, tokens)
    const name = `${cut.transcript.id}, ${cut.tokens} tokens, at ${100 * budget} %`
    if (unpaired > 0) broken.push(`${name}: ${unpaired} calls or results without their other half`)
    if (overBudget) broken.push(`${name}: over budget`)
    if (!requestsKept && budget >= 0.25) broken.push(`${name}: the first or newest request is not there word for word`)
    ratio += realTokens(output.texts, estimator) / tokens / cuts.length
    // Where what must stay is larger than the target, it is full.
    if (output.filled !== undefined) filled.push(Math.min(1, output.filled))
    first.set(cut, output.texts)
  }
  const full = filled.reduce((sum, one) => sum + one, 0) / filled.length
  if (!(full >= leastFilled)) broken.push(`at ${100 * budget} %, ${(100 * full).toFixed(1)} % of the target is used in the mean`)
  if (ratio > mostReal) broken.push(`at ${100 * budget} %, o200k_base counts ${ratio.toFixed(3)} tokens for each of the budget in the mean`)
  console.log(
    `at ${100 * budget} % of ${cuts.length} cuts, o200k_base counts ${ratio.toFixed(3)} tokens for each of the budget in the mean; ` +
      `${(100 * full).toFixed(1)} % of the target is used, ${(100 * Math.min(...filled)).toFixed(1)} % at least`,
  )
  // The same bytes in another order, and whatever comes later.
  for (const cut of cuts.toReversed()) {
    const blind: Cut = { ...cut, prefix: structuredClone(cut.prefix), needles: [], transcript: { ...cut.transcript, messages: [] } }
    const { texts } = await precis(blind, Math.floor(cut.tokens * budget))
    if (JSON.stringify(texts) !== JSON.stringify(first.get(cut))) broken.push(`${cut.transcript.id}: another order or another future changes the output`)
  }
  return broken
}
