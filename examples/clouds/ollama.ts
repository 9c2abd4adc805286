import { readFile } from 'node:fs/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const ollama = createOpenAICompatible({
  name: 'ollama',
  baseURL: 'http://localhost:11434/v1',
  includeUsage: true, // so that counts are those of the model
})
const model = withCompaction(ollama('qwen3'), {
  limits: { contextWindow: 32_768, maxOutput: 4_096 }, // num_ctx: what the server was started with
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
