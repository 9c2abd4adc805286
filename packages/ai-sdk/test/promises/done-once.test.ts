import { createOpenAI } from '@ai-sdk/openai'
import { withCompaction } from '@precis/ai-sdk'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, tool } from 'ai'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'

// One job of many steps, in one call of the SDK: a model that goes by what it is shown does each thing once, whatever was compacted on the way.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const ids = Array.from({ length: 24 }, (_, at) => `T-${1_000 + at * 37}`)
const ticket = (id: string): string =>
  Array.from({ length: 60 }, (_, at) => `${id}, note ${at}: the parcel ${at * 7} was seen at depot ${at % 5}, and nobody signed.`).join('\n')

it.each([12_000, 24_000])('a window of %i', async (window) => {
  let calls = 0
  const strict = await strictProvider({
    window,
    model: (prompt) => {
      const lines = prompt.flatMap(({ text }) => text.split('\n'))
      const did = (name: string, id: string): boolean => lines.some((line) => new RegExp(`^(?:- )?${name}\\b.*${id}\\b`).test(line))
      const open = ids.find((id) => !did('close_ticket', id))
      if (open === undefined) return { text: 'All tickets are closed.', calls: [] }
      const read = lines.some((line) => line.includes(`${open}, note 0`))
      const name = did('send_mail', open) ? 'close_ticket' : read ? 'send_mail' : 'read_ticket'
      return { text: '', calls: [{ id: `call_${calls++}`, tool: name, input: JSON.stringify({ id: open }) }] }
    },
  })
  provider = strict
  const done: string[] = []
  const act = (name: string) =>
    tool({
      description: name,
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => {
        if (name === 'read_ticket') return ticket(id)
        done.push(`${name} ${id}`)
        return 'Done.'
      },
    })
  const { steps } = await generateText({
    model: withCompaction(createOpenAI({ baseURL: strict.url, apiKey: 'none' }).chat('strict'), { limits: { contextWindow: window, maxOutput: 256 } }),
    tools: { read_ticket: act('read_ticket'), send_mail: act('send_mail'), close_ticket: act('close_ticket') },
    prompt: `Read each ticket, send its customer one mail and close it: ${ids.join(', ')}.`,
    maxOutputTokens: 256,
    maxRetries: 0,
    stopWhen: isStepCount(200),
  })
  expect(done).toEqual(ids.flatMap((id) => [`send_mail ${id}`, `close_ticket ${id}`]))
  expect(steps.at(-1)?.text).toBe('All tickets are closed.')
  expect(strict.requests.filter(({ status }) => status !== 200)).toEqual([])
})
