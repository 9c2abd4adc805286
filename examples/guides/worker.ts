import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { unstorageStorage } from '@precis/storage-unstorage'
import { convertToModelMessages, streamText, type UIMessage } from 'ai'
import { createDatabase } from 'db0'
import d1 from 'db0/connectors/cloudflare-d1'
import db0 from 'unstorage/drivers/db0'

const database = createDatabase(d1({ bindingName: 'DB' }))
const storage = unstorageStorage(db0({ database, tableName: 'precis' }))
const model = withCompaction(openai('gpt-5.2'), { storage }) // once, for all chats

export default {
  async fetch(request: Request): Promise<Response> {
    const chat = (await request.json()) as {
      id: string
      messages: UIMessage[]
    }
    const result = streamText({
      model,
      messages: await convertToModelMessages(chat.messages),
      abortSignal: request.signal,
      providerOptions: { precis: { session: chat.id } },
    })
    return result.toUIMessageStreamResponse()
  },
}
