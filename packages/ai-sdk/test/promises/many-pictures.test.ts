import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { withCompaction } from '@precis/ai-sdk'
import { generateText, type ModelMessage } from 'ai'
import { expect, it } from 'vitest'

/** What Claude Sonnet 4.5 takes in a request. */
const most = 100

it('a chat with more pictures than a request may have lives on, and sees the newest', async () => {
  const requests: { readonly pictures: number; readonly newest: boolean }[] = []
  const model = withCompaction(
    createAnthropic({
      apiKey: 'none',
      async fetch(_url, init) {
        const body = String(init?.body)
        const pictures = body.split('"type":"image"').length - 1
        requests.push({ pictures, newest: body.includes(picture(turns)) })
        const refusal = { type: 'error', error: { type: 'invalid_request_error', message: `too many images and documents: ${pictures} + 0 > ${most}` } }
        const reply = {
          id: 'msg',
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [{ type: 'text', text: 'Seen.' }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 200 * pictures + 500, output_tokens: 5 },
        }
        return Response.json(pictures > most ? refusal : reply, { status: pictures > most ? 400 : 200 })
      },
    })('claude-sonnet-4-5'),
  )
  const turns = 112
  const messages: ModelMessage[] = []
  for (let turn = 1; turn <= turns; turn++) {
    const image = { type: 'file' as const, mediaType: 'image/png', data: picture(turn) }
    messages.push({ role: 'user', content: [{ type: 'text', text: `Look at picture ${turn}.` }, ...(turn % 2 === 0 ? [image, image] : [image])] })
    const { response } = await generateText({ model, messages, maxRetries: 0 })
    messages.push(...response.messages)
  }
  expect(requests).toHaveLength(turns)
  expect(Math.max(...requests.map(({ pictures }) => pictures))).toBeLessThanOrEqual(most)
  expect(requests.at(-1)?.newest).toBe(true)
  // They do not go one by one: each time the beginning of the prompt changes.
  expect(requests.filter(({ pictures }, at) => pictures < (requests[at - 1]?.pictures ?? 0)).length).toBeLessThanOrEqual(2)
})

/** A chat with a picture in each turn, against a server that takes so much and says so in these words: pictures of each request, and whether it was refused. */
async function chat(name: string, turns: number, isTooMuch: (body: string, pictures: number) => boolean, refusal: object, status: number) {
  const requests: { readonly pictures: number; readonly refused: boolean; readonly newest: boolean }[] = []
  const provider = createOpenAICompatible({
    name: 'own',
    baseURL: 'http://localhost/v1',
    async fetch(_url, init) {
      const body = String(init?.body)
      const pictures = body.split('"type":"image_url"').length - 1
      const refused = isTooMuch(body, pictures)
      requests.push({ pictures, refused, newest: body.includes(picture(at)) })
      const message = { role: 'assistant', content: 'Seen.' }
      const usage = { prompt_tokens: 200 * pictures + 500, completion_tokens: 5, total_tokens: 200 * pictures + 505 }
      return Response.json(refused ? refusal : { id: 'r', created: 0, model: 'm', choices: [{ index: 0, finish_reason: 'stop', message }], usage }, {
        status: refused ? status : 200,
      })
    },
  })
  const model = withCompaction(provider(name), { limits: { contextWindow: 1_000_000, maxOutput: 1_000 } })
  const messages: ModelMessage[] = []
  let at = 0
  for (at = 1; at <= turns; at++) {
    const image = { type: 'file' as const, mediaType: 'image/png', data: picture(at) }
    messages.push({ role: 'user', content: [{ type: 'text', text: `Look at picture ${at}.` }, image] })
    const { response } = await generateText({ model, messages, maxRetries: 0 })
    messages.push(...response.messages)
  }
  return requests
}

it.each([
  ['states how many', { error: { message: 'At most 8 image(s) may be provided in one prompt.', type: 'BadRequestError', code: 400 } }],
  ['does not', { error: { message: 'Too many images provided.', type: 'invalid_request_error' } }],
])('a server that nobody knows, whose refusal %s, refuses one request', async (name, refusal) => {
  const requests = await chat(name, 40, (_body, pictures) => pictures > 8, refusal, 400)
  expect(requests.filter(({ refused }) => refused)).toHaveLength(1)
  expect(requests.every(({ newest }) => newest)).toBe(true)
})

it('a server that takes so many bytes refuses one request', async () => {
  const requests = await chat('takes bytes', 60, (body) => body.length > 300_000, { error: { message: 'Request Entity Too Large' } }, 413)
  expect(requests.filter(({ refused }) => refused)).toHaveLength(1)
  expect(requests.every(({ newest }) => newest)).toBe(true)
})

it('a refusal that nothing smaller helps against teaches other conversations nothing', async () => {
  let isAway = true
  const lengths: number[] = []
  const provider = createOpenAICompatible({
    name: 'own',
    baseURL: 'http://localhost/v1',
    fetch(_url, init) {
      lengths.push(String(init?.body).length)
      const message = { role: 'assistant', content: 'Yes.' }
      const usage = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 }
      return Promise.resolve(
        isAway
          ? Response.json({ error: { message: 'Too many images provided.' } }, { status: 413 })
          : Response.json({ id: 'r', created: 0, model: 'm', choices: [{ index: 0, finish_reason: 'stop', message }], usage }),
      )
    },
  })
  const model = withCompaction(provider('nothing helps'), { limits: { contextWindow: 1_000_000, maxOutput: 1_000 } })
  const image = (turn: number) => ({ type: 'file' as const, mediaType: 'image/png', data: picture(turn) })
  const chatOf = (name: string) =>
    Array.from({ length: 40 }, (_, at): ModelMessage => ({ role: 'user', content: [{ type: 'text', text: `${name}: picture ${at}.` }, image(at)] }))
  await expect(generateText({ model, messages: chatOf('a'), maxRetries: 0 })).rejects.toThrow()
  isAway = false
  await generateText({ model, messages: chatOf('b'), maxRetries: 0 })
  expect(lengths.at(-1)).toBe(lengths[0])
})

const picture = (turn: number): string => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(10_000, turn)]).toString('base64')
