import { createCompactor, type Message } from '@precis/core'
import { generateHistory, neutralCodec } from '@precis/testkit'
function historyOf(count: number): readonly Message[] {
  const messages: Message[] = []
  for (let seed = 1; messages.length < count; seed++) messages.push(...generateHistory(seed, { turns: 40, steps: 5, output: 9_000 }))
  return structuredClone(messages.slice(0, count))
}
for (let k = 0; k < 2; k++) {
  const messages = historyOf(2_000)
  const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: 64_000 } }).session('overhead')
  let [spent, calls] = [0, 0]
  const slow: number[] = []
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant' || at === 0) continue
    const history = messages.slice(0, at)
    const start = performance.now()
    await session.beforeModelCall(history)
    const t = performance.now() - start
    if (t > 5) slow.push(Math.round(t))
    spent += t
    calls++
  }
  console.log(calls, spent.toFixed(0), ((100 * spent) / (calls * 200)).toFixed(2), slow.length, slow.reduce((a, b) => a + b, 0), slow.join(' '))
}
