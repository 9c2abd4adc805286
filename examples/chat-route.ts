import { createCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import {
  convertToModelMessages,
  stepCountIs,
  streamText,
  type UIMessage,
} from 'ai'
import { limits, model, prompt, tools } from './support/agent.ts'

const database = new Map<string, UIMessage[]>() // the whole conversation, as the user sees it
const compaction = createCompaction({ limits, storage: memoryStorage() }) // what is compacted, by chat: a store of yours

/** A chat route, as Next.js and others have it: load, answer, store. */
async function POST(request: Request): Promise<Response> {
  const { id, message } = (await request.json()) as {
    id: string
    message: UIMessage
  }
  const messages = [...(database.get(id) ?? []), message]
  const result = streamText({
    model,
    tools,
    messages: await convertToModelMessages(messages),
    prepareStep: compaction.prepareStep({ session: id, tools }),
    stopWhen: stepCountIs(200),
  })
  return result.toUIMessageStreamResponse({
    originalMessages: messages,
    onFinish: (finished) => void database.set(id, finished.messages),
  })
}

for (const text of [
  `${prompt} This is review REV-3107.`,
  'And under which review is this work done?',
]) {
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
