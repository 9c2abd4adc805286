import { readFile } from 'node:fs/promises'
import {
  Agent,
  MemorySession,
  OpenAIProvider,
  Runner,
  tool,
} from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import { z } from 'zod'

const models = withCompaction(new OpenAIProvider()) // one for all users
const read = tool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})
const agent = new Agent({ name: 'reader', model: 'gpt-5.2', tools: [read] })
const session = new MemorySession() // or any session of yours: it keeps every item

for (const input of ['Audit what we install.', 'And what is out of order?']) {
  const name = await session.getSessionId()
  const runner = new Runner({ modelProvider: models.for(name) })
  const { finalOutput } = await runner.run(agent, input, {
    session,
    maxTurns: 200,
  })
  console.log(finalOutput)
}
console.log(`${(await session.getItems()).length} items stored`)
