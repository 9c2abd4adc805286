import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { s3Storage } from '@precis/storage-s3'
import { generateText } from 'ai'

// Region and credentials come from the environment, as everywhere with AWS.
const storage = s3Storage({ bucket: 'my-agents', prefix: 'precis' })
const model = withCompaction(openai('gpt-5.2'), { storage }) // compactions are stored there

const { text } = await generateText({
  model,
  prompt: 'Why is the sky blue?',
  providerOptions: { precis: { session: 'chat-42' } },
})
console.log(text)
