import { readFile } from 'node:fs/promises'
import { azure } from '@ai-sdk/azure'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

// AZURE_RESOURCE_NAME and AZURE_API_KEY stand in the environment. A deployment has
// a name of your own: say how much its model reads.
const model = withCompaction(azure('our-assistant'), {
  limits: { contextWindow: 400_000, maxInput: 272_000, maxOutput: 128_000 },
})

const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})
const { text } = await generateText({
  model,
  tools: { read_file },
  prompt: 'What does package.json need?',
  stopWhen: stepCountIs(200),
})
console.log(text)
