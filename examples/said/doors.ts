import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
} from '@langchain/core/messages'
import { withCompaction } from '@precis/langchain'
import { aiSdks } from '../front/ai-sdk.ts'
import {
  counter,
  type Front,
  instructionsOf,
  optionsOf,
  reading,
} from '../front/front.ts'
import { langchainMiddleware, openai } from '../front/langchain.ts'
import { openaiAgents } from '../front/openai-agents.ts'

/** A chat model of LangChain without an agent: it has no tools. */
const langchainModel: Front = {
  name: 'LangChain, `withCompaction`',
  chat(way, url, setting = reading) {
    const own = openai(false)(url)
    const model =
      way === 'precis' || way === 'off'
        ? withCompaction(own, optionsOf(way, setting))
        : own
    const instructions = instructionsOf(setting)
    const history: BaseMessage[] =
      instructions === undefined ? [] : [new SystemMessage(instructions)]
    const { seen, see } = counter()
    return {
      seen,
      async ask(content) {
        history.push(new HumanMessage(content))
        const { text } = await model.invoke(history, {
          configurable: { thread_id: 't' },
        })
        history.push(new AIMessage(text))
        see(1, text)
        return text
      },
    }
  },
}

/** Each way in with the line that its users write, and whether its agents have tools. */
export const doors: readonly Front[] = [
  ...aiSdks.filter(
    ({ name }) =>
      name === 'AI SDK 7' || name === 'AI SDK 7, Anthropic Messages',
  ),
  langchainMiddleware,
  langchainModel,
  ...openaiAgents.filter(({ name }) => name.endsWith('Responses')),
]

/** Whether a conversation can be had through a door. */
export const opens = ({ name }: Front, tools: boolean): boolean =>
  !tools || name !== langchainModel.name
