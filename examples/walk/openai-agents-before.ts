import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import { z } from 'zod'
import { listFiles, readFile } from './files.ts'

const list = tool({
  name: 'list_files',
  description: 'list',
  parameters: z.object({}),
  execute: async () => listFiles(),
})
const read = tool({
  name: 'read_file',
  description: 'read',
  parameters: z.object({ path: z.string() }),
  execute: async ({ path }) => readFile(path),
})
const agent = new Agent({
  name: 'reader',
  model: 'strict',
  tools: [list, read],
})
const provider = new OpenAIProvider({
  baseURL: process.env['BASE_URL'] ?? '',
  apiKey: 'none',
})
const runner = new Runner({ modelProvider: provider, tracingDisabled: true })
const { finalOutput } = await runner.run(agent, 'Read all files.', {
  maxTurns: 200,
})
console.log(finalOutput)
