import { Agent, MemorySession, OpenAIProvider, Runner } from '@openai/agents'
import { compactionSession, wrapProvider } from '@precis/openai-agents'
import { client, prompt, agentTools as tools } from './support/openai-agents.ts' // yours

const limits = { contextWindow: 16_000, maxOutput: 1_000 } // your model's
const store = new MemorySession() // or any session of yours: it keeps every item
const session = compactionSession(store, { limits }) // what the next run begins with
const modelProvider = wrapProvider(new OpenAIProvider({ openAIClient: client, useResponses: false }), { limits }) // within a run
const runner = new Runner({ modelProvider, tracingDisabled: true })
const agent = new Agent({ name: 'reader', model: 'strict', tools, modelSettings: { maxTokens: 1_000 } })

for (const input of [`${prompt} This is review REV-3107.`, 'And under which review is this work done?']) {
  const { finalOutput } = await runner.run(agent, input, { session, maxTurns: 200 })
  console.log(finalOutput)
}
console.log(`${(await store.getItems()).length} items stored, ${(await session.getItems()).length} shown`)
