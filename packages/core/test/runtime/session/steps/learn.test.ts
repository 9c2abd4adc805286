import { assistant, fakeClock, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { presets } from '../../../../src/index.ts'
import { learnUsage } from '../../../../src/runtime/session/measuring/learn.ts'
import { emptyMemory, type Memory } from '../../../../src/runtime/session/memory.ts'
import type { SessionParts } from '../../../../src/runtime/session/session-parts.ts'
import { sessionWith, usage } from '../../../systems/setup.ts'

const messages = [user('a'), assistant('b')]

/** The factor that is known after these readings, each of a prompt that was taken for so many Tokens. */
function factorAfter(...readings: readonly (readonly [sent: number, counted: number])[]): number {
  const parts = { clock: fakeClock(), policy: presets.balanced, learned: new Map() } as unknown as SessionParts<string>
  let memory: Memory<string> = emptyMemory
  for (const [total, counted] of readings) {
    const last = { messages, length: 2, checkpoint: null, served: { model: 'm' }, provider: undefined, estimate: total, total, context: ['a', 'b'], at: 0 }
    memory = learnUsage(parts, { ...memory, last }, last, usage(counted))
  }
  return memory.state.calibration.factor
}

describe('a count of more than twice what was sent', () => {
  it.each([
    ['one is not believed', [[10_000, 34_000]], false],
    [
      'a second one of the same factor is',
      [
        [10_000, 45_000],
        [20_000, 88_000],
      ],
      true,
    ],
    [
      'or of the same difference: what nobody counted',
      [
        [2_000, 15_000],
        [6_000, 19_000],
      ],
      true,
    ],
    [
      'not a second one that says otherwise',
      [
        [10_000, 30_000],
        [10_000, 60_000],
      ],
      false,
    ],
    [
      'nor one that comes after a sound one',
      [
        [10_000, 34_000],
        [10_000, 10_000],
        [10_000, 34_000],
      ],
      false,
    ],
    ['a factor of two is believed at once', [[10_000, 20_000]], true],
    ['so are a few tokens', [[10, 1_750]], true],
  ] as const)('%s', (_, readings, isBelieved) => {
    expect(factorAfter(...readings) > 1).toBe(isBelieved)
  })
  it('does not compact what fits by the estimate', async () => {
    const document = user('The harbor keeps a list of ships and their cargo. '.repeat(6_000))
    const session = sessionWith(presets.balanced, { limits: { contextWindow: 200_000 } })
    const { report } = await session.beforeModelCall([document])
    expect(report.tokens.after).toBeGreaterThan(55_000)
    session.afterModelCall({ usage: usage(Math.round(report.tokens.after * 3.2)) })
    expect((await session.beforeModelCall([document, assistant('Read.'), user('Go on.')])).report.outcome).toBe('unchanged')
  })
})

describe('calls of one session that are under way at once', () => {
  const long = [user('The harbor keeps a list of ships and their cargo. '.repeat(2_000))]
  const short = [user('A title for this chat, please.')]
  it('each count is of the context that its receipt is of', async () => {
    const session = sessionWith(presets.balanced, { limits: { contextWindow: 200_000 } })
    const [first, second] = await Promise.all([session.beforeModelCall(long), session.beforeModelCall(short)])
    session.afterModelCall({ usage: usage(second.report.tokens.after), report: second.report })
    session.afterModelCall({ usage: usage(first.report.tokens.after), report: first.report })
    expect(session.state().calibration.factor).toBeCloseTo(1, 1)
    expect(session.state().anchor?.usage.input).toBe(first.report.tokens.after)
  })
  it('a receipt of what went out as it came teaches nothing', async () => {
    const session = sessionWith(presets.balanced, { limits: { contextWindow: 200_000 } })
    const { report } = await session.beforeModelCall(long)
    session.afterModelCall({ usage: usage(90_000), report: { ...report, plan: { ...report.plan } } })
    expect(session.state().anchor).toBeUndefined()
  })
})
