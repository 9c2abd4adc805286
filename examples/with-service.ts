import { openai } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import { guardedStorage, type RedactionService } from '@precis/redaction'
import { generateText } from 'ai'

// A service of yours, such as Presidio behind a route that takes and returns a list of texts. It is asked before each write; while it is away nothing is written.
const service: RedactionService = async (texts, signal) => {
  const response = await fetch(
    process.env['REDACTION_URL'] ?? 'http://127.0.0.1:5001/redact',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ texts }),
      signal: signal ?? AbortSignal.timeout(5_000),
    },
  )
  if (!response.ok)
    throw new Error(`The redaction service answered ${response.status}`)
  return ((await response.json()) as { readonly texts: readonly string[] })
    .texts
}

const model = withCompaction(openai('gpt-5.2'), {
  storage: guardedStorage(memoryStorage(), service),
})
const { text } = await generateText({ model, prompt: 'Why is the sky blue?' })
console.log(text)
