import { createCompactor, type Message, memoryStorage, neutralCodec, type Part } from '@precis/core'
import { allText, fakeSummarizer, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

// A host that writes a clock or what it remembers into the first message, anew for each request.

const limits = { contextWindow: 16_000, maxOutput: 500 }
const policy = { trigger: { soft: { fraction: 0.5 }, hard: { fraction: 0.9 }, target: { fraction: 0.2 } } }
const work = codingSession({ turns: 40, steps: 2, lines: 30 })
/** What is sent after so many messages of the work. */
const sent = (first: string, messages: number, ...parts: readonly Part[]): readonly Message[] =>
  history({ role: 'user', parts: [{ type: 'text', text: first }, ...parts] }, work.slice(0, messages), user(`and now, at ${messages}?`))
const picture = (seed: number): Part => ({ type: 'media', mediaType: 'image/png', bytes: 3, data: new Uint8Array([seed, 1, 2]) })
const turns = Array.from({ length: 20 }, (_, at) => 6 * (at + 3)).filter((count) => count <= work.length)

/** Runs a conversation, each turn in a process of its own or all in one. @returns summaries that were paid for, and the last context. */
async function run(firstOf: (turn: number) => string, { alone = false } = {}, ...parts: readonly Part[]) {
  const storage = memoryStorage()
  const summarizer = fakeSummarizer()
  const make = () => createCompactor({ codec: neutralCodec, limits, policy, storage, summarizer })
  let compactor = make()
  let context: readonly Message[] = []
  for (const [turn, count] of turns.entries()) {
    if (alone) compactor = make()
    context = (await compactor.session(`with ${parts.length} pictures`).beforeModelCall(sent(firstOf(turn), count, ...parts))).messages
  }
  return { paid: summarizer.requests.length, context }
}

describe('a first message that is another one each time', () => {
  const clock = (turn: number): string => `It is 10:${10 + turn}. The goal is PRE-205.`
  it.each([{}, { alone: true }])('costs no summary: %o', async (how) => {
    const same = await run(() => 'It is 10:10. The goal is PRE-205.', how)
    const changing = await run(clock, how)
    expect(same.paid).toBeGreaterThan(1)
    expect(same.paid).toBeLessThan(turns.length / 2)
    expect(changing.paid).toBe(same.paid)
    expect(allText(changing.context)).toContain(clock(turns.length - 1))
    expect(allText(changing.context)).not.toContain(clock(0))
  })
  it('costs none beside the same picture either', async () => {
    const same = await run(() => 'It is 10:10. The goal is PRE-205.', {}, picture(1))
    const changing = await run(clock, {}, picture(1))
    expect([same.paid > 1, changing.paid]).toEqual([true, same.paid])
  })
  it.each<readonly [string, Part, Part]>([
    ['picture', picture(1), picture(2)],
    ['item of a provider', { type: 'opaque', kind: 'file', size: 9, value: { file: 'a' } }, { type: 'opaque', kind: 'file', size: 9, value: { file: 'b' } }],
  ])('is no way to the summary of the same words with another %s', async (_name, one, other) => {
    const summarizer = fakeSummarizer()
    const session = createCompactor({ codec: neutralCodec, limits, policy, storage: memoryStorage(), summarizer }).session('s')
    await session.beforeModelCall(sent('Look at this.', work.length, one))
    const before = summarizer.requests.length
    const { report } = await session.beforeModelCall(sent('Look at this.', work.length, other))
    expect([report.outcome, summarizer.requests.length > before]).toEqual(['summarized', true])
  })
  it('is no way to the summary of a history that goes another way behind it', async () => {
    const summarizer = fakeSummarizer()
    const session = createCompactor({ codec: neutralCodec, limits, policy, storage: memoryStorage(), summarizer }).session('s')
    await session.beforeModelCall(sent('One.', work.length))
    const before = summarizer.requests.length
    expect(before).toBeGreaterThan(0)
    const { report } = await session.beforeModelCall(history(user('Two.'), user('Another beginning.'), work, user('now?')))
    expect([report.outcome, summarizer.requests.length > before]).toEqual(['summarized', true])
  })
  it('is stored in no form that what is redacted could be guessed by', async () => {
    const began = async (secret: string) => {
      const redact = (text: string): string => text.replace(/ghp_\w+/g, '[gone]')
      const compactor = createCompactor({ codec: neutralCodec, limits, policy, storage: memoryStorage(), summarizer: fakeSummarizer(), redact })
      const session = compactor.session('s')
      await session.beforeModelCall(sent(`The goal is PRE-205, the door opens with 4711-${secret.length}. GITHUB_TOKEN=${secret}`, work.length))
      return session.state().checkpoints.at(-1)?.began
    }
    const [one, other] = [await began(`ghp_${'a1B2c3D4e5F6'.repeat(3)}`), await began(`ghp_${'Z9y8X7w6V5u4'.repeat(3)}`)]
    expect(one?.sketch).toMatch(/^(?:[0-9a-f]{3}){5,}$/)
    expect(one).toEqual(other)
  })
})
