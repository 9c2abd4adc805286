import { readFile } from 'node:fs/promises'
import { tool } from '@langchain/core/tools'
import { MemorySaver } from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { withCompaction } from '@precis/langchain'
import { z } from 'zod'

const read = tool(({ path }) => readFile(path, 'utf8'), {
  name: 'read_file',
  description: 'Reads a file.',
  schema: z.object({ path: z.string() }),
})
const agent = createReactAgent({
  llm: withCompaction(new ChatOpenAI({ model: 'gpt-5.2' })), // wrap the model: the only change
  tools: [read],
  checkpointer: new MemorySaver(), // keeps the conversation whole: yours
})
const { messages } = await agent.invoke(
  { messages: [{ role: 'user', content: 'What does package.json need?' }] },
  { configurable: { thread_id: 'chat-42' }, recursionLimit: 400 },
)
console.log(messages.at(-1)?.text, `${messages.length} messages, complete`)
