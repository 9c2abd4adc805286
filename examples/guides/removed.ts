import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { renderReport } from '@precis/core'
import { generateText, type ModelMessage } from 'ai'

const model = withCompaction(openai('gpt-5.2'), {
  limits: { contextWindow: 16_000, maxOutput: 1_000 }, // small, to see it at once
  onReport: (report) => {
    if (report.outcome === 'unchanged') return
    console.log(renderReport(report))
    const { summarize, drop, edits } = report.plan // indices of your own messages
    console.log({ summarize, drop, shortened: edits.map(({ index }) => index) })
  },
})
const messages: ModelMessage[] = Array.from({ length: 40 }, (_, at) => ({
  role: at % 2 === 0 ? 'user' : 'assistant',
  content: `Chapter ${at}: ${'the story goes on. '.repeat(120)}`,
}))
messages.push({ role: 'user', content: 'How does it end?' })
for (const _ of [1, 2])
  console.log((await generateText({ model, messages })).text)
