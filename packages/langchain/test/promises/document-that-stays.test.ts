import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { withCompaction } from '@precis/langchain'
import { expect, it } from 'vitest'

const pages = 4
const pdf = Buffer.from(`%PDF-1.4\n${'<< /Type /Page >>\n'.repeat(pages)}`).toString('base64')

it.each([
  ['a standard block', pdf, { type: 'file', source_type: 'base64', mime_type: 'application/pdf', data: pdf, metadata: { filename: 'contract.pdf' } }],
  ['a block of version 1', pdf, { type: 'file', mimeType: 'application/pdf', data: pdf, metadata: { filename: 'contract.pdf' } }],
  ['an id at the provider', 'file-4x', { type: 'file', file: { file_id: 'file-4x' } }],
])('a document that a later turn attached is still there when it is asked about much later: %s', async (_how, mark, block) => {
  const requests: { readonly hasDocument: boolean; readonly tokens: number }[] = []
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const body = String(init?.body)
    const hasDocument = body.includes(mark)
    const tokens = Math.ceil(body.length / 4) + (hasDocument ? pages * 2_000 : 0)
    requests.push({ hasDocument, tokens })
    const message = { role: 'assistant', content: `Clause ${requests.length} says so. ${'There is more to it than that. '.repeat(60)}` }
    const usage = { prompt_tokens: tokens, completion_tokens: 400, total_tokens: tokens + 400 }
    return Response.json({ id: 'r', object: 'chat.completion', created: 0, model: 'm', choices: [{ index: 0, finish_reason: 'stop', message }], usage })
  }
  const model = withCompaction(new ChatOpenAI({ model: 'm', apiKey: 'none', maxRetries: 0, maxTokens: 500, configuration: { fetch } }), {
    limits: { contextWindow: 32_000, maxOutput: 1_000 },
  })
  const messages: BaseMessage[] = []
  for (let turn = 1; turn <= 100; turn++) {
    const text = `Question ${turn}: what of clause ${turn}?`
    messages.push(new HumanMessage(turn === 4 ? { content: [{ type: 'text', text }, block] as never } : text))
    const reply = await model.invoke(messages)
    messages.push(new AIMessage(reply.text))
  }
  expect(requests.slice(3).every(({ hasDocument }) => hasDocument)).toBe(true)
  expect(requests.filter(({ tokens }, at) => tokens < (requests[at - 1]?.tokens ?? 0)).length).toBeGreaterThan(1)
})
