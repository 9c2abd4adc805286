import {
  Agent,
  OpenAIProvider,
  run,
  setDefaultModelProvider,
} from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import { prompt, agentTools as tools } from './support/openai-agents.ts' // yours

setDefaultModelProvider(withCompaction(new OpenAIProvider())) // every agent, handoff, agent as tool

const agent = new Agent({ name: 'reader', model: 'gpt-5.2', tools })
const { finalOutput, history } = await run(agent, prompt, { maxTurns: 200 })
console.log(`${finalOutput} ${history.length} items in the history, complete`)
