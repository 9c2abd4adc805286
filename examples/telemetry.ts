import { createCompactor, neutralCodec } from '@precis/core'
import { otlpExporter } from '@precis/exporter-otlp'
import { generateHistory } from '@precis/testkit'

const { OTLP_ENDPOINT: endpoint } = process.env // http://127.0.0.1:4318/v1/traces; without one: the span that is active
const compactor = createCompactor({
  codec: neutralCodec,
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
  exporters: [
    otlpExporter(endpoint === undefined ? {} : { endpoint, batchDelay: 100 }),
  ],
})
const { report } = await compactor
  .session('one')
  .beforeModelCall(generateHistory(1, { turns: 40 }))
await compactor.shutdown() // what waits is sent
console.log(
  `${report.outcome}; events ${endpoint === undefined ? 'on the active span' : `sent to ${endpoint}`}`,
)
