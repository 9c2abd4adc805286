import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createCompaction } from '@precis/ai-sdk'
import type { Summarizer } from '@precis/core'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, type LanguageModel, type ModelMessage, wrapLanguageModel } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'

// One process serves two people. What they wrote is the same, what they sent along is not.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

/** In the larger one the first message stays beside the summary. */
const windows = [6_000, 12_000]
const limits = { contextWindow: 6_000, maxOutput: 500 }
const policy = { summary: { style: 'narrative', grounding: 'off' } } as const
const filler = (seed: number): string => Array.from({ length: 250 }, (_, at) => `word${(at * seed) % 89}`).join(' ')

/** Two pictures of one size and type. */
const picture = (seed: number): Uint8Array => Uint8Array.from({ length: 4_000 }, (_, at) => (at < 8 ? (pngHead[at] as number) : (at * seed) % 251))
const pngHead = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** Writes down whom it wrote for. */
let who = ''
const summarizer: Summarizer = {
  name: 'names',
  window: 100_000,
  summarize: async () => ({ text: `Everything that was seen and said in these messages belongs to ${who}.`, finish: 'stop' }),
}

const dialogue = (first: ModelMessage, tool: string): ModelMessage[] => [
  first,
  { role: 'assistant', content: 'I see it.' },
  ...Array.from({ length: 12 }, (_, at): ModelMessage[] => [
    { role: 'user', content: `Question ${at}: ${filler(at + 3)}` },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `c${at}`, toolName: tool, input: { at } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `c${at}`, toolName: tool, output: { type: 'text', value: filler(at + 5) } }] },
    { role: 'assistant', content: `Answer ${at}.` },
  ]).flat(),
  { role: 'user', content: 'What was on my picture?' },
]
const withPicture = (image: unknown): ModelMessage =>
  ({
    role: 'user',
    content: [
      { type: 'text', text: 'Look at this.' },
      { type: 'file', data: image, mediaType: 'image/png' },
    ],
  }) as ModelMessage
const plain: ModelMessage = { role: 'user', content: 'Look at this.' }

const people: readonly (readonly [string, ModelMessage[], ModelMessage[]])[] = [
  ['other bytes', dialogue(withPicture(picture(3)), 'look'), dialogue(withPicture(picture(7)), 'look')],
  [
    'other base64',
    dialogue(withPicture(Buffer.from(picture(3)).toString('base64')), 'look'),
    dialogue(withPicture(Buffer.from(picture(7)).toString('base64')), 'look'),
  ],
  ['another tool', dialogue(plain, 'lookup_patient'), dialogue(plain, 'lookup_invoice')],
]

const open = async (): Promise<Exclude<LanguageModel, string>> => {
  provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
  return createOpenAICompatible({ baseURL: provider.url, apiKey: 'none', name: 'strict' })('strict')
}
/** Whose summaries the last prompt holds. */
const shown = (): readonly string[] => {
  const prompt = JSON.stringify(provider?.requests.at(-1)?.prompt)
  return ['Alice', 'Bob'].filter((name) => prompt.includes(`belongs to ${name}.`))
}

describe.each(people)('two people, one compaction, the same words, %s', (_name, alice, bob) => {
  it('a wrapped model shows each their own summary', async () => {
    const model = await open()
    const compaction = createCompaction({ limits, policy, summarizer })
    const wrapped = wrapLanguageModel({ model, middleware: compaction.middleware() })
    for (const [name, messages] of [
      ['Alice', alice],
      ['Bob', bob],
      ['Alice', alice],
    ] as const) {
      who = name
      await generateText({ model: wrapped, messages, maxRetries: 0 })
      expect(shown()).toEqual([name])
    }
  })
  it.each(windows)('prepareStep of one session does too, in a window of %i', async (contextWindow) => {
    const model = await open()
    const compaction = createCompaction({ limits: { ...limits, contextWindow }, policy, summarizer })
    for (const [name, messages] of [
      ['Alice', alice],
      ['Bob', bob],
      ['Alice', alice],
    ] as const) {
      who = name
      await generateText({ model, messages, prepareStep: compaction.prepareStep({ session: 'support' }), maxRetries: 0 })
      expect(shown()).toEqual([name])
    }
  })
})

it('the same picture in other hands is the same: one summary serves the conversation, bytes copied or not', async () => {
  const model = await open()
  const outcomes: string[] = []
  const compaction = createCompaction({ limits, policy, summarizer, onReport: ({ outcome }) => outcomes.push(outcome) })
  const wrapped = wrapLanguageModel({ model, middleware: compaction.middleware() })
  await generateText({ model: wrapped, messages: dialogue(withPicture(picture(3)), 'look'), maxRetries: 0 })
  await generateText({ model: wrapped, messages: structuredClone(dialogue(withPicture(picture(3)), 'look')), maxRetries: 0 })
  expect(outcomes).toEqual(['summarized', 'projected'])
})
