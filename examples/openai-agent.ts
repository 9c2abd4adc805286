import { Agent, OpenAIProvider, Runner } from '@openai/agents'
import { wrapProvider } from '@precis/openai-agents'
import { client, prompt, agentTools as tools } from './support/openai-agents.ts' // yours

// Every model that the provider gives is kept inside its window: agents that name theirs, handoffs, agents as tools.
const modelProvider = wrapProvider(new OpenAIProvider({ openAIClient: client, useResponses: false }), {
  limits: { contextWindow: 16_000, maxOutput: 1_000 }, // your model's
})
const agent = new Agent({ name: 'reader', model: 'strict', tools, modelSettings: { maxTokens: 1_000 } })
const { finalOutput, history } = await new Runner({ modelProvider, tracingDisabled: true }).run(agent, prompt, { maxTurns: 200 })
console.log(`${finalOutput} ${history.length} items in the history, complete`)
