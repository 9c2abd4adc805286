import { ChatOpenAI } from '@langchain/openai'
import { compactionMiddleware } from '@precis/langchain'
import { createAgent } from 'langchain'
import { langchainTools, limits, prompt, url } from './support/langchain.ts'

const model = new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: url } })
const agent = createAgent({ model, tools: langchainTools, middleware: [compactionMiddleware({ limits })] })
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: prompt }] }, { recursionLimit: 400 })
console.log(`${messages.at(-1)?.text} ${messages.length} messages in the state, complete`)
