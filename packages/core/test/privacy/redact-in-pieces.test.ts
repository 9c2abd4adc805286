import { createRedactor, renderTranscript } from '@precis/core'
import { generateHistory, user } from '@precis/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { redactInPieces } from '../../src/privacy/redact-in-pieces.ts'

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
