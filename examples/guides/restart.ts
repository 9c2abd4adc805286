import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { fsStorage } from '@precis/storage-fs'
import { generateText, type ModelMessage, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const model = withCompaction(openai('gpt-5.2'), {
  storage: fsStorage({ root: '.precis' }), // S3 or a database where processes share no disk
})
const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})

/** One turn of one chat, in whatever process it comes to. `history` is what you stored, whole. */
async function turn(chat: string, history: readonly ModelMessage[]) {
  const { text, responseMessages } = await generateText({
    model,
    tools: { read_file },
    messages: [...history],
    providerOptions: { precis: { session: chat } },
    stopWhen: stepCountIs(200),
  })
  // in AI SDK 5 and 6: response.messages
  return { text, messages: [...history, ...responseMessages] }
}

const { text, messages } = await turn('chat-42', [
  { role: 'user', content: 'What does package.json need?' },
])
console.log(text, messages.length)
