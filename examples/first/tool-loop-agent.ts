import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { stepCountIs, ToolLoopAgent, tool } from 'ai'
import { z } from 'zod'

const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})
const agent = new ToolLoopAgent({
  model: withCompaction(openai('gpt-5.2')),
  tools: { read_file },
  stopWhen: stepCountIs(200),
})
console.log(
  (await agent.generate({ prompt: 'What does package.json need?' })).text,
)
