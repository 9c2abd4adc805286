import { readFile } from 'node:fs/promises'
import {
  Agent,
  MemorySession,
  OpenAIProvider,
  run,
  setDefaultModelProvider,
  tool,
} from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import { z } from 'zod'

setDefaultModelProvider(withCompaction(new OpenAIProvider())) // wrap the provider: the only change

const read = tool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  needsApproval: true,
  execute: ({ path }) => readFile(path, 'utf8'),
})
const agent = new Agent({ name: 'reader', model: 'gpt-5.2', tools: [read] })
const session = new MemorySession() // keeps every item: yours

let result = await run(agent, 'What does package.json need?', { session })
while (result.interruptions.length > 0) {
  // Here a person decides. A call that waits for its answer is never summarized.
  for (const asked of result.interruptions) result.state.approve(asked)
  result = await run(agent, result.state, { session })
}
console.log(result.finalOutput, `${(await session.getItems()).length} items`)
