import { Agent, type AgentInputItem, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { withCompaction } from '@precis/openai-agents'
import OpenAI from 'openai'
import { expect, it } from 'vitest'

setTracingDisabled(true)
const pages = 4
const pdf = Buffer.from(`%PDF-1.4\n${'<< /Type /Page >>\n'.repeat(pages)}`).toString('base64')

it.each([
  ['bytes', pdf, { file: `data:application/pdf;base64,${pdf}`, filename: 'contract.pdf' }],
  ['its address', 'contract.pdf', { file: { url: 'https://x.example/contract.pdf' } }],
  ['its id at the provider', 'file-4x', { file: { id: 'file-4x' } }],
])('a document that a later turn attached is still there when it is asked about much later: by %s', async (_how, mark, file) => {
  const requests: { readonly hasDocument: boolean; readonly tokens: number }[] = []
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const body = String(init?.body)
    const hasDocument = body.includes(mark)
    const tokens = Math.ceil(body.length / 4) + (hasDocument ? pages * 2_000 : 0)
    requests.push({ hasDocument, tokens })
    const text = `Clause ${requests.length} says so. ${'There is more to it than that. '.repeat(60)}`
    const output = [
      { type: 'message', id: `m${requests.length}`, role: 'assistant', status: 'completed', content: [{ type: 'output_text', annotations: [], text }] },
    ]
    const usage = { input_tokens: tokens, output_tokens: 400, total_tokens: tokens + 400 }
    return Response.json({ id: `r${requests.length}`, object: 'response', created_at: 0, model: 'm', status: 'completed', output, usage })
  }
  const client = new OpenAI({ apiKey: 'none', maxRetries: 0, fetch })
  const models = withCompaction(new OpenAIProvider({ openAIClient: client as never, useResponses: true }), {
    limits: { contextWindow: 32_000, maxOutput: 1_000 },
  })
  const agent = new Agent({ name: 'a', model: 'm', modelSettings: { maxTokens: 500 } })
  const runner = new Runner({ modelProvider: models as never })
  let input: AgentInputItem[] = []
  for (let turn = 1; turn <= 100; turn++) {
    const text = `Question ${turn}: what of clause ${turn}?`
    const content = [{ type: 'input_text' as const, text }, ...(turn === 4 ? [{ type: 'input_file' as const, ...file }] : [])]
    const { history } = await runner.run(agent, [...input, { role: 'user', content } as AgentInputItem])
    input = history
  }
  expect(requests.slice(3).every(({ hasDocument }) => hasDocument)).toBe(true)
  expect(requests.filter(({ tokens }, at) => tokens < (requests[at - 1]?.tokens ?? 0)).length).toBeGreaterThan(1)
})
