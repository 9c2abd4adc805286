import {
  builtInEstimator,
  createCompactor,
  createTokenMemo,
  estimateMessage,
  initialState,
  type Message,
  type PlanInput,
  parseState,
  planCompaction,
  presets,
} from '@precis/core'
import { assistant, neutralCodec, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import type { UsageAnchor } from '../../src/state/state.ts'

// What a prompt comes to after one that was measured.

const words = (count: number): string => 'word '.repeat(count)
const system = (count: number): Message => ({ role: 'system', parts: [{ type: 'text', text: words(count) }] })
const sent = [system(10), user(words(200)), assistant(words(300)), user(words(100))]
const appended = [assistant(words(150)), user(words(50))]
const sizeOf = (...messages: readonly Message[]): number => messages.reduce((sum, message) => sum + estimateMessage(message, builtInEstimator), 0)
const declared = { system: 400, tools: 600, memory: 200 }
const estimate = sizeOf(...sent) + 1_200

interface Scene {
  readonly prompt?: number
  readonly factor?: number
  readonly excess?: number
  /** Of the measured call; undefined: stored by a version that did not note it. */
  readonly noted?: number | undefined
}

/** Tokens that decide the next call, and those by estimate alone. */
function usedOf(messages: readonly Message[], overhead: Partial<typeof declared>, { prompt = 5_000, factor = 1, excess = 0, ...scene }: Scene = {}) {
  const noted = 'noted' in scene ? scene.noted : estimate
  const anchor: UsageAnchor = {
    length: sent.length,
    checkpoint: null,
    model: null,
    usage: { input: prompt, cacheRead: 0, cacheWrite: 0, output: 0 },
    ...(noted !== undefined && { estimate: noted }),
  }
  const input: PlanInput = {
    messages,
    tokens: createTokenMemo(builtInEstimator),
    estimator: builtInEstimator,
    policy: presets.balanced,
    limits: { contextWindow: 100_000 },
    overhead: { ...declared, ...overhead },
    state: { ...initialState, calibration: { factor, overhead: excess }, anchor },
    checkpoint: undefined,
  }
  const { decision, tokens } = planCompaction(input)
  return { used: decision.used, estimated: tokens.before }
}

describe('what the request grew by since the last call counts, whatever it is', () => {
  const next = [...sent, ...appended]
  it.each<readonly [string, readonly Message[], Partial<typeof declared>, number]>([
    ['nothing', sent, {}, 0],
    ['messages behind it', next, {}, sizeOf(...appended)],
    ['a longer system prompt', sent, { system: 2_400 }, 2_000],
    ['more tools', sent, { tools: 3_600 }, 3_000],
    ['look-ups', sent, { memory: 900 }, 700],
    ['a longer system message in the history', [system(900), ...sent.slice(1)], {}, sizeOf(system(900)) - sizeOf(system(10))],
    ['all of them', [system(900), ...next.slice(1)], { system: 500, tools: 900, memory: 300 }, sizeOf(system(900), ...appended) - sizeOf(system(10)) + 500],
  ])('%s', (_, messages, overhead, grown) => {
    expect(usedOf(messages, overhead).used).toBe(5_000 + grown)
  })
  it('in the tokens of the provider; what was measured beyond the estimate is in the prompt already', () => {
    expect(usedOf(sent, { tools: 1_600 }, { factor: 1.5, excess: 800 }).used).toBe(5_000 + 1_500)
  })
})

describe('what it shrank by', () => {
  it('is taken off', () => {
    expect(usedOf(sent, { tools: 0, memory: 0 }).used).toBe(5_000 - 800)
  })
  it('no further than to the estimate, nor below what was measured where that is less', () => {
    const [low, between] = [usedOf(sent, { tools: 0 }, { prompt: 100 }), usedOf(sent, { tools: 0 }, { prompt: estimate - 300 })]
    expect(low.used).toBe(100)
    expect(between.used).toBe(between.estimated)
  })
})

it('a measurement of before: what was appended counts, and nothing else', () => {
  expect(usedOf([...sent, ...appended], { tools: 3_600 }, { noted: undefined }).used).toBe(5_000 + sizeOf(...appended))
})

describe('a session', () => {
  const open = () => createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 300 } }).session('s')
  const history = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? user : assistant)(`${at} ${words(200)}`))
  it('compacts before a call whose tools would not fit any more', async () => {
    const session = open()
    const { report } = await session.beforeModelCall(history)
    expect(report.outcome).toBe('unchanged')
    session.afterModelCall({ usage: { input: report.tokens.after, cacheRead: 0, cacheWrite: 0, output: 0 } })
    const { report: more } = await session.beforeModelCall(history, { overhead: { tools: 4_000 } })
    expect(more.tokens.before).toBe(report.tokens.after + 4_000)
    expect(more.outcome).toBe('summarized')
    expect(more.tokens.after).toBeLessThan(7_700)
  })
  it('keeps what was measured in a state that is read again', async () => {
    const session = open()
    const { report } = await session.beforeModelCall(history)
    session.afterModelCall({ usage: { input: report.tokens.after, cacheRead: 0, cacheWrite: 0, output: 0 } })
    const state = session.state()
    expect(state.anchor?.estimate).toBe(report.tokens.after)
    expect(parseState(JSON.stringify(state))).toEqual(state)
    const { estimate: _then, ...before } = state.anchor as UsageAnchor
    expect(parseState(JSON.stringify({ ...state, anchor: before }))?.anchor).toEqual(before)
    expect(parseState(JSON.stringify({ ...state, anchor: { ...before, estimate: -1 } }))).toBeUndefined()
  })
})
