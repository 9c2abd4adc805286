import { createCompactor, InsufficientBudgetError, type Message, type PolicyOverrides, pairToolCalls, type TokenEstimator } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import type { Strategy } from './baselines.ts'
import { neutral, neutralText, tokensOf } from './transcripts.ts'

/** The metric's ruler as an estimator, so that a budget means the same for everybody. */
export const ruler: TokenEstimator = { name: 'characters/4', count: (text) => Math.ceil(text.length / 4) }

/**
 * The policy that is measured, one for every budget: `balanced`, told to fill its budget. A fifth of it stays word for word, nearly all else is
 * the record; a request that takes more than a quarter is quoted.
 */
export const policy: PolicyOverrides = {
  trigger: { auto: true, hard: { fraction: 0.999 }, target: { fraction: 0.99 } },
  retain: { tokens: { fraction: 0.2 }, userRequests: { fraction: 0.25 }, newestRequest: { fraction: 0.25 } },
  summary: { tokens: { fraction: 0.02 }, digest: { fraction: 1 } },
}

/** Rounds in which the room is raised, and the share of the budget below which what is left is not worth another. */
const rounds = 3
const worthRaising = 0.01

/**
 * The library itself, through its public interface and without a model: a session that must fit the budget. Fitted, as everybody here is: it counts
 * eight tokens more for each call and each answer than the metric's ruler does, so it is given what the ruler says is left, and asked again.
 */
export const precis: Strategy = async (cut, budget) => {
  const history = cut.prefix.map(neutral)
  let best = await shownWithin(history, budget)
  let room = budget
  for (let round = 0; round < rounds && best !== undefined; round++) {
    const left = budget - costOf(best)
    if (left < budget * worthRaising) break
    room += left
    const next = await shownWithin(history, room)
    if (next === undefined || costOf(next) > budget || costOf(next) < costOf(best)) break
    best = next
  }
  if (best === undefined) return { texts: [] } // counts as nothing kept
  const { pairs, orphans } = pairToolCalls(best)
  const had = new Set(cut.prefix.map((message) => message.toolCallId))
  return { texts: best.map(neutralText), unpaired: orphans.length + pairs.filter((pair) => pair.result === undefined && had.has(pair.callId)).length }
}

/** What a new session shows of a history; undefined where it says that the room is too small. */
async function shownWithin(history: readonly Message[], room: number): Promise<readonly Message[] | undefined> {
  const options = { codec: neutralCodec, estimator: ruler, limits: { contextWindow: 0, maxInput: room }, policy, redact: false } as const
  try {
    return (await createCompactor<Message>(options).session('eval').beforeModelCall(history)).messages
  } catch (error) {
    if (InsufficientBudgetError.isInstance(error)) return undefined
    throw error
  }
}

function costOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(neutralText(message)), 0)
}
