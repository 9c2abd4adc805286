import { compactionMiddleware } from '@precis/langchain'
import { createAgent } from 'langchain'
import { langchainModel as model, prompt, langchainTools as tools } from './support/langchain.ts' // yours

const compaction = compactionMiddleware({ limits: { contextWindow: 16_000, maxOutput: 1_000 } }) // your model's
const agent = createAgent({ model, tools, middleware: [compaction] })
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: prompt }] }, { recursionLimit: 400 })
console.log(`${messages.at(-1)?.text} ${messages.length} messages in the state, complete`)
