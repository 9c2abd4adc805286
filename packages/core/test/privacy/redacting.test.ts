import { createCompactor, createRedactor, type Message, neutralCodec, type Redactor, redactValue, secretRules } from '@precis/core'
import { call, fakeClock, result, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { redactedInPieces, redactedReading } from '../../src/privacy/redact-message.ts'
import { readingJson } from '../../src/privacy/redact-value.ts'
import { redacting } from '../../src/privacy/redactor.ts'

/** A text redacted in pieces, and how many there were. */
function pieces(redact: Redactor, text: string): { readonly text: string; readonly count: number } {
  const work = redacting(redact, text)
  for (let count = 0; ; count++) {
    const { done, value } = work.next()
    if (done === true) return { text: value, count }
  }
}

const secrets = [
  'password="hunter2-is-it"',
  'AKIAIOSFODNN7EXAMPLQ',
  'sk-ant-api03-abcdefghij0123456789',
  'https://me:s3cretpw@host.example',
  '\\"token\\": \\"a1b2c3d4e5f6a7b8\\"',
]
const lines = fc.array(fc.oneof(fc.constantFrom(...secrets), fc.string({ maxLength: 60 }), fc.constant('the worker reads its queue')), {
  minLength: 1,
  maxLength: 40,
})

describe('a text that is redacted in pieces', () => {
  const salted: Redactor = createRedactor([...secretRules, (text) => text.replaceAll('queue', '[a-thing]')], { salt: 'one' })

  it('is the text that is redacted at once', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 60 }), (some, times) => {
        const text = `${some.join('\n')}\n`.repeat(times)
        expect(pieces(salted, text).text).toBe(salted(text))
        const json = JSON.stringify(Array.from({ length: times }, () => ({ password: some[0], list: some, at: times })))
        const reading = readingJson(salted)
        expect(pieces(reading, json).text).toBe(reading(json))
      }),
      { numRuns: 60, seed: 11 },
    )
  })

  it('is looked at once where it is short, and each time by functions', () => {
    const [asked, told] = [vi.fn(() => []), vi.fn((text: string) => text)]
    const redact = createRedactor([{ find: asked }, told])
    for (const text of ['path', 'the worker reads its queue', 'path', 'path', 'x'.repeat(500), 'x'.repeat(500)]) expect(redact(text)).toBe(text)
    expect(asked).toHaveBeenCalledTimes(4)
    expect(told).toHaveBeenCalledTimes(6)
    for (let at = 0; at < 5_000; at++) redact(`field ${at}`)
    redact('path')
    expect(asked).toHaveBeenCalledTimes(5_005)
  })

  it('comes in a piece for each rule, and JSON in one for each object in it', () => {
    const text = 'the worker reads its queue\n'.repeat(4_000)
    expect(pieces(salted, text).count).toBeGreaterThanOrEqual(secretRules.length)
    const json = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, password: `hunter2-${id}-abc` })))
    const read = pieces(readingJson(salted), json)
    expect(read.count).toBeGreaterThan(2_000)
    expect(read.text).toBe(JSON.stringify(redactValue(JSON.parse(json), salted)))
  })

  it('JSON in which a number is a secret stays JSON: the number becomes a text, and the rest is read by its names', () => {
    const byName = createRedactor([{ tag: 'pin', pattern: /(?<="pin":"?)\d{6,}/g }])
    const hidden = readingJson(byName)('{"pin":48291734,"account":{"pin":"482917","at":48291734}}')
    expect(hidden).toMatch(/^\{"pin":"\[pin:\w+\]","account":\{"pin":"\[pin:\w+\]","at":48291734\}\}$/)
  })

  it('is read so in messages, each part once', () => {
    const big = JSON.stringify(Array.from({ length: 1_000 }, (_, id) => ({ id, secret: `abc-${id}-def-123456` })))
    const messages = [user('begin'), call('read', 'c', { password: 'hunter2-is-it' }), result('c', big)]
    const whole = messages.map(redactedReading(salted).message)
    const reading = redactedReading(salted)
    for (const message of messages) finished(reading.ahead(message))
    const part = reading.part((messages[2] as Message).parts[0] as never, messages[2])
    const read = finished(redactedInPieces(messages, reading))
    expect(read).toEqual(whole)
    expect(read[2]?.parts[0]).toBe(part)
  })
})

it('a long JSON output keeps nobody waiting: others have their turn after every few of its fields', async () => {
  const output = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, name: 'worker', path: `src/queue/${id}.ts`, ok: id % 2 === 0 })))
  // Each look at the clock finds that a slice is over.
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10))
  let [asked, most, inTurn, isDone] = [0, 0, 0, false]
  const others = (): void => {
    inTurn = 0
    if (!isDone) setImmediate(others)
  }
  setImmediate(others)
  const redact = (text: string): string => {
    asked++
    most = Math.max(most, ++inTurn)
    return text
  }
  const options = { codec: neutralCodec, limits: { contextWindow: 16_000, maxOutput: 2_000 }, clock: fakeClock(), redact }
  const { report } = await createCompactor<Message>(options)
    .session('json')
    .beforeModelCall([user('begin'), call('read', 'c', {}), result('c', output)])
  isDone = true
  clock.mockRestore()
  expect(report.outcome).not.toBe('unchanged')
  expect(asked).toBeGreaterThan(10_000)
  expect(most).toBeLessThan(50)
})
