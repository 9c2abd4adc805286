import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, tool } from 'ai'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

// A browser: the same click with the same arguments, page after page. A model that counts its clicks in what it is shown does each once.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const orders = Array.from({ length: 20 }, (_, at) => 71_003 + at * 137)
const rows = (seed: number): string => Array.from({ length: 60 }, (_, at) => `  - cell "Widget ${(at * 37 + seed) % 997}" [ref=e${200 + at}]`).join('\n')
const snapshot = (order: number): string => `- Page URL: https://admin.example/orders/${order}\n- button "Send reminder" [ref=e140]\n${rows(order)}`

it('how often a click was made on other pages is told', async () => {
  const window = 6_000
  const reminded: number[] = []
  let at = 0
  let calls = 0
  const act = (name: string, input: object) => ({ text: '', calls: [{ id: `c${calls++}`, tool: name, input: JSON.stringify(input) }] })
  provider = await strictProvider({
    window,
    model: (prompt) => {
      const lines = prompt.flatMap(({ text, isResult }) => (isResult ? [] : text.split('\n')))
      const clicks = lines
        .filter((line) => /^(?:- (?:\[\d+\] )?)?browser_click/.test(line))
        .reduce((sum, line) => sum + Number(/ ×(\d+)$/.exec(line)?.[1] ?? 1), 0)
      const order = orders[clicks]
      const isOpen = prompt.findLast(({ isResult }) => isResult)?.text.includes(`orders/${order}\n`)
      if (order === undefined) return { text: 'Done.', calls: [] }
      return isOpen
        ? act('browser_click', { element: 'Send reminder', ref: 'e140' })
        : act('browser_navigate', { url: `https://admin.example/orders/${order}` })
    },
  })
  const { text } = await generateText({
    model: withCompaction(createOpenAI({ baseURL: provider.url, apiKey: 'none' }).chat('strict'), { limits: { contextWindow: window, maxOutput: 256 } }),
    tools: {
      browser_navigate: tool({
        inputSchema: z.object({ url: z.string() }),
        execute: async ({ url }) => {
          at = Number(/\d+$/.exec(url))
          return snapshot(at)
        },
      }),
      browser_click: tool({
        inputSchema: z.object({ element: z.string(), ref: z.string() }),
        execute: async () => {
          reminded.push(at)
          return snapshot(at)
        },
      }),
    },
    prompt: `Send a reminder for each of these orders, once: ${orders.join(', ')}.`,
    maxOutputTokens: 256,
    maxRetries: 0,
    stopWhen: isStepCount(100),
  })
  expect([text, reminded]).toEqual(['Done.', orders])
  expect(provider.requests.filter(({ prompt }) => prompt.some(({ text: said }) => said.includes('<context-summary'))).length).toBeGreaterThan(10)
})
