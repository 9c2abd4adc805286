import { readFile } from 'node:fs/promises'
import { ChatOpenAI } from '@langchain/openai'
import { compaction } from '@precis/langchain'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'

const read = tool(({ path }) => readFile(path, 'utf8'), {
  name: 'read_file',
  description: 'Reads a file.',
  schema: z.object({ path: z.string() }),
})
const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5.2' }),
  tools: [read],
  middleware: [compaction()], // the only change
})
const { messages } = await agent.invoke(
  { messages: 'What does package.json need?' },
  { recursionLimit: 400 },
)
console.log(messages.at(-1)?.text)
