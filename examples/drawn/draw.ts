import { createRandom } from '@precis/testkit'
import { aiSdks } from '../front/ai-sdk.ts'
import type { Front } from '../front/front.ts'
import { langchainMiddleware, langchains } from '../front/langchain.ts'
import { openaiAgents } from '../front/openai-agents.ts'
import { talks as a } from '../said/a/index.ts'
import { talks as b } from '../said/b/index.ts'
import type { Talk } from '../said/format.ts'

const doors: readonly Front[] = [
  ...aiSdks,
  ...langchains,
  langchainMiddleware,
  ...openaiAgents,
]
const talks = [...a, ...b].filter(({ tools }) => tools)

/** What somebody's agent is like. */
export interface Drawn {
  readonly door: Front
  readonly talk: Talk
  /** Of the provider: its window, and what it counts for each of our tokens. */
  readonly window: number
  readonly skew: number
  /** What we are told of the window; undefined: nothing. */
  readonly told: number | undefined
  /** Tokens of the system prompt, about, and where a clock stands in it. */
  readonly system: number
  readonly clock: 'none' | 'first' | 'last'
  /** Tools besides those that it uses. */
  readonly tools: number
  /** Processes that have a turn each, one after another; `new`: each turn has a process of its own. */
  readonly processes: number | 'new'
  /** How many times the lines that outputs have behind them, up to more than a window. */
  readonly outputs: number
  /** Share of what is asked of the storage that fails, or that one in fifty is never answered. */
  readonly faults: number | 'hang'
  readonly streams: boolean
}

/** The same seed draws the same agent, everywhere. */
export function drawnBy(seed: number): Drawn {
  const random = createRandom(seed * 7_919)
  const pick = <T>(...from: readonly T[]): T => random.pick(from)
  const window = pick(4_000, 6_000, 8_000, 12_000, 16_000, 24_000, 32_000)
  const skew = pick(1, 1, 0.8, 1.3, 1.6)
  const half = Math.max(3_000, window / 2)
  const told = pick(window, window, 0, window * 2, half, 200_000) || undefined
  // What goes out with each request has to leave room for the conversation.
  const known = Math.min(window / skew, told ?? window)
  const most = (value: number, share: number): number =>
    value > known * share ? 0 : value
  return {
    door: random.pick(doors),
    talk: random.pick(talks),
    window,
    skew,
    told,
    system: most(pick(0, 0, 400, 1_500), 1 / 8),
    clock: pick('none', 'none', 'first', 'last'),
    // A tool is 60 to 100 tokens.
    tools: most(pick(0, 0, 0, 15, 40) * 80, 1 / 3) / 80,
    processes: pick<Drawn['processes']>(1, 1, 1, 2, 4, 'new', 'new'),
    outputs: pick(0, 0, 1, 4),
    faults: pick<Drawn['faults']>(0, 0, 0.1, 0.5, 'hang'),
    streams: random.chance(0.5),
  }
}
