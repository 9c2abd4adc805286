import { readFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { createCompaction, modelSummarizer } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import { generateText, type ModelMessage, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const read_file = tool({
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => readFile(path, 'utf8'),
})
const tools = { read_file }
const compaction = createCompaction({
  summarizer: modelSummarizer({ model: openai('gpt-5-mini') }),
  storage: memoryStorage(), // where compactions outlive the process: a store of yours
  policy: { summary: { directives: ['Keep ticket numbers.'] } },
})
const messages: ModelMessage[] = [] // yours: it stays whole
for (const content of [
  'Audit what we install. The ticket is REV-3107.',
  'And what is out of order?',
]) {
  messages.push({ role: 'user', content })
  const { text, responseMessages } = await generateText({
    model: openai('gpt-5.2'),
    tools,
    messages,
    stopWhen: stepCountIs(200),
    prepareStep: compaction.prepareStep({ session: 'chat-42', tools }),
  })
  messages.push(...responseMessages) // in AI SDK 5 and 6: response.messages
  console.log(text)
}
