import { createCompactor, type Message } from '@precis/core'
import { generateHistory, neutralCodec } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { redactedReading } from '../../../src/privacy/redact-message.ts'
import { createReadingAhead } from '../../../src/runtime/session/reading/read-ahead.ts'

const messages = generateHistory(3, { turns: 20, steps: 3, output: 4_000 })
const pause = (milliseconds = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
/** How many were shown when no more come. */
async function settled(shown: readonly string[]): Promise<number> {
  for (let before = 0; before === 0 || before < shown.length; await pause(100)) before = shown.length
  return shown.length
}
/** What a redactor was shown. */
function watched() {
  const shown: string[] = []
  const redact = (text: string): string => {
    shown.push(text)
    return text
  }
  return { shown, redact, redacted: redactedReading(redact) }
}

describe('reading ahead', () => {
  it('begins when the request is out, and reads each message once', async () => {
    const reading = createReadingAhead()
    const { shown, redacted } = watched()
    reading.go(messages.slice(0, 10), redacted)
    expect(shown).toEqual([])
    const first = await settled(shown)
    reading.go(messages.slice(0, 10), redacted)
    await pause(50)
    expect(shown.length).toBe(first)
    reading.go(messages, redacted)
    await pause(200)
    expect(shown.length).toBeGreaterThan(first)
  })
  it('stops where the next request comes', async () => {
    const reading = createReadingAhead()
    const { shown, redacted } = watched()
    reading.go(messages, redacted)
    reading.stop()
    await pause(50)
    expect(shown).toEqual([])
  })
  it('what a redactor throws is not its to say', async () => {
    const reading = createReadingAhead()
    reading.go(
      messages,
      redactedReading(() => {
        throw new Error('no')
      }),
    )
    await pause(50)
    expect(() => reading.stop()).not.toThrow()
  })
})

describe('a conversation that nears its window', () => {
  const shownOf = async (window: number): Promise<number> => {
    const { shown, redact } = watched()
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow: window }, redact })
    const session = compactor.session('near')
    shown.length = 0
    const { report } = await session.beforeModelCall(messages)
    expect(report.outcome).toBe('unchanged')
    await pause(300)
    return shown.length
  }
  it('is read while the model works; one that has room is not', async () => {
    const { report } = await createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow: 10_000_000 } })
      .session('size')
      .beforeModelCall(messages)
    expect(await shownOf(Math.ceil(report.tokens.before * 1.8))).toBeGreaterThan(0)
    expect(await shownOf(report.tokens.before * 10)).toBe(0)
  })
})
