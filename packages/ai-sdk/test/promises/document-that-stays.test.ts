import { createOpenAI } from '@ai-sdk/openai'
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

/** A chat in a small window in which documents of four pages come with some turns: what each request held, and how often it was compacted. */
async function chatWith(documents: Readonly<Record<number, object>>, turns: number, window: number) {
  const requests: { readonly documents: readonly number[]; readonly tokens: number; readonly body: string }[] = []
  const provider = createOpenAI({
    apiKey: 'none',
    baseURL: 'http://localhost/v1',
    fetch(_url, init) {
      const body = String(init?.body)
      const marks = (turn: string) => [`"filename":"contract${turn}.pdf"`, `"https://x.example/contract${turn}.pdf"`, `file-${turn}x`]
      const held = Object.keys(documents).filter((turn) => marks(turn).some((mark) => body.includes(mark)))
      const tokens = Math.ceil(body.length / 4) + held.length * 4 * tokensOfPage
      requests.push({ documents: held.map(Number), tokens, body })
      const text = `Clause ${requests.length} says so. ${'There is more to it than that. '.repeat(60)}`
      const output = [
        { type: 'message', id: `m${requests.length}`, role: 'assistant', status: 'completed', content: [{ type: 'output_text', annotations: [], text }] },
      ]
      const usage = { input_tokens: tokens, output_tokens: 400, total_tokens: tokens + 400 }
      return Promise.resolve(Response.json({ id: 'r', object: 'response', created_at: 0, model: 'm', status: 'completed', output, usage }))
    },
  })
  const model = withCompaction(provider.responses('m'), { limits: { contextWindow: window, maxOutput: 1_000 } })
  const messages: ModelMessage[] = []
  for (let turn = 1; turn <= turns; turn++) {
    const text = { type: 'text' as const, text: `Question ${turn}: what of clause ${turn}?` }
    const file = documents[turn]
    messages.push({ role: 'user', content: file === undefined ? [text] : [text, { type: 'file', mediaType: 'application/pdf', ...file } as never] })
    const { response } = await generateText({ model, messages, maxRetries: 0, providerOptions: { openai: { store: false } } })
    messages.push(...response.messages)
  }
  const compactions = requests.filter(({ tokens }, at) => tokens < (requests[at - 1]?.tokens ?? 0)).length
  return { requests, compactions }
}
const small = Buffer.from(`%PDF-1.4\n${'<< /Type /Page >>\n'.repeat(4)}`).toString('base64')

it.each([
  ['its bytes', { data: small, filename: 'contract4.pdf' }],
  ['its address', { data: new URL('https://x.example/contract4.pdf') }],
  ['its id at the provider', { data: { type: 'reference', reference: { openai: 'file-4x' } } }],
])('so is one that a later turn attached by %s', async (_how, file) => {
  const { requests, compactions } = await chatWith({ 4: file }, 120, 32_000)
  expect(requests.slice(3).every(({ documents }) => documents.includes(4))).toBe(true)
  expect(compactions).toBeGreaterThan(2)
})

it('three of them in a small window: the newest stays, the record names the others, and hardly more summaries are written than with one', async () => {
  const file = (turn: number) => ({ data: small, filename: `contract${turn}.pdf` })
  const { requests, compactions } = await chatWith({ 4: file(4), 8: file(8), 12: file(12) }, 120, 32_000)
  const one = await chatWith({ 4: file(4) }, 120, 32_000)
  expect(requests.at(-1)?.documents).toEqual([12])
  expect(requests.at(-1)?.body).toContain('[6]> attached, gone until attached again: application/pdf: contract4.pdf')
  expect(requests.at(-1)?.body).toContain('[14]> attached, gone until attached again: application/pdf: contract8.pdf')
  expect(compactions).toBeLessThanOrEqual(one.compactions + 1)
  expect(compactions).toBeLessThan(12)
})
