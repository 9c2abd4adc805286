// Does the policy that is shipped fill what it aims at? Measured with its own estimator and untouched: windows are chosen so that its target is the budget.
import { builtInEstimator, createCompactor, estimateHistory, InsufficientBudgetError, isUserRequest, type Message, presets } from '@precis/core'
import { neutralCodec } from '@precis/testkit'
import { type Figure, figureOf } from './measures/account.ts'
import type { Cut } from './sessions/cuts.ts'
import { neutral, neutralText, tokensOf } from './sessions/transcripts.ts'

export interface Fullness {
  readonly cuts: number
  /** Cuts in which nothing could be sent. */
  readonly stopped: number
  /** Percent of the cuts that came out larger than the target, by the library's estimator. */
  readonly above: Figure | undefined
  /** The same, of those cuts only in which what must be sent whole takes at most half of the target: what the model has not read yet, and the first and the newest request. */
  readonly avoidable: Figure | undefined
  readonly roomyCuts: number
  /** Size ÷ target in percent, by the library's estimator, and by the ruler of the metric. */
  readonly size: Figure | undefined
  readonly sizeByRuler: Figure | undefined
  /** The same with what is above the target not counted: how much of the room is used. */
  readonly used: Figure | undefined
}

const { balanced } = presets
const targetShare = 'fraction' in balanced.trigger.target ? (balanced.trigger.target.fraction as number) : 0.45
/** Share of the target (0–1) up to which what must be sent whole leaves room. */
const leavesRoom = 0.5

interface Measured {
  readonly messages: readonly Message[]
  readonly tokens: number
  readonly whole: number
}
const known = new WeakMap<Cut, Measured>()

function neutralOf(cut: Cut): Measured {
  const before = known.get(cut)
  if (before !== undefined) return before
  const messages = cut.prefix.map(neutral)
  const made = { messages, tokens: estimateHistory(messages, builtInEstimator), whole: estimateHistory(sentWhole(messages), builtInEstimator) }
  known.set(cut, made)
  return made
}

/** The newest message of the model and the answers to it, and the first and the newest request before them. */
function sentWhole(messages: readonly Message[]): readonly Message[] {
  const newest = messages.findLastIndex(({ role }) => role === 'assistant')
  const requests = [messages.findIndex(isUserRequest), messages.findLastIndex(isUserRequest)]
  return messages.filter((_, at) => at >= newest || requests.includes(at))
}

/** Every cut compacted by `presets.balanced` on a window whose target is `share` of the cut. */
export async function fullnessOf(cuts: readonly Cut[], share: number): Promise<Fullness> {
  const sizes: (readonly [string, number])[] = []
  const ruled: (readonly [string, number])[] = []
  const roomy: (readonly [string, number])[] = []
  let stopped = 0
  for (const cut of cuts) {
    const { messages, tokens, whole } = neutralOf(cut)
    const id = cut.transcript.id
    const target = tokens * share
    const made = await compacted(messages, Math.round(target / targetShare))
    if (made === undefined) stopped++
    else {
      sizes.push([id, made.own / target])
      if (whole <= target * leavesRoom) roomy.push([id, made.own / target])
      ruled.push([id, made.ruler / (cut.tokens * share)])
    }
  }
  return {
    cuts: cuts.length,
    stopped,
    above: aboveOf(sizes),
    avoidable: aboveOf(roomy),
    roomyCuts: roomy.length,
    size: figureOf(sizes),
    sizeByRuler: figureOf(ruled),
    used: figureOf(sizes.map(([id, size]) => [id, Math.min(1, size)])),
  }
}

const aboveOf = (sizes: readonly (readonly [string, number])[]): Figure | undefined => figureOf(sizes.map(([id, size]) => [id, Number(size > 1.005)])) // a rounding is no overshoot

async function compacted(history: readonly Message[], window: number): Promise<{ readonly own: number; readonly ruler: number } | undefined> {
  const session = createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow: 0, maxInput: window }, policy: balanced, redact: false }).session(
    'full',
  )
  try {
    const { messages } = await session.compact(history)
    return { own: estimateHistory(messages, builtInEstimator), ruler: messages.reduce((sum, message) => sum + tokensOf(neutralText(message)), 0) }
  } catch (error) {
    if (InsufficientBudgetError.isInstance(error)) return undefined
    throw error
  }
}
