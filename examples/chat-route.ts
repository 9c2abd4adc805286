import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import {
  convertToModelMessages,
  stepCountIs,
  streamText,
  tool,
  type UIMessage,
} from 'ai'
import { z } from 'zod'

const database = new Map<string, UIMessage[]>() // the whole conversation, as the user sees it
const model = withCompaction(openai('gpt-5.2'), {
  storage: memoryStorage(), // what is compacted, by chat: a store of yours
  onReport: ({ outcome, tokens }) =>
    console.log(`${outcome}: ${tokens.before} → ${tokens.after} tokens`),
})
const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})

/** A chat route, as Next.js and others have it: load, answer, store. */
async function POST(request: Request): Promise<Response> {
  const { id, message } = (await request.json()) as {
    id: string
    message: UIMessage
  }
  const messages = [...(database.get(id) ?? []), message]
  const result = streamText({
    model,
    tools: { read_file },
    messages: await convertToModelMessages(messages),
    providerOptions: { precis: { session: id } },
    stopWhen: stepCountIs(200),
  })
  return result.toUIMessageStreamResponse({
    originalMessages: messages,
    onFinish: (finished) => void database.set(id, finished.messages),
  })
}

for (const text of ['Audit what we install.', 'And what is out of order?']) {
  const message: UIMessage = {
    id: crypto.randomUUID(),
    role: 'user',
    parts: [{ type: 'text', text }],
  }
  const response = await POST(
    new Request('http://localhost/api/chat', {
      method: 'POST',
      body: JSON.stringify({ id: 'chat-1', message }),
    }),
  )
  const words = [
    ...(await response.text()).matchAll(
      /"type":"text-delta".*?"delta":"([^"]*)"/g,
    ),
  ].map(([, delta]) => delta)
  console.log(words.join(''))
}
console.log(`${database.get('chat-1')?.length} messages stored, whole`)
