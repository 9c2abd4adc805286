import { assistant, user } from '@precis/testkit'
import { expect, it } from 'vitest'
import { builtInEstimator, type Message } from '../../src/index.ts'
import { lookUp } from '../../src/recall/look-up.ts'

const read = (message: Message): string =>
  lookUp([user('Hello.'), message, assistant('Read.')], { message: 1 }, { tokens: 1_000, estimator: builtInEstimator }).text

it('a message that is read has what its user attached, and says how to see it again', () => {
  const media = { type: 'media', mediaType: 'application/pdf', name: 'contract.pdf' } as const
  const text = read({ role: 'user', parts: [{ type: 'text', text: 'What is the notice period?' }, media] })
  expect(text).toContain('[message 1, user attaches]\n> (attached application/pdf contract.pdf)\n')
  expect(text.endsWith('[end of message 1; what was attached to it is not shown again unless the user attaches it again]')).toBe(true)
})
it('of what a tool returned, that it is not shown again', () => {
  const part = { type: 'tool-result', callId: 'c1', tool: 'look', output: '', attachments: [{ type: 'media', mediaType: 'image/png' }] } as const
  expect(read({ role: 'tool', parts: [part] }).endsWith('[end of message 1; what was attached to it is not shown again]')).toBe(true)
})
