import { ChatOpenAI } from '@langchain/openai'
import { compaction } from '@precis/langchain'
import { createDeepAgent } from 'deepagents'
import { limits, url } from './support/langchain.ts'

// Under the name of deepagents' own summarizer ours takes its place: one compaction, not two.
const own = compaction({ name: 'SummarizationMiddleware', limits })
const model = new ChatOpenAI({
  model: 'strict',
  apiKey: 'none',
  configuration: { baseURL: url },
})
const agent = createDeepAgent({ model, tools: [], middleware: [own] })
const told = [
  { role: 'user', content: 'This is review REV-3107.' },
  { role: 'assistant', content: 'Noted.' },
]
const { messages } = await agent.invoke({
  messages: [
    ...told,
    { role: 'user', content: 'And under which review is this work done?' },
  ],
})
console.log(messages.at(-1)?.text)
