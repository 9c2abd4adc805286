import { createCompactor } from '@precis/core'
import { generateHistory, toAnthropic } from '@precis/testkit'
import { wireAt } from '@precis/wire'

// A request as a client is about to send it, here to the Anthropic Messages API.
const body = {
  model: 'claude-sonnet-4-5',
  max_tokens: 1_000,
  messages: toAnthropic(generateHistory(1, { turns: 40 })),
  metadata: { user_id: 'u1' },
}
const wire = wireAt('https://api.anthropic.com/v1/messages')
const reading = wire?.readRequest(body)
if (wire === undefined || reading?.ok !== true)
  throw new Error('not a request that can be read')

const session = createCompactor({
  codec: wire.codec,
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
}).session('u1')
const { messages } = await session.beforeModelCall(reading.request.messages)
const shorter = wire.writeRequest(reading.request, { messages }) // everything else, `metadata` too, is the same object
console.log(
  `${body.messages.length} → ${(shorter['messages'] as readonly unknown[]).length} messages`,
)
