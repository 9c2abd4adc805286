import { readFile } from 'node:fs/promises'
import {
  Agent,
  OpenAIProvider,
  run,
  setDefaultModelProvider,
  tool,
} from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import { z } from 'zod'

// wrap the provider, the only change: every agent, handoff and agent as tool
setDefaultModelProvider(withCompaction(new OpenAIProvider()))

const read = tool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})
const agent = new Agent({ name: 'reader', model: 'gpt-5.2', tools: [read] })
const { finalOutput } = await run(agent, 'What does package.json need?', {
  maxTurns: 200,
})
console.log(finalOutput)
