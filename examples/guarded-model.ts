import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { createCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs, tool, wrapLanguageModel } from 'ai'
import { z } from 'zod'

const model = wrapLanguageModel({
  model: openai('gpt-5.2'),
  middleware: createCompaction().middleware(), // limits of known models; refusals tell others
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
