import { readFile } from 'node:fs/promises'
import { vertex } from '@ai-sdk/google-vertex'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

// GOOGLE_VERTEX_API_KEY stands in the environment, or project, location and a login.
const model = withCompaction(vertex('gemini-2.5-pro'))

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
