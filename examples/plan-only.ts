import {
  createCompactor,
  type Message,
  type MessageCodec,
  renderReport,
} from '@precis/core'
import { generateHistory, neutralCodec } from '@precis/testkit'

const codec: MessageCodec<Message> = neutralCodec // an adapter brings its framework's
const history: readonly Message[] = generateHistory(1, { turns: 40 })

const session = createCompactor({
  codec,
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
}).session('one')
const plan = session.plan(history) // a dry run: plain JSON, nothing happened
console.log(
  `${plan.decision.reason}: keep ${plan.keep.length}, summarize ${plan.summarize.length} of ${history.length}`,
)

const { messages, report } = await session.beforeModelCall(history)
console.log(`${renderReport(report)}\n${messages.length} messages to send`)
