import { readFile } from 'node:fs/promises'
import { bedrockAnthropic } from '@ai-sdk/amazon-bedrock/anthropic'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

// AWS_REGION and AWS_BEARER_TOKEN_BEDROCK, or keys of AWS, stand in the
// environment.
const model = withCompaction(
  bedrockAnthropic('us.anthropic.claude-sonnet-4-5-20250929-v1:0'),
)

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
