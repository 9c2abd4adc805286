import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import type { Summarizer } from '@precis/core'
import { compactionMiddleware } from '@precis/langchain'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'

// One process serves two people under one thread. What they wrote is the same, what they sent along is not.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const limits = { contextWindow: 6_000, maxOutput: 500 }
const policy = { summary: { style: 'narrative', grounding: 'off' } } as const
const filler = (seed: number): string => Array.from({ length: 250 }, (_, at) => `word${(at * seed) % 89}`).join(' ')

/** Writes down whom it wrote for. */
let who = ''
const summarizer: Summarizer = {
  name: 'names',
  window: 100_000,
  summarize: async () => ({ text: `Everything that was seen and said in these messages belongs to ${who}.`, finish: 'stop' }),
}

const dialogue = (blocks: readonly object[], tool: string): BaseMessage[] => [
  new HumanMessage({ content: [{ type: 'text', text: 'Look at this.' }, ...blocks] as never }),
  ...Array.from({ length: 12 }, (_, at) => [
    new HumanMessage(`Question ${at}: ${filler(at + 3)}`),
    new AIMessage({ content: '', tool_calls: [{ id: `c${at}`, name: tool, args: { at } }] }),
    new ToolMessage({ content: filler(at + 5), tool_call_id: `c${at}`, name: tool }),
    new AIMessage(`Answer ${at}.`),
  ]).flat(),
  new HumanMessage('What was on my picture?'),
]
const base64 = (seed: number): string => Buffer.from(Uint8Array.from({ length: 3_000 }, (_, at) => (at * seed) % 251)).toString('base64')
const url = (seed: number): object => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${base64(seed)}` } })
const standard = (seed: number): object => ({ type: 'image', mimeType: 'image/png', data: base64(seed) })

const people: readonly (readonly [string, BaseMessage[], BaseMessage[]])[] = [
  ['another picture', dialogue([url(3)], 'look'), dialogue([url(7)], 'look')],
  ['another picture in a standard block', dialogue([standard(3)], 'look'), dialogue([standard(7)], 'look')],
  ['another tool', dialogue([], 'lookup_patient'), dialogue([], 'lookup_invoice')],
]

describe.each(people)('two people, one middleware, the same words, %s', (_name, alice, bob) => {
  it('each is shown their own summary', async () => {
    provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
    const model = new ChatOpenAI({ model: 'strict', apiKey: 'none', configuration: { baseURL: provider.url }, maxRetries: 0 })
    const agent = createAgent({ model, tools: [], middleware: [compactionMiddleware({ limits, policy, summarizer })] })
    for (const [name, messages] of [
      ['Alice', alice],
      ['Bob', bob],
      ['Alice', alice],
    ] as const) {
      who = name
      await agent.invoke({ messages }, { configurable: { thread_id: 'support' } })
      const prompt = JSON.stringify(provider.requests.at(-1)?.prompt)
      expect(['Alice', 'Bob'].filter((one) => prompt.includes(`belongs to ${one}.`))).toEqual([name])
    }
  })
})
