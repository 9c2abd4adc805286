import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { Agent } from '@mastra/core/agent'
import type { MastraModelConfig } from '@mastra/core/llm'
import { createTool } from '@mastra/core/tools'
import { withCompaction } from '@precis/ai-sdk'
import { z } from 'zod'

const read_file = createTool({
  id: 'read_file',
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  outputSchema: z.string(),
  execute: ({ path }) => readFile(path, 'utf8'),
})
const agent = new Agent({
  id: 'reader',
  name: 'Reader',
  instructions: 'You read files.',
  // The line. Mastra 1.71 has the types of an earlier AI SDK 7: hence the `as`.
  model: withCompaction(openai('gpt-5.2')) as MastraModelConfig,
  tools: { read_file },
})
const { text } = await agent.generate('What does package.json need?', {
  maxSteps: 200,
})
console.log(text)
