import { createCompactor, neutralCodec, renderReport } from '@precis/core'
import { generateHistory } from '@precis/testkit'

const history = generateHistory(1, { turns: 40 }) // a random conversation
const session = createCompactor({
  codec: neutralCodec, // an adapter brings its framework's
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
}).session('one')

const plan = session.plan(history) // a dry run: plain JSON, nothing happened
console.log(
  `${plan.decision.reason}: keep ${plan.keep.length}, summarize ${plan.summarize.length} of ${history.length}`,
)

const { messages, report } = await session.beforeModelCall(history)
console.log(`${renderReport(report)}\n${messages.length} messages to send`)
