import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, type ModelMessage, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const model = withCompaction(openai('gpt-5.2'))
const inputSchema = z.object({ path: z.string() })
const read_file = tool({
  description: 'Reads a file.',
  inputSchema,
  needsApproval: true,
  execute: ({ path }) => readFile(path, 'utf8'),
})

const messages: ModelMessage[] = [
  { role: 'user', content: 'What does package.json need?' },
]
for (;;) {
  const { content, text, responseMessages } = await generateText({
    model,
    tools: { read_file },
    messages,
    stopWhen: stepCountIs(200),
  })
  messages.push(...responseMessages) // in AI SDK 6: response.messages
  const asked = content.flatMap((part) =>
    part.type === 'tool-approval-request' ? [part] : [],
  )
  if (asked.length === 0) {
    console.log(text)
    break
  }
  // Here a person decides. A call that waits for its answer is never summarized.
  messages.push({
    role: 'tool',
    content: asked.map(({ approvalId }) => ({
      type: 'tool-approval-response',
      approvalId,
      approved: true,
    })),
  })
}
