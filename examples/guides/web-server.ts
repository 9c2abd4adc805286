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

/** A chat as a web standard has it: a request in, a response out. */
export async function chat(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: UIMessage[] }
  const result = streamText({
    model,
    tools: { read_file },
    stopWhen: stepCountIs(200),
    messages: await convertToModelMessages(messages),
    abortSignal: request.signal,
  })
  return result.toUIMessageStreamResponse()
}

// Bun, Deno and Cloudflare Workers serve this:  export default { fetch: chat }
// Hono:  new Hono().post('/chat', (context) => chat(context.req.raw))
for (const text of ['What does package.json need?', 'And what else?']) {
  const parts = [{ type: 'text', text }]
  const body = JSON.stringify({ messages: [{ id: '1', role: 'user', parts }] })
  const response = await chat(
    new Request('http://localhost/chat', { method: 'POST', body }),
  )
  const deltas = (await response.text()).matchAll(/"delta":"([^"]*)"/g)
  console.log([...deltas].map(([, delta]) => delta).join(''))
}
