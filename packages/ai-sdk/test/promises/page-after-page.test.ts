import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, tool } from 'ai'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

// An agent that reads page after page, of which the window holds few, with a tool that names no file.

const window = 8_000
const pages = 14
let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const textOf = (page: number): string =>
  Array.from({ length: 40 }, (_, at) => `page ${page}, note ${at}: the parcel was seen at depot ${at % 5}, and nobody signed.`).join('\n')

it('no page is read twice', async () => {
  let calls = 0
  const strict = await strictProvider({
    window,
    model: (prompt) => {
      // It goes by what it is shown: pages, calls, and the line that lists calls.
      const lines = prompt.flatMap(({ text }) => text.split('\n'))
      const listed = lines.flatMap((line) => (/^- read_page\b.*?(?:page: |more: )(.*)/.exec(line)?.[1] ?? '').match(/\d+/g) ?? [])
      const wasRead = (page: number): boolean => listed.includes(`${page}`) || lines.some((line) => line.includes(`page ${page}, note 0:`))
      const open = Array.from({ length: pages }, (_, page) => page).find((page) => !wasRead(page))
      return open === undefined
        ? { text: 'All are read.', calls: [] }
        : { text: '', calls: [{ id: `call_${calls++}`, tool: 'read_page', input: `{"topic":"basalt","page":${open}}` }] }
    },
  })
  provider = strict
  const read: number[] = []
  const model = withCompaction(createOpenAI({ baseURL: strict.url, apiKey: 'none' })('strict'), { limits: { contextWindow: window, maxOutput: 256 } })
  const { text } = await generateText({
    model,
    tools: {
      read_page: tool({
        description: 'Reads a page about a topic.',
        inputSchema: z.object({ topic: z.string(), page: z.number() }),
        execute: async ({ page }) => {
          read.push(page)
          return textOf(page)
        },
      }),
    },
    prompt: 'Read all pages about basalt, and say what they have in common.',
    maxOutputTokens: 256,
    maxRetries: 0,
    stopWhen: isStepCount(60),
  })
  expect([text, read]).toEqual(['All are read.', Array.from({ length: pages }, (_, page) => page)])
})
