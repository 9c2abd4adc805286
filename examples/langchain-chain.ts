import { AIMessage, HumanMessage } from '@langchain/core/messages'
import {
  ChatPromptTemplate,
  MessagesPlaceholder,
} from '@langchain/core/prompts'
import { ChatOpenAI } from '@langchain/openai'
import { withCompaction } from '@precis/langchain'
import { limits, url } from './support/langchain.ts'

const model = withCompaction(
  new ChatOpenAI({
    model: 'strict',
    apiKey: 'none',
    configuration: { baseURL: url },
  }),
  { limits },
) // your model's
const prompt = ChatPromptTemplate.fromMessages([
  ['system', 'You help with a code base.'],
  new MessagesPlaceholder('history'),
])
const history = Array.from({ length: 400 }, (_, at) =>
  at % 2 === 0
    ? new HumanMessage(`Question ${at}? ${'and '.repeat(80)}`)
    : new AIMessage(`Answer ${at}. ${'so '.repeat(80)}`),
)
const reply = await prompt
  .pipe(model)
  .invoke(
    { history: [...history, new HumanMessage('Where were we?')] },
    { configurable: { thread_id: 'one' } },
  )
console.log(reply.text === '' ? 'answered with a call' : reply.text)
