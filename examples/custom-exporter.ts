import { createCompactor, type Exporter, neutralCodec } from '@precis/core'
import { exporterCases, generateHistory } from '@precis/testkit'

/** Counts what happens, for a metrics endpoint of yours. A callback would be one line: `{ name: 'log', export: (events) => events.forEach(log) }`. */
function counting(counts: Map<string, number>): Exporter {
  return {
    name: 'counts',
    export(events) {
      for (const { event } of events)
        counts.set(event, (counts.get(event) ?? 0) + 1)
    },
  }
}

for (const { run } of exporterCases) await run(() => counting(new Map()))
const counts = new Map<string, number>()
const compactor = createCompactor({
  codec: neutralCodec,
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
  exporters: [counting(counts)],
})
await compactor
  .session('one')
  .beforeModelCall(generateHistory(1, { turns: 40 }))
await compactor.shutdown()
console.log([...counts].map(([event, count]) => `${event} ${count}`).join(', '))
