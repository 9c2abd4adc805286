import { createCompactor, type Message, neutralCodec } from '@precis/core'
import { generateHistory } from '@precis/testkit'

const history: readonly Message[] = generateHistory(1, { turns: 40 })
const compactor = createCompactor<Message>({
  codec: neutralCodec, // an adapter brings its framework's
  limits: { contextWindow: 64_000, maxOutput: 4_000 },
})
const session = compactor.session('ticket-205')

// Now, because a person asked.
const { messages, report } = await session.compact(history, {
  focus: 'what was decided about retries',
})
console.log(`${report.outcome}: ${messages.length} of ${history.length} left`)

// A copy of the conversation, and the conversation itself back to what it was.
const copy = await compactor.fork('ticket-205', 'ticket-205-b')
await session.rewind()
for (const one of [copy, session])
  console.log((await one.view(history)).length, 'messages are shown')

// A new conversation that goes on from this one: its first message.
const first = await session.handoff(history, { focus: 'open tasks' })
console.log(`${first.slice(0, 60)}…`)
