import { compaction } from '@precis/langchain'
import { createAgent } from 'langchain'
import {
  langchainModel as model,
  prompt,
  langchainTools as tools,
} from './support/langchain.ts' // yours: new ChatOpenAI({ model: 'gpt-5.2' }), say

const agent = createAgent({ model, tools, middleware: [compaction()] })
const { messages } = await agent.invoke(
  { messages: [{ role: 'user', content: prompt }] },
  { recursionLimit: 400 },
)
console.log(
  `${messages.at(-1)?.text} ${messages.length} messages in the state, complete`,
)
