import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { modelSummarizer, withCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const model = withCompaction(openai('gpt-5.2'), {
  summarizer: modelSummarizer({ model: openai('gpt-5-mini') }),
  policy: {
    summary: {
      prompt: {
        system: 'You keep the files of a law firm.',
        instruction: 'Write down parties, dates, claims and what is open.',
      },
      directives: ['Keep case numbers as they are written.'],
    },
  },
})
const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})
const { text } = await generateText({
  model,
  tools: { read_file },
  prompt: 'What does package.json need?',
  stopWhen: stepCountIs(200),
})
console.log(text)
