import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { createCompactor } from '@precis/langchain'
import { limits, url } from './support/langchain.ts'

const model = new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: url } })
const chain = createCompactor({ limits }).pipe(model) // messages in, messages inside the window out
const conversation = Array.from({ length: 400 }, (_, at) =>
  at % 2 === 0 ? new HumanMessage(`Question ${at}? ${'and '.repeat(80)}`) : new AIMessage(`Answer ${at}. ${'so '.repeat(80)}`),
)
const reply = await chain.invoke([...conversation, new HumanMessage('Where were we?')], { configurable: { thread_id: 'one' } })
console.log(reply.text === '' ? 'answered with a call' : reply.text)
