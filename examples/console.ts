import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { consoleExporter } from '@precis/exporter-console'
import { generateText } from 'ai'

const exporters = [consoleExporter()]
const model = withCompaction(openai('gpt-5.2'), { exporters }) // prints what happens

const { text } = await generateText({ model, prompt: 'Why is the sky blue?' })
console.log(text)
