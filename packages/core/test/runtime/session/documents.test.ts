import {
  type CompactionSession,
  type CompactorOptions,
  createCompactor,
  InsufficientBudgetError,
  type Message,
  memoryStorage,
  neutralCodec,
} from '@precis/core'
import { assistant, fakeClock, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const limits = { contextWindow: 200_000, maxOutput: 16_000 }
const call = { model: 'm' }
/** A document elsewhere: nobody here knows its pages. */
const document = (id: number): Message => ({
  role: 'user',
  parts: [
    { type: 'text', text: `Turn ${id}: what is in the file?` },
    { type: 'media', mediaType: 'application/pdf', data: `https://x.example/doc${id}.pdf` },
  ],
})
const make = (options: Partial<CompactorOptions<Message>> = {}) => createCompactor({ codec: neutralCodec, limits, clock: fakeClock(), ...options })

interface Outcome {
  readonly billed: number
  readonly refused: number
}

/** One call to a provider that bills so many tokens for each document, and four letters as one. */
async function send(session: CompactionSession<Message>, history: readonly Message[], perDocument: number, states = true): Promise<Outcome> {
  let prepared = await session.beforeModelCall(history, call)
  for (let refused = 0; ; refused++) {
    const parts = prepared.messages.flatMap((message) => message.parts)
    const letters = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
    const billed = perDocument * parts.filter(({ type }) => type === 'media').length + Math.ceil(letters / 4)
    if (billed + limits.maxOutput <= limits.contextWindow) {
      session.afterModelCall({ usage: { input: billed, cacheRead: 0, cacheWrite: 0, output: 20 }, report: prepared.report })
      return { billed, refused }
    }
    const refusal = new Error(states ? `prompt is too long: ${billed} tokens > 184000 maximum` : 'Your input exceeds the context window of this model.')
    const smaller = await session.recover(history, refusal, call)
    if (smaller === undefined) throw refusal
    prepared = smaller
  }
}

describe('documents of unknown length', () => {
  it.each([true, false])('are learned at once, leave with what they cost, and end no turn; refusals state a number: %s', async (states) => {
    const session = make().session('s')
    const history: Message[] = []
    const seen: Outcome[] = []
    for (let turn = 0; turn < 8; turn++) {
      history.push(turn < 5 ? document(turn) : user(`Turn ${turn}: and what else?`))
      seen.push(await send(session, history, 120_000, states))
      history.push(assistant('It says things.'))
    }
    expect(seen.map(({ refused }) => refused)).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    expect(Math.max(...seen.map(({ billed }) => billed))).toBeLessThan(121_000)
  })
  it('are estimated as they were billed, also by another process', async () => {
    const storage = memoryStorage()
    const history: Message[] = []
    const refused: number[] = []
    for (let turn = 0; turn < 5; turn++) {
      history.push(document(turn))
      refused.push((await send(make({ storage }).session('s'), history, 120_000)).refused)
      history.push(assistant('It says things.'))
    }
    expect(refused).toEqual([0, 1, 0, 0, 0])
    const { report } = await make({ storage }).session('s').beforeModelCall(history, call)
    expect(report.tokens.before / 120_000).toBeCloseTo(1, 1)
  })
  it('one that is too large by itself is named after the provider has refused it, and costs the turns after it nothing', async () => {
    const session = make().session('s')
    const history: Message[] = [user('Hello.'), assistant('Hello!'), document(1)]
    const failure = await send(session, history, 190_000).catch((error: unknown) => error)
    expect(InsufficientBudgetError.isInstance(failure) && failure.culprit.part).toBe('message')
    history.push(user('Never mind. What did I say first?'))
    expect(await send(session, history, 190_000)).toMatchObject({ refused: 0 })
  })
})

describe('what was learned, or is assumed of attachments,', () => {
  const paged = (pages: number): Message => ({
    role: 'user',
    parts: [
      { type: 'text', text: 'What is in it?' },
      { type: 'media', mediaType: 'application/pdf', pages },
    ],
  })
  it('ends no call that fits where a page costs less', async () => {
    const session = make().session('s')
    const history: Message[] = [user('Hello. '.repeat(200)), assistant('Hello!'), paged(500)]
    const { billed, refused } = await send(session, history, 500 * 258)
    expect(refused).toBe(0)
    history.push(assistant('It says things.'), user('And what else?'))
    expect(await send(session, history, 500 * 258)).toMatchObject({ refused: 0 })
    expect(billed).toBeLessThan(130_000)
  })
  it('is no reason to stop either where the texts were counted in excess', async () => {
    const session = make().session('s')
    const history: Message[] = [user('word '.repeat(60_000))]
    await session.beforeModelCall(history, call)
    session.afterModelCall({ usage: { input: 170_000, cacheRead: 0, cacheWrite: 0, output: 20 } })
    session.afterModelCall({ usage: { input: 170_000, cacheRead: 0, cacheWrite: 0, output: 20 } })
    const { report } = await session.beforeModelCall([user('other '.repeat(100_000))], call)
    expect(report.tokens.after).toBeGreaterThan(184_000)
  })
  it('texts that are too large by themselves still are', async () => {
    await expect(
      make()
        .session('s')
        .beforeModelCall([{ role: 'user', parts: [...user('word '.repeat(250_000)).parts, ...paged(3).parts] }], call),
    ).rejects.toThrow('the newest request')
  })
})
