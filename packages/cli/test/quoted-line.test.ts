import { expect, it } from 'vitest'
import { quotedLine } from '../src/transcripts/quoted-line.ts'
import { parseTranscripts } from '../src/transcripts/transcript.ts'

// Secrets are put together here, so that this file sets off nobody's alarm.
const token = `gh${'p'}_${'a1B2'.repeat(9)}`

it.each([
  ['a secret', `{"role":"user","content": "${token}`],
  ['a secret that was cut off', `{"role":"user","content": "${token.slice(0, 13)}`],
  ['a password', `{"password": "hunter2-x9", "role":`],
])('a quotation of a broken line shows nothing of %s', (_, line) => {
  const message = (() => {
    try {
      parseTranscripts(`{"role":"user","content":"a"}\n${line}\n`, 'bad.jsonl')
    } catch (error) {
      return String(error)
    }
    return ''
  })()
  expect(message).toMatch(/bad\.jsonl, line 2: expected a JSON object, found "\{/)
  expect(message).not.toMatch(/a1B2|hunter2/)
})

it.each([
  ['{"role":', '"{\\"role\\":"'],
  ['# A heading, 12 words', '"# A heading, 12 words"'],
  ['x'.repeat(100_000), `"${'x'.repeat(40)}"`],
])('what is no secret is quoted as it is: %s', (line, quoted) => {
  expect(quotedLine(line)).toBe(quoted)
})
