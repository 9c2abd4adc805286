import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled } from '@openai/agents'
import { wrapModel } from '@precis/openai-agents'
import { agentTools, client, limits, prompt } from './support/openai-agents.ts'

setTracingDisabled(true)
const model = wrapModel(new OpenAIChatCompletionsModel(client, 'strict'), { limits })
const agent = new Agent({ name: 'reader', model, tools: agentTools, modelSettings: { maxTokens: 1_000 } })
const { finalOutput, history } = await run(agent, prompt, { maxTurns: 200 })
console.log(`${finalOutput} ${history.length} items in the history, complete`)
