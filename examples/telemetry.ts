import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { otlpExporter } from '@precis/exporter-otlp'
import { generateText } from 'ai'

const { OTLP_ENDPOINT: endpoint = 'http://127.0.0.1:4318/v1/traces' } =
  process.env
const exporter = otlpExporter({ endpoint })
const model = withCompaction(openai('gpt-5.2'), { exporters: [exporter] }) // sends what happens to the collector

const { text } = await generateText({ model, prompt: 'Why is the sky blue?' })
console.log(text)
await exporter.shutdown?.() // what waits is sent
