import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import { generateText, type ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'

// What servers say when a prompt is too long, as a provider package hands it over.

const refusals: readonly (readonly [string, number, string])[] = [
  [
    'Vertex AI',
    400,
    'Unable to submit request because the input token count is 41234 but the model only supports up to 8000. Reduce the input token count and try again.',
  ],
  ['TGI', 422, 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8000. Given: 41234 `inputs` tokens and 500 `max_new_tokens`'],
  [
    'a per-minute limit that this request alone exceeds',
    429,
    'Request too large for gpt-5.2 in organization org-1 on tokens per min (TPM): Limit 8000, Requested 41234. The input or output tokens must be reduced in order to run successfully.',
  ],
  ['TGI, the input alone', 422, 'Input validation error: `inputs` must have less than 8000 tokens. Given: 41234'],
  ['watsonx', 400, 'Invalid input argument for Model: the number of input tokens 41234 cannot exceed the total tokens limit 8000 for this model'],
  ['llama.cpp', 500, 'Context size has been exceeded.'],
]
const messages: ModelMessage[] = Array.from({ length: 61 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `${at} ${'word '.repeat(500)}` }))

describe('a request that is refused in these words is sent again smaller', () => {
  it.each(refusals)('%s', async (_, status, message) => {
    const sizes: number[] = []
    const fetch = async (_url: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
      const size = String(init?.body).length
      sizes.push(size)
      if (size > 32_000) return Response.json({ error: { message } }, { status })
      const choices = [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }]
      return Response.json({ id: 'r', created: 1, model: 'm', choices, usage: { prompt_tokens: 5_000, completion_tokens: 1 } })
    }
    const model = withCompaction(createOpenAICompatible({ name: 'server', baseURL: 'http://server.invalid/v1', apiKey: 'none', fetch: fetch as never })('m'), {
      storage: memoryStorage(),
    })
    const { text } = await generateText({ model, messages, maxRetries: 0 })
    expect(text).toBe('ok')
    expect(sizes.length).toBeGreaterThan(1)
    expect(sizes.length).toBeLessThan(6)
  })
})
