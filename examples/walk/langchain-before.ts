import { ChatOpenAI } from '@langchain/openai'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'
import { listFiles, readFile } from './files.ts'

const model = new ChatOpenAI({
  model: 'strict',
  apiKey: 'none',
  configuration: { baseURL: process.env['BASE_URL'] ?? '' },
})
const list = tool(async () => listFiles(), {
  name: 'list_files',
  description: 'list',
  schema: z.object({}),
})
const read = tool(async ({ path }: { path: string }) => readFile(path), {
  name: 'read_file',
  description: 'read',
  schema: z.object({ path: z.string() }),
})
const agent = createAgent({ model, tools: [list, read] })
const { messages } = await agent.invoke(
  { messages: [{ role: 'user', content: 'Read all files.' }] },
  { recursionLimit: 400 },
)
console.log(messages.at(-1)?.text)
