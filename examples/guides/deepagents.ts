import { readFile } from 'node:fs/promises'
import { ChatOpenAI } from '@langchain/openai'
import { compaction } from '@precis/langchain'
import { createDeepAgent } from 'deepagents'
import { tool } from 'langchain'
import { z } from 'zod'

const read = tool(({ path }) => readFile(path, 'utf8'), {
  name: 'read_package',
  description: 'Reads a file.',
  schema: z.object({ path: z.string() }),
})
const agent = createDeepAgent({
  model: new ChatOpenAI({ model: 'gpt-5.2' }),
  tools: [read],
  // Takes the place of deepagents' own summarizer: one compaction, not two.
  middleware: [compaction()],
})
for (const content of ['What does package.json need?', 'And what else?']) {
  const { messages } = await agent.invoke({
    messages: [{ role: 'user', content }],
  })
  console.log(messages.at(-1)?.text)
}
