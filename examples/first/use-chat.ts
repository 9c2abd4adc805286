import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import {
  convertToModelMessages,
  stepCountIs,
  streamText,
  tool,
  type UIMessage,
} from 'ai'
import { z } from 'zod'

const model = withCompaction(openai('gpt-5.2'))
const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})

/** app/api/chat/route.ts: `useChat` sends all messages each time; the chat stays whole in the browser, and only what the model is sent is compacted. */
export async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: UIMessage[] }
  const result = streamText({
    model,
    tools: { read_file },
    messages: await convertToModelMessages(messages),
    stopWhen: stepCountIs(200),
    abortSignal: request.signal,
  })
  return result.toUIMessageStreamResponse({ originalMessages: messages })
}

const messages = [
  {
    id: '1',
    role: 'user',
    parts: [{ type: 'text', text: 'What does package.json need?' }],
  },
]
const response = await POST(
  new Request('http://localhost/api/chat', {
    method: 'POST',
    body: JSON.stringify({ messages }),
  }),
)
console.log(
  [...(await response.text()).matchAll(/"delta":"([^"]*)"/g)]
    .map(([, delta]) => delta)
    .join(''),
)
