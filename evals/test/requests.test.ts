import { expect, it } from 'vitest'
import { requestsOf } from '../measures/requests.ts'
import type { RecordedMessage } from '../sessions/transcripts.ts'

const said = (...texts: readonly string[]): readonly RecordedMessage[] => texts.map((content) => ({ role: 'user', content }))

it('requests are what a person said: each once, nothing pasted, nothing that a host wrote', () => {
  expect(requestsOf([...said('Fix the\n  tests.', 'Fix the tests.'), { role: 'assistant', content: 'Done.' }])).toEqual(['Fix the tests.'])
  expect(requestsOf(said('/clear', '<command-name>/compact</command-name>', '[Request interrupted by user]', ' '))).toEqual([])
  expect(requestsOf(said('x'.repeat(2_000), 'y'.repeat(2_001)))).toEqual(['x'.repeat(2_000)])
})
