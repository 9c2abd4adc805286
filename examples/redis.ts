import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { unstorageStorage } from '@precis/storage-unstorage'
import { generateText } from 'ai'
import redisDriver from 'unstorage/drivers/redis'

const { REDIS_URL: url = 'redis://127.0.0.1:6379' } = process.env
const driver = redisDriver({ url, base: 'precis' })
const storage = unstorageStorage(driver)
const model = withCompaction(openai('gpt-5.2'), { storage }) // compactions are stored there

const { text } = await generateText({
  model,
  prompt: 'Why is the sky blue?',
  providerOptions: { precis: { session: 'chat-42' } },
})
console.log(text)
await driver.dispose?.()
