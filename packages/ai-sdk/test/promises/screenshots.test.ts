import { createAnthropic } from '@ai-sdk/anthropic'
import { withCompaction } from '@precis/ai-sdk'
import type { SummaryRequest } from '@precis/core'
import { generateText, stepCountIs, tool } from 'ai'
import { expect, it } from 'vitest'
import { z } from 'zod'

const steps = 30
const picture = (at: number): string => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(3_000, at)]).toString('base64')
const computer = tool({
  inputSchema: z.object({ x: z.number() }),
  execute: ({ x }) => picture(x),
  toModelOutput: ({ output }) => ({ type: 'content', value: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: output } }] }),
})

it('a screenshot that left is told as one: to whoever summarizes, and to a model that looks it up', async () => {
  const summarized: SummaryRequest[] = []
  const bodies: string[] = []
  const model = withCompaction(
    createAnthropic({
      apiKey: 'none',
      fetch(_url, init) {
        const body = String(init?.body)
        const at = bodies.push(body)
        const call = at <= steps ? { name: 'computer', input: { x: at } } : { name: 'precis_recall', input: { message: 6 } }
        const said = at > steps + 1 ? { type: 'text', text: 'Done.' } : { type: 'tool_use', id: `c${at}`, ...call }
        const pictures = body.split('"type":"image"').length - 1
        return Promise.resolve(
          Response.json({
            id: `msg${at}`,
            type: 'message',
            role: 'assistant',
            model: 'm',
            content: [said],
            stop_reason: said.type === 'text' ? 'end_turn' : 'tool_use',
            usage: { input_tokens: 1_500 * pictures + 500, output_tokens: 5 },
          }),
        )
      },
    })('claude-sonnet-4-5'),
    {
      limits: { contextWindow: 32_000, maxOutput: 2_000 },
      summarizer: {
        name: 'own',
        summarize(request) {
          summarized.push(request)
          return Promise.resolve({ text: 'The pages were looked at.', finish: 'stop' })
        },
      },
    },
  )
  await generateText({ model, prompt: 'Look at every page.', tools: { computer }, stopWhen: stepCountIs(steps + 2), maxRetries: 0 })
  const told = summarized.map(({ prompt }) => prompt).join('\n')
  expect(told).toContain('[6] tool computer attached image/png')
  const answer = /"tool_use_id":"c31","content":"([^}]*)"}/.exec(bodies.at(-1) ?? '')?.[1]
  expect(answer).toContain('[end of message 6; what was attached to it is not shown again]')
  expect(told).not.toContain(picture(3))
})
