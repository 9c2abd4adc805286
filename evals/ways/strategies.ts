import { ruler } from '@precis/cli/replay'
import { createCompactor, InsufficientBudgetError, type Message, type PolicyOverrides, pairToolCalls, recordOf } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import type { Compacted } from '../measures/score.ts'
import type { Cut } from '../sessions/cuts.ts'
import { neutral, neutralText, tokensOf } from '../sessions/transcripts.ts'
import { baselines, type Strategy } from './baselines.ts'

/** Share of a budget that is filled: o200k_base counts more than the ruler does. */
const fill = 0.965

/**
 * The policy that is measured, one for every budget: `balanced`, told to fill its budget, less what o200k_base counts above 1.1 tokens for each of
 * it (the gate says so). Two fifths of it may stay word for word, as there, nearly all else is the record; a request that takes more than a quarter is quoted.
 */
export const policy: PolicyOverrides = {
  trigger: { auto: true, hard: { fraction: 0.999 }, target: { fraction: fill } },
  retain: { tokens: { fraction: fill * 0.4 }, userRequests: { fraction: 0.25 }, newestRequest: { fraction: 0.25 } },
  summary: { tokens: { fraction: 0.02 }, record: { fraction: 1 } },
}

/** The record alone, of everything, the newest messages too: what a fixed few tokens can hold when nothing else must stay. */
export const recordOnly: Strategy = (cut, budget) => {
  const messages = cut.prefix.map(neutral)
  const tokens = Math.floor(budget * fill)
  const account = recordOf(messages, [...messages.keys()], { budget: tokens, requests: Math.floor(budget / 4), estimator: ruler, already: '' }).text
  return { texts: [account], account, aim: tokens }
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
      aim: budget * fill,
      account: messages
        .filter((message) => neutralCodec.read(message).summary !== undefined)
        .map(neutralText)
        .join('\n'),
      unpaired: orphans.length + pairs.filter((pair) => pair.result === undefined && had.has(pair.callId)).length,
    }
  } catch (error) {
    if (InsufficientBudgetError.isInstance(error)) return { texts: [] } // counts as nothing kept
    throw error
  }
}

/** A strategy that is asked once for each cut and budget. */
export function once(strategy: Strategy): Strategy {
  const made = new WeakMap<Cut, Map<number, Compacted | Promise<Compacted>>>()
  return (cut, budget) => {
    const own = made.get(cut) ?? new Map<number, Compacted | Promise<Compacted>>()
    made.set(cut, own)
    const output = own.get(budget) ?? strategy(cut, budget)
    own.set(budget, output)
    return output
  }
}

/** The newest messages alone, the oldest of them cut, of the very size that another strategy takes: what its account is worth beside more tail. */
export function newestOnly(other: Strategy): Strategy {
  const newest = baselines['FIFO, boundary truncated'] as Strategy
  return async (cut, budget) =>
    newest(
      cut,
      (await other(cut, budget)).texts.reduce((sum, text) => sum + tokensOf(text), 0),
    )
}
