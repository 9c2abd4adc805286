import { Agent, MemorySession, OpenAIProvider, Runner } from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import { prompt, agentTools as tools } from './support/openai-agents.ts' // yours

// One wrapped provider for all users; each conversation under its own name.
const models = withCompaction(new OpenAIProvider(), {
  limits: { contextWindow: 16_000, maxOutput: 1_000 },
}) // your model's
const agent = new Agent({ name: 'reader', model: 'gpt-5.2', tools })
const session = new MemorySession() // or any session of yours: it keeps every item

for (const input of [
  `${prompt} This is review REV-3107.`,
  'And under which review is this work done?',
]) {
  const runner = new Runner({
    modelProvider: models.for(await session.getSessionId()),
  })
  const { finalOutput } = await runner.run(agent, input, {
    session,
    maxTurns: 200,
  })
  console.log(finalOutput)
}
console.log(`${(await session.getItems()).length} items stored`)
