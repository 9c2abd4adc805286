import { MemorySaver } from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { withCompaction } from '@precis/langchain'
import { langchainTools, limits, prompt, url } from './support/langchain.ts'

// The checkpointer keeps the whole conversation; what the model reads of it is decided at the model.
const agent = createReactAgent({
  llm: withCompaction(
    new ChatOpenAI({
      model: 'strict',
      apiKey: 'none',
      configuration: { baseURL: url },
    }),
    { limits },
  ),
  tools: langchainTools,
  checkpointer: new MemorySaver(),
})
const thread = { configurable: { thread_id: 'one' }, recursionLimit: 400 }
await agent.invoke({ messages: [{ role: 'user', content: prompt }] }, thread)
const { messages } = await agent.invoke(
  {
    messages: [
      { role: 'user', content: 'And under which review is this work done?' },
    ],
  },
  thread,
)
console.log(
  `${messages.at(-1)?.text} ${messages.length} messages in the checkpoint, complete`,
)
