import { createCompactor, InsufficientBudgetError, type Message, type PolicyOverrides, type TokenEstimator } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import type { Cut } from './cuts.ts'
import type { Compacted } from './score.ts'
import { neutral, neutralText, textOf, tokensOf } from './transcripts.ts'

export type Strategy = (cut: Cut, budget: number) => Compacted | Promise<Compacted>

const groupsOf = (cut: Cut): readonly (readonly number[])[] => {
  const groups: number[][] = []
  cut.prefix.forEach((message, at) => {
    if (message.role === 'tool' && groups.length > 0) groups.at(-1)?.push(at)
    else groups.push([at])
  })
  return groups
}

/** The newest whole groups that fit. */
const fifo: Strategy = (cut, budget) => {
  const kept: number[] = []
  let left = budget
  for (const group of groupsOf(cut).toReversed()) {
    const cost = group.reduce((sum, at) => sum + tokensOf(textOf(cut.prefix[at] as never)), 0)
    if (cost > left) break
    left -= cost
    kept.unshift(...group)
  }
  return kept.map((at) => textOf(cut.prefix[at] as never))
}

/** Every tool output cut to its head and tail, the newest groups first, until the budget is used. */
const headTail: Strategy = (cut, budget) => {
  const within = (limit: number): { texts: string[]; tokens: number } => {
    const texts = cut.prefix.map((message) => {
      const text = textOf(message)
      return message.role !== 'tool' || text.length <= limit ? text : `${text.slice(0, limit / 2)}\n…\n${text.slice(-limit / 2)}`
    })
    return { texts, tokens: texts.reduce((sum, text) => sum + tokensOf(text), 0) }
  }
  let low = 40
  let high = 40_000
  while (high - low > 8) {
    const middle = (low + high) >> 1
    if (within(middle).tokens <= budget) low = middle
    else high = middle
  }
  const best = within(low)
  if (best.tokens <= budget) return best.texts
  // Even the shortest outputs do not fit: the oldest groups go.
  const kept: string[] = []
  let left = budget
  for (const text of best.texts.toReversed()) {
    const cost = tokensOf(text)
    if (cost > left) break
    left -= cost
    kept.unshift(text)
  }
  return kept
}

/** The metric's ruler as an estimator, so that a budget means the same for everybody. */
const ruler: TokenEstimator = { name: 'characters/4', count: (text) => Math.ceil(text.length / 4) }

/** The library itself, through its public interface: a session that must fit the budget. */
function precis(policy: PolicyOverrides = {}): Strategy {
  return async (cut, budget) => {
    const session = createCompactor<Message>({
      codec: neutralCodec,
      estimator: ruler,
      limits: { contextWindow: 0, maxInput: budget },
      policy: { ...policy, trigger: { auto: true, hard: { fraction: 0.999 }, target: { fraction: 0.99 }, ...policy.trigger } },
      redact: false,
    }).session('eval')
    try {
      const { messages } = await session.beforeModelCall(cut.prefix.map(neutral))
      return messages.map(neutralText)
    } catch (error) {
      if (InsufficientBudgetError.isInstance(error)) return [] // counts as nothing kept
      throw error
    }
  }
}

export const strategies: Readonly<Record<string, Strategy>> = {
  'FIFO, whole groups': fifo,
  'head + tail of outputs': headTail,
  'Précis, balanced': precis({
    retain: { tokens: { fraction: 0.35 }, userRequests: { fraction: 0.25 }, newestRequest: { fraction: 0.25 } },
    summary: { tokens: { fraction: 0.05 }, digest: { fraction: 1 } },
  }),
}
