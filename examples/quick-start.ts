import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { createCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const { prepareStep } = createCompaction() // knows your model's limits, or takes `limits`
const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})
const tools = { read_file }
const { text } = await generateText({
  model: openai('gpt-5.2'),
  tools,
  prompt: 'Audit what we install.',
  stopWhen: stepCountIs(200),
  prepareStep: prepareStep({ tools }), // compacts before each step: the only change
})
console.log(text)
