import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, type ModelMessage } from 'ai'
import { expect, it } from 'vitest'

const tokensOfPage = 2_000
const pages = 25
const pdf = Buffer.from(`%PDF-1.4\n${'<< /Type /Page >>\n'.repeat(pages)}`).toString('base64')

it('a document that a chat began with is still there when it is asked about much later', async () => {
  const requests: { readonly hasDocument: boolean; readonly tokens: number }[] = []
  const provider = createOpenAICompatible({
    name: 'own',
    baseURL: 'http://localhost/v1',
    fetch(_url, init) {
      const body = String(init?.body)
      const hasDocument = body.includes(pdf)
      const tokens = Math.ceil(body.replace(pdf, '').length / 4) + (hasDocument ? pages * tokensOfPage : 0)
      requests.push({ hasDocument, tokens })
      const message = { role: 'assistant', content: `Clause ${requests.length} says so. ${'There is more to it than that. '.repeat(60)}` }
      const usage = { prompt_tokens: tokens, completion_tokens: 400, total_tokens: tokens + 400 }
      return Promise.resolve(Response.json({ id: 'r', created: 0, model: 'm', choices: [{ index: 0, finish_reason: 'stop', message }], usage }))
    },
  })
  const model = withCompaction(provider('m'), { limits: { contextWindow: 128_000 } })
  const messages: ModelMessage[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Read this contract.' },
        { type: 'file', mediaType: 'application/pdf', data: pdf, filename: 'contract.pdf' },
      ],
    },
  ]
  for (let turn = 1; turn <= 120; turn++) {
    const { response } = await generateText({ model, messages, maxRetries: 0 })
    messages.push(...response.messages, { role: 'user', content: `Question ${turn}: what of clause ${turn}?` })
  }
  expect(requests.every(({ hasDocument }) => hasDocument)).toBe(true)
  expect(Math.max(...requests.map(({ tokens }) => tokens))).toBeLessThan(96_000)
  // It was compacted, and the rest gave way.
  expect(requests.some(({ tokens }, at) => tokens < (requests[at - 1]?.tokens ?? 0))).toBe(true)
})
