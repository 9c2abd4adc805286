import {
  answerRefusals,
  type CompactionReport,
  type CompactorOptions,
  createArchive,
  createCompactor,
  groupMessages,
  InsufficientBudgetError,
  type Message,
  memoryStorage,
  type PolicyOverrides,
  type Prepared,
} from '@precis/core'
import type { AdapterUnderTest } from '../adapter-case.ts'
import { assistant, system, user } from '../builders.ts'
import { fakeClock } from '../fakes.ts'
import { createRandom } from '../random.ts'
import { frameworkOf } from './framework.ts'
import { ask, lookUp } from './question.ts'
import { createProvider, Refusal, type WireShape } from './refusing-provider.ts'
import { createWorld, type Fact } from './world.ts'

/** One random session: whose messages, under which policy, how long. */
export interface SoakOptions {
  readonly seed: number
  readonly policy: PolicyOverrides
  /** More options for the compactor, such as a summarizer. */
  readonly options?: Partial<CompactorOptions<unknown>>
  /** The session is handed a framework's messages. Default: neutral ones. */
  readonly adapter?: AdapterUnderTest<never>
  /** Tokens of the whole session as a multiple of the window. Default 3. */
  readonly length?: number
  /** Replies of up to half the window, windows that nobody states or states wrongly, and refusals without a number. Default false. */
  readonly harsh?: boolean
}

/** What happened in one session, counted. */
export interface SoakResult {
  readonly calls: number
  /** Tokens of the whole history ÷ window. */
  readonly times: number
  readonly compactions: number
  /** Different compactions that the model was shown, those that were made in the background included. */
  readonly shown: number
  /**
   * Most compactions that growth explains: one per (trigger − target) tokens, one for each refusal, and one to begin with. Where a firm tail
   * (`retain.firm`) does not leave the target within reach, what is promised is that one more exchange fits: one per such exchange.
   */
  readonly allowed: number
  /** Requests that a provider of this shape would refuse. */
  readonly invalid: Readonly<Record<WireShape, number>>
  /** Requests over the window that were answered with a refusal, and those where nothing helped. */
  readonly overflows: number
  readonly unrecovered: number
  /** Questions about something said long ago, and how many were answered. */
  readonly asked: number
  readonly answered: number
  /** Answered from the context, or with one look through `recall_history`. */
  readonly answeredWithTool: number
  /** Answered from the whole history: what a model without a window would have known. */
  readonly answeredWithout: number
  /** Why it ended early; undefined when it did not. */
  readonly stopped?: string
}

/**
 * One random agent session against a provider with a hidden window and a tokenizer of its own: every context is checked in all four wire
 * shapes, refused when it is too long, and asked about what was said before.
 */
export async function soakSession({ seed, policy, options = {}, adapter, length = 3, harsh = false }: SoakOptions): Promise<SoakResult> {
  const framework = frameworkOf(adapter)
  const random = createRandom(seed)
  const window = random.pick([8_000, 12_000, 16_000, 24_000])
  const skew = random.between(60, 170) / 100
  const maxOutput = harsh ? Math.floor((window * random.between(5, 50)) / 100) : random.pick([500, 1_000, 2_000])
  const published = random.chance(harsh ? 0.3 : 0.15) ? Math.floor(window * 1.3) : window
  const isHidden = harsh && random.chance(0.5)
  const isMute = harsh && random.chance(0.5)
  const session = createCompactor<unknown>({
    codec: framework.codec,
    ...(!isHidden && { limits: { contextWindow: published, maxOutput } }),
    clock: fakeClock(),
    // A policy that insists on limits has nothing to be tested for where there are none.
    policy: isHidden ? { ...policy, trigger: { ...policy.trigger, unknownLimits: 'no-trigger' } } : policy,
    archive: createArchive<unknown>(memoryStorage()),
    ...options,
  }).session(`soak-${seed}`)
  const provider = createProvider({ window, skew, maxOutput, isMute })
  const world = createWorld(random)
  const history: Message[] = [system('You are an agent that works step by step.')]
  const facts: Fact[] = []
  const seen = { calls: 0, compactions: 0, grown: 0, asked: 0, answered: 0, answeredWithTool: 0, answeredWithout: 0 }
  const gaps: number[] = []
  const shown = new Set<string>()
  let stopped: string | undefined

  /** What one more exchange takes: the largest of the newest three, and a quarter of the window at most. */
  const largestExchange = (): number => {
    const newest = groupMessages(history).slice(-3)
    return Math.min(window / 4, Math.max(...newest.map(({ start, end }) => provider.tokensOf(history.slice(start, end)))))
  }

  const request = async (): Promise<readonly Message[] | undefined> => {
    const call = { maxOutput }
    const own = framework.make(history)
    const send = async ({ messages, report }: Prepared<unknown>): Promise<readonly Message[]> => {
      if (isCompaction(report)) {
        seen.compactions++
        gaps.push(...gapOf(report, policy.retain?.firm === true ? largestExchange() : Infinity))
      }
      if (report.checkpoint !== undefined) shown.add(report.checkpoint)
      const read = framework.read(messages)
      provider.send(read)
      session.afterModelCall({ usage: { input: provider.lastTokens(), cacheRead: 0, cacheWrite: 0, output: 40 } })
      seen.calls++
      return read
    }
    const first = await session.beforeModelCall(own, call)
    try {
      return await answerRefusals(session, { history: own, call }, () => send(first), send)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      provider.giveUp()
      return undefined
    }
  }

  try {
    while (provider.tokensOf(history) < length * window) {
      const before = provider.tokensOf(history)
      world.grow(history, facts)
      seen.grown += provider.tokensOf(history) - before
      const context = await request()
      if (context === undefined) break
      const old = facts.filter((fact) => fact.told < history.length - 12)
      if (old.length > 0 && random.chance(0.25)) {
        const fact = random.pick(old)
        history.push(assistant('Done.'), user(`What is the value of ${fact.name}?`))
        const asked = await request()
        if (asked === undefined) break
        const answer = ask(asked, fact)
        seen.asked++
        seen.answered += Number(answer === fact.value)
        seen.answeredWithTool += Number(answer === fact.value || (await lookUp(session, fact)) === fact.value)
        seen.answeredWithout += Number(ask(history, fact) === fact.value)
        history.push(assistant(`It is ${answer}.`), user('Go on.'))
      }
    }
  } catch (error) {
    if (!InsufficientBudgetError.isInstance(error)) throw error
    stopped = error.culprit.part
  }
  return {
    ...provider.result(),
    calls: seen.calls,
    times: provider.tokensOf(history) / window,
    compactions: seen.compactions,
    shown: shown.size,
    allowed: 1 + provider.result().overflows + Math.ceil((seen.grown * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0)),
    asked: seen.asked,
    answered: seen.answered,
    answeredWithTool: seen.answeredWithTool,
    answeredWithout: seen.answeredWithout,
    ...(stopped !== undefined && { stopped }),
  }
}

function isCompaction({ outcome, plan }: CompactionReport): boolean {
  return outcome !== 'unchanged' && outcome !== 'projected' && plan.decision.reason !== 'maintenance'
}

/** Tokens that have to come before the next compaction; none where growth was not the reason. */
function gapOf({ plan: { decision }, tokens }: CompactionReport, exchange: number): readonly number[] {
  const { reason, used, target } = decision
  if (reason !== 'hard' && reason !== 'emergency') return []
  return [Math.min(used - target, Math.max(used - tokens.after, exchange))]
}
