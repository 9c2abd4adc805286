import { readFile, writeFile } from 'node:fs/promises'
import { openai } from '@ai-sdk/openai'
import { createCompaction, modelSummarizer } from '@precis/ai-sdk'
import { bullmqQueue, bullmqWorker } from '@precis/queue-bullmq'
import { unstorageStorage } from '@precis/storage-unstorage'
import { generateText, type ModelMessage } from 'ai'
import redisDriver from 'unstorage/drivers/redis'

const { REDIS_URL: url = 'redis://127.0.0.1:6379' } = process.env
const connection = { url }
const options = {
  // your model's
  limits: { contextWindow: 400_000, maxInput: 272_000, maxOutput: 128_000 },
  storage: unstorageStorage(redisDriver({ url, base: 'precis' })), // shared by all processes
  summarizer: modelSummarizer({ model: openai('gpt-5-mini') }),
  policy: { trigger: { background: true } },
}
/** Your database: a file for each chat. */
const load = async (chat: string): Promise<ModelMessage[]> =>
  JSON.parse(await readFile(`${chat}.json`, 'utf8').catch(() => '[]'))

if (process.argv[2] === 'worker') {
  const { compactor } = createCompaction(options)
  bullmqWorker({ connection, compactor, history: load })
} else {
  const queue = bullmqQueue({ connection })
  const { prepareStep } = createCompaction({ ...options, queue }) // workers write the summaries
  const session = 'chat-42'
  const messages = await load(session)
  messages.push({ role: 'user', content: 'Why is the sky blue?' })
  const { text, responseMessages } = await generateText({
    model: openai('gpt-5.2'),
    messages,
    prepareStep: prepareStep({ session }),
  })
  await writeFile(
    `${session}.json`,
    // in AI SDK 5 and 6: response.messages
    JSON.stringify([...messages, ...responseMessages]),
  )
  console.log(text)
  process.exit() // a server goes on
}
