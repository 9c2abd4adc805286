import { createAnthropic } from '@ai-sdk/anthropic'
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

const picture = (turn: number): string => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(300, turn)]).toString('base64')
