import { AIMessage, HumanMessage } from '@langchain/core/messages'
import {
  ChatPromptTemplate,
  MessagesPlaceholder,
} from '@langchain/core/prompts'
import { ChatOpenAI } from '@langchain/openai'
import { withCompaction } from '@precis/langchain'

const model = withCompaction(new ChatOpenAI({ model: 'gpt-5.2' })) // wrap the model: the only change
const prompt = ChatPromptTemplate.fromMessages([
  ['system', 'You help with a code base.'],
  new MessagesPlaceholder('history'),
])
const history = [
  new HumanMessage('This is review REV-3107.'),
  new AIMessage('Noted.'),
  new HumanMessage('Where were we?'),
]
const reply = await prompt
  .pipe(model)
  .invoke({ history }, { configurable: { thread_id: 'chat-42' } })
console.log(reply.text)
