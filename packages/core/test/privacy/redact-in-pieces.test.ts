import { createRedactor } from '@precis/core'
import { generateHistory, user } from '@precis/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { redactInPieces } from '../../src/privacy/redact-in-pieces.ts'
import { redacting } from '../../src/privacy/redactor.ts'
import { renderTranscript } from '../../src/summary/transcript.ts'

const redact = createRedactor()
const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n'.repeat(40)}-----END PRIVATE KEY-----`

it('redacts a long text a stretch after another as if it were one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.array(fc.nat(400), { minLength: 1, maxLength: 12 }), (seed, places) => {
      const messages = generateHistory(seed, { turns: 30, steps: 4, output: 3_000 }).flatMap((message, at) =>
        places.includes(at) ? [message, ...[user(key), user(`it is password="hunter2-${at}-correct"`)].flat()] : [message],
      )
      const text = renderTranscript(messages, [...messages.keys()]).join('\n\n')
      const pieces = redactInPieces(text, redact)
      expect(finished(pieces)).toBe(redact(text))
      let count = 0
      for (const _ of redactInPieces(text, redact)) count++
      expect(count).toBeGreaterThan(text.length > 200_000 ? 1 : 0)
    }),
    { numRuns: 15 },
  )
})

it('cuts no message in two', () => {
  const text = `[0] user: ${'word '.repeat(20_000)}\n[not a message]\n${'a line\n'.repeat(20_000)}[1] assistant: yes`
  expect([...redactInPieces(text, redact)]).toHaveLength(2)
})

it('looks through one text that is longer than any window a stretch after another, and misses nothing where two of them meet', () => {
  const secrets = ['ghp_0123456789abcdefghijABCDEFGHIJ456789', key, 'password="hunter2-correct-9"']
  for (const [at, secret] of secrets.entries()) {
    for (const before of [0, 1, 20, secret.length - 1, secret.length]) {
      const text = `${'a line of words\n'.repeat(32_768).slice(0, 524_288 - before - 1)} ${secret} ${'another one\n'.repeat(60_000)}`
      const redacted = redact(text)
      expect([redacted.includes(secret), redacted.match(/\[[a-z-]+:[0-9a-f]{6}\]/g)?.length], `secret ${at}, ${before} before`).toEqual([false, 1])
    }
  }
  const long = 'a line of words\n'.repeat(130_000)
  expect([...redacting(redact, long)].length).toBeGreaterThan(2 * [...redacting(redact, long.slice(0, 100_000))].length)
})
