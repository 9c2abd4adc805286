import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'
import { listFiles, readFile } from './files.ts'

const model = createOpenAICompatible({
  name: 'local',
  baseURL: process.env['BASE_URL'] ?? '',
  apiKey: 'none',
  includeUsage: true,
})('strict')
const tools = {
  list_files: tool({
    description: 'list',
    inputSchema: z.object({}),
    execute: async () => listFiles(),
  }),
  read_file: tool({
    description: 'read',
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }) => readFile(path),
  }),
}
const { text } = await generateText({
  model,
  tools,
  prompt: 'Read all files.',
  stopWhen: stepCountIs(60),
})
console.log(text)
