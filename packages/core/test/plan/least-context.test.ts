import {
  builtInEstimator,
  type Checkpoint,
  createTokenMemo,
  initialState,
  isUserRequest,
  type Message,
  type PlanInput,
  planCompaction,
  presets,
  usableInput,
} from '@precis/core'
import { assistant, call, generateHistory, history, result, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leastWindow } from '../../src/budget/limits.ts'
import { checkpointOf, summaryWith } from '../checkpoints.ts'

const policy = presets.balanced
const tokens = createTokenMemo(builtInEstimator)

interface Scene {
  readonly window: number
  readonly maxOutput?: number
  readonly factor?: number
  /** Tokens that every prompt carries beside its messages, as measured. */
  readonly excess?: number
  readonly system?: number
  readonly tools?: number
  readonly checkpoint?: Checkpoint
}

function inputOf(messages: readonly Message[], { window, maxOutput = 20, factor = 1, excess = 0, system = 0, tools = 0, checkpoint }: Scene): PlanInput {
  return {
    messages,
    tokens,
    estimator: builtInEstimator,
    policy,
    limits: { contextWindow: window },
    maxOutput,
    overhead: { system, tools, memory: 0 },
    state: { ...initialState, calibration: { factor, overhead: excess } },
    checkpoint,
  }
}

const words = (count: number): string => 'word '.repeat(count).trim()

describe('no room for a summary', () => {
  const asked = user(words(400))
  const before = history(user('go'), assistant(words(100)), user('on'), assistant(words(100)))
  const size = tokens.of(asked)
  it('the newest request goes alone where it fits', () => {
    const plan = planCompaction(inputOf([...before, asked], { window: size + 40 }))
    expect([plan.decision.culprit, plan.keep, plan.drop, plan.summary]).toEqual([undefined, [4], [0, 1, 2, 3], undefined])
    expect(plan.tokens.after).toBe(size)
  })
  it('and its newest output, as short as it has to be', () => {
    const plan = planCompaction(inputOf([...before, asked, call('cat', 'b'), result('b', words(500))], { window: size + 110 }))
    expect([plan.decision.culprit, plan.keep, plan.edits.length, plan.summary]).toEqual([undefined, [4, 5, 6], 1, undefined])
    expect(plan.tokens.after).toBeLessThanOrEqual(size + 90)
  })
  it('a summary from before makes way too', () => {
    const made = checkpointOf(4, { summary: summaryWith({ text: words(60) }) })
    const plan = planCompaction(inputOf([...before, asked], { window: size + 40, checkpoint: made }))
    expect([plan.decision.culprit, plan.keep, plan.represented, plan.summary, plan.regions.after.summary]).toEqual([undefined, [4], [0, 1, 2, 3], undefined, 0])
  })
  it('what does not fit without one is still refused, with what the smallest summary leaves', () => {
    const { culprit } = planCompaction(inputOf([...before, asked], { window: size + 19 })).decision
    expect(culprit).toEqual({ part: 'message', index: 4, tokens: size, available: size - 125 })
  })
})

/** Most Tokens of the shortest view of an output, its note included. */
const leastView = 90

/** What cannot leave: what every request carries, what instructs or is protected, the newest request, and what no reply followed yet, with its outputs as short as they become. */
function leastTokens(messages: readonly Message[], { factor = 1, excess = 0, system = 0, tools = 0 }: Omit<Scene, 'window'>): number {
  const newest = messages.findLastIndex(isUserRequest)
  const reply = messages.findLastIndex(({ role }) => role === 'assistant')
  const unseen = reply < messages.length - 1 && messages[reply + 1]?.role === 'tool' ? reply : reply + 1
  const sizes = messages.map((message, at) => {
    if (message.role !== 'system' && message.protected !== true && at !== newest && at < unseen) return 0
    const freed = message.parts.map((part) => (part.type === 'tool-result' ? Math.max(0, tokens.ofOutput(part) - leastView) : 0))
    return Math.ceil((tokens.of(message) - freed.reduce((sum, one) => sum + one, 0)) * factor)
  })
  return Math.ceil(system * factor) + Math.ceil(tools * factor) + excess + sizes.reduce((sum, one) => sum + one, 0)
}

it('what must stay is sent wherever it fits, and nothing larger than the window ever is', () => {
  const seed = Number(process.env['PRECIS_SEED'] ?? 20_261_122)
  const numRuns = Number(process.env['PRECIS_POLICIES'] ?? 400)
  const found = { alone: 0, refused: 0, other: 0 }
  const scene = fc.record({
    /** Tokens that the window has more than it must. */
    free: fc.integer({ min: -150, max: 500 }),
    maxOutput: fc.integer({ min: 1, max: 140 }),
    factor: fc.constantFrom(0.7, 1, 1.3, 2, 2.5, 3),
    excess: fc.constantFrom(0, 0, 60, 400),
    system: fc.integer({ min: 0, max: 200 }),
    tools: fc.integer({ min: 0, max: 200 }),
  })
  const options = fc.record({ turns: fc.integer({ min: 1, max: 5 }), output: fc.constantFrom(100, 2_000, 9_000), system: fc.boolean() })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), options, fc.nat(30), scene, (history, shape, cut, { free, ...rest }) => {
      const whole = generateHistory(history, shape)
      // A reply asks for nothing: the request ends with what is said to the model.
      const messages = whole.slice(0, Math.max(1, whole.findLastIndex(({ role }, at) => role !== 'assistant' && at < whole.length - cut) + 1))
      fc.pre(messages.some(isUserRequest))
      const least = leastTokens(messages, rest)
      const one = { ...rest, window: Math.max(300, least + free + rest.maxOutput) }
      const { decision, tokens: sizes, summary, drop } = planCompaction(inputOf(messages, one))
      const usable = usableInput({ contextWindow: one.window }, policy.trigger.outputCap, one.maxOutput)
      const { culprit } = decision
      found[culprit !== undefined ? 'refused' : drop.length > 0 && summary === undefined ? 'alone' : 'other']++
      if (least <= usable && usable >= leastWindow) expect(culprit).toBeUndefined()
      if (culprit === undefined) expect(sizes.after).toBeLessThanOrEqual(decision.usable as number)
      else expect(culprit.available).toBeLessThan(culprit.tokens)
    }),
    { numRuns, seed },
  )
  for (const count of Object.values(found)) expect(count).toBeGreaterThan(numRuns / 50)
})
