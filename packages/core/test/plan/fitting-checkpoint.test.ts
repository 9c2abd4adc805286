import { createCompactor, type Message, neutralCodec } from '@precis/core'
import { fakeSummarizer } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const windows: Readonly<Record<string, number>> = { small: 4_000, medium: 6_000, large: 40_000 }
const history = (turns: number): Message[] =>
  Array.from({ length: turns }, (_, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    parts: [{ type: 'text', text: `${at} ${'word '.repeat(90)}` }],
  }))
const start = (more: object = {}) => {
  const summarizer = fakeSummarizer()
  const limits = (model: string) => (windows[model] === undefined ? undefined : { contextWindow: windows[model], maxOutput: 500 })
  const session = createCompactor<Message>({ codec: neutralCodec, limits, summarizer, ...more }).session('s')
  const call = async (model: string, turns: number) => (await session.beforeModelCall(history(turns), { model })).report
  return { session, call, paid: () => summarizer.requests.length }
}

describe('which checkpoint a call is shown', () => {
  it('the whole history again, where what was left out for a smaller window fits', async () => {
    const { call, paid } = start()
    expect((await call('small', 61)).outcome).toBe('summarized')
    const large = await call('large', 63)
    expect([large.outcome, large.checkpoint]).toEqual(['unchanged', undefined])
    expect((await call('small', 63)).outcome).toBe('projected')
    expect(paid()).toBe(1)
  })
  it('its own older one rather than a newer one for less; both stay', async () => {
    const { call, session } = start()
    const own = await call('large', 401)
    const small = await call('small', 403)
    const again = await call('large', 405)
    expect([again.checkpoint, again.outcome]).toEqual([own.checkpoint, 'projected'])
    const third = await call('small', 405)
    expect([third.checkpoint, third.outcome]).toEqual([small.checkpoint, 'projected'])
    expect(session.state().checkpoints.map(({ usable }) => usable)).toEqual([39_500, 3_500])
  })
  it('one for a somewhat smaller window, as a summary more costs more than it shows', async () => {
    const { call, paid } = start()
    const small = await call('small', 61)
    expect((await call('medium', 61)).checkpoint).toBe(small.checkpoint)
    expect(paid()).toBe(1)
  })
  it('one for less, where the whole history would not fit and there is no other', async () => {
    const { call, paid } = start()
    const small = await call('small', 501)
    expect((await call('large', 501)).checkpoint).toBe(small.checkpoint)
    expect(paid()).toBe(1)
  })
  it('the newest, where nobody knows the window', async () => {
    const { call } = start()
    const small = await call('small', 61)
    expect((await call('unheard-of', 61)).checkpoint).toBe(small.checkpoint)
  })
  it('what somebody asked for, whatever the window', async () => {
    const { call, session } = start()
    const asked = await session.compact(history(31), { model: 'small' })
    expect((await call('large', 33)).checkpoint).toBe(asked.report.checkpoint)
  })
  it('what came of a refusal: it says nothing of the window that a model of this name has', async () => {
    const { call, session } = start()
    await call('large', 61)
    const refused = await session.recover(history(61), Object.assign(new Error('prompt is too long'), { status: 400 }), { model: 'large' })
    expect(refused?.report.checkpoint).toBeDefined()
    expect((await call('large', 61)).checkpoint).toBe(refused?.report.checkpoint)
  })
})
