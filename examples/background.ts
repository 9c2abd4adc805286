import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

// From `soft` on the summary is prepared beside the agent's own calls; when `hard` is reached it is there already.
const model = withCompaction(openai('gpt-5.2'), {
  policy: {
    trigger: {
      background: true,
      soft: { fraction: 0.6 },
      hard: { fraction: 0.8 },
    },
  },
  onReport: ({ outcome, duration }) => {
    if (outcome === 'summarized')
      console.log(
        `summarized, the agent waited ${duration < 1_000 ? 'less' : 'more'} than a second`,
      )
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
  prompt: 'Audit what we install.',
  stopWhen: stepCountIs(200),
})
console.log(text)
