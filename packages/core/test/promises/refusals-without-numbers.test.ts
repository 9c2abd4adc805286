import { answerRefusals, type CompactionReport, createCompactor, type Message, neutralCodec } from '@precis/core'
import { assistant, fakeClock, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

describe('a refusal', () => {
  it.each([
    [16_000, 2_000_000],
    [8_000, 800_000],
    [32_000, 4_000_000],
  ])('without a number ends no run: in a window of %d one output of %d characters', async (window, characters) => {
    const compactor = createCompactor<Message>({ codec: neutralCodec, clock: fakeClock() })
    let refused = 0
    const session = compactor.session('s')
    const send = async (source: readonly Message[]) => {
      const answer = async ({ report }: { readonly report: CompactionReport }) => {
        const { after } = report.tokens
        if (after > window) {
          refused++
          throw new Error('Your input exceeds the context window of this model.')
        }
        session.afterModelCall({ usage: { input: after, cacheRead: 0, cacheWrite: 0, output: 40 } })
        return after
      }
      return answerRefusals(session, { history: source, call: {} }, async () => answer(await session.beforeModelCall(source)), answer)
    }
    const talk = history(user('Read it.'))
    await send(talk)
    const large = [...talk, ...step('read', 'big', {}, 'word 4711 another thing\n'.repeat(characters / 24))]
    expect(await send(large)).toBeGreaterThan(window / 5)
    expect(refused).toBeLessThanOrEqual(5)
    // What it taught holds: the next one goes out within the window, or is refused once more.
    refused = 0
    const next = [
      ...large,
      assistant('It is read.'),
      user('And the other one.'),
      ...step('read', 'next', {}, 'word 4711 another thing\n'.repeat(characters / 24)),
    ]
    await send(next)
    await send([...next, assistant('It is read.'), user('Go on.')])
    expect(refused).toBeLessThanOrEqual(2)
  })

  it('without a number is believed where calls of another model stand between it and the second', async () => {
    const compactor = createCompactor<Message>({ codec: neutralCodec, clock: fakeClock() })
    const session = compactor.session('lead and helper')
    let refused = 0
    const send = async (model: string, window: number, source: readonly Message[]) => {
      const answer = async ({ report }: { readonly report: CompactionReport }) => {
        if (report.tokens.after > window) {
          refused++
          throw new Error('Your input exceeds the context window of this model.')
        }
        session.afterModelCall({ usage: { input: report.tokens.after, cacheRead: 0, cacheWrite: 0, output: 40 } })
      }
      return answerRefusals(session, { history: source, call: { model } }, async () => answer(await session.beforeModelCall(source, { model })), answer)
    }
    const lead = [user('Lead this.')]
    for (let round = 0; round < 6; round++) {
      lead.push(assistant(`Round ${round} is done.`), user(`Now round ${round + 1}.`))
      await send('big', 64_000, history(...lead))
      const files = Array.from({ length: 6 }, (_, file) => step('read', `r${round}f${file}`, {}, `line ${round} ${file} word 4711 another thing\n`.repeat(200)))
      await send('small', 9_000, history(user(`Read the files of round ${round}.`), ...files.flat()))
    }
    expect(refused).toBeLessThanOrEqual(4)
  })
})
