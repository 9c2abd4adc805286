import { ruler } from '@precis/cli/replay'
import { createCompactor, digest, InsufficientBudgetError, type Message, type PolicyOverrides, pairToolCalls } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import type { Strategy } from './baselines.ts'
import { neutral, neutralText } from './transcripts.ts'

/** Share of a budget that is filled: o200k_base counts more than the ruler does. */
const fill = 0.915

/**
 * The policy that is measured, one for every budget: `balanced`, told to fill its budget, less what o200k_base counts above 1.1 tokens for each of
 * it (the gate says so). A fifth of it stays word for word, nearly all else is the record; a request that takes more than a quarter is quoted.
 */
export const policy: PolicyOverrides = {
  trigger: { auto: true, hard: { fraction: 0.999 }, target: { fraction: fill } },
  retain: { tokens: { fraction: 0.2 }, userRequests: { fraction: 0.25 }, newestRequest: { fraction: 0.25 } },
  summary: { tokens: { fraction: 0.02 }, digest: { fraction: 1 } },
}

/** The record alone, of everything, the newest messages too: what a fixed few tokens can hold when nothing else must stay. */
export const recordOnly: Strategy = (cut, budget) => {
  const messages = cut.prefix.map(neutral)
  const tokens = Math.floor(budget * fill)
  return { texts: [digest(messages, [...messages.keys()], { budget: tokens, requests: Math.floor(budget / 4), estimator: ruler, already: '' }).text] }
}

/** The library itself, through its public interface and without a model: a session that must fit the budget. */
export const precis: Strategy = async (cut, budget) => {
  const session = createCompactor<Message>({
    codec: neutralCodec,
    estimator: ruler,
    limits: { contextWindow: 0, maxInput: budget },
    policy,
    redact: false,
  }).session('eval')
  try {
    const { messages, report } = await session.beforeModelCall(cut.prefix.map(neutral))
    const { pairs, orphans } = pairToolCalls(messages)
    const had = new Set(cut.prefix.map((message) => message.toolCallId))
    const filled = report.tokens.after / (budget * fill)
    return {
      texts: messages.map(neutralText),
      filled,
      unpaired: orphans.length + pairs.filter((pair) => pair.result === undefined && had.has(pair.callId)).length,
    }
  } catch (error) {
    if (InsufficientBudgetError.isInstance(error)) return { texts: [] } // counts as nothing kept
    throw error
  }
}
