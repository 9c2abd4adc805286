import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createCompaction } from '@precis/ai-sdk'
import { builtInEstimator, type CompactionReport, createToolOutputStore, memoryStorage, type Summarizer } from '@precis/core'
import { createRandom, type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, jsonSchema, type LanguageModel, type ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'

// Pictures, recordings and files of any kind in places where only text is expected.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

const random = createRandom(5)
/** A picture as it comes out of a browser, in base64: `bytes` long and like no other. */
const screenshot = (bytes: number): string =>
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, ...Array.from({ length: bytes }, () => random.between(0, 255))]).toString('base64')
/** Data in a text: a long run of letters that no language has. */
const data = /[A-Za-z0-9+/]{200}/
const prompts = (): readonly string[] => (provider?.requests ?? []).map((request) => request.prompt.map((entry) => entry.text).join('\n'))

describe('screenshots that a tool returns as text', () => {
  const steps = 30
  const shots = {
    browser: {
      description: 'Takes a screenshot.',
      inputSchema: jsonSchema({ type: 'object' as const }),
      execute: async () => ({ page: 'Checkout', png: screenshot(24_000) }),
    },
  }
  const run = async (more: object = {}): Promise<readonly CompactionReport[]> => {
    let calls = 0
    provider = await strictProvider({
      window: 64_000,
      model: () => (++calls > steps ? { text: 'done', calls: [] } : { text: '', calls: [{ id: `c${calls}`, tool: 'browser', input: '{}' }] }),
    })
    const model = createOpenAICompatible({ baseURL: provider.url, apiKey: 'none', name: 'strict', includeUsage: true })('strict')
    const reports: CompactionReport[] = []
    const compaction = createCompaction({ limits: { contextWindow: 64_000, maxOutput: 500 }, onReport: (report) => reports.push(report), ...more })
    const { text } = await generateText({
      model: model as Exclude<LanguageModel, string>,
      tools: shots,
      messages: [{ role: 'user', content: 'Buy the shoes of ticket PRE-205 and take a screenshot after each step.' }],
      prepareStep: compaction.prepareStep({ tools: shots }),
      stopWhen: isStepCount(100),
      maxRetries: 0,
    })
    expect(text).toBe('done')
    return reports
  }

  it('are named by type and size from their arrival on, and need no compaction', async () => {
    const reports = await run()
    expect(reports.filter(({ outcome }) => outcome === 'summarized' || outcome === 'pruned')).toEqual([])
    for (const prompt of prompts()) expect(prompt).not.toMatch(data)
    expect(prompts().at(-1)).toContain('{"page":"Checkout","png":"[image/png, 24012 bytes, not shown as text]"}')
  })
  it('can be had from the store by their reference', async () => {
    const outputs = createToolOutputStore(memoryStorage())
    await run({ outputs })
    const [ref] = /out-[0-9a-f]{16}/.exec(prompts().at(-1) ?? '') ?? []
    expect(await outputs.find(ref ?? '')).toBeDefined()
  })
})

it('no summary, record or request for a summary holds data, wherever it stood', async () => {
  const asked: string[] = []
  const summarizer: Summarizer = {
    name: 'echo',
    window: 100_000,
    summarize: async ({ prompt }) => {
      asked.push(prompt)
      return { text: `The certificate of the user and the icon are known: ${screenshot(400)}, and all else is done.`, finish: 'stop' }
    },
  }
  provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
  const model = createOpenAICompatible({ baseURL: provider.url, apiKey: 'none', name: 'strict' })('strict')
  const outcomes: string[] = []
  const compaction = createCompaction({
    limits: { contextWindow: 12_000, maxOutput: 500 },
    policy: { summary: { style: 'narrative' } },
    summarizer,
    onReport: ({ outcome }) => outcomes.push(outcome),
  })
  const filler = (at: number): string => Array.from({ length: 300 }, (_, word) => `word${(word * (at + 3)) % 89}`).join(' ')
  const messages: ModelMessage[] = [
    { role: 'user', content: `Here is my certificate: ${screenshot(3_000)} for ticket PRE-205.` },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: `I see ${screenshot(1_000)}` },
        { type: 'text', text: `As you say: data:image/png;base64,${screenshot(600)}` },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'w', toolName: 'write', input: { path: 'icon.png', content: screenshot(2_000) } }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'w', toolName: 'write', output: { type: 'text', value: `wrote ${screenshot(1_500)}` } }] },
    ...Array.from({ length: 14 }, (_, at): ModelMessage[] => [
      { role: 'user', content: `Question ${at}: ${filler(at)}` },
      { role: 'assistant', content: `Answer ${at}: ${filler(at + 20)}` },
    ]).flat(),
    { role: 'user', content: 'Go on.' },
  ]
  await generateText({ model, messages, prepareStep: compaction.prepareStep({ session: 's' }), maxRetries: 0 })
  expect(outcomes).toEqual(['summarized'])
  expect(asked.length).toBeGreaterThan(0)
  for (const prompt of asked) expect(prompt).not.toMatch(data)
  expect(asked.join()).toContain('icon.png')
  const { checkpoints } = compaction.session('s').state()
  expect(JSON.stringify(checkpoints.at(-1)?.summary)).not.toMatch(data)
  expect(JSON.stringify(checkpoints.at(-1)?.summary)).toContain('[image/png, ')
  // What stays stays as it was; what is said about the rest is text.
  expect(prompts().at(-1)?.slice(prompts().at(-1)?.indexOf('<context-summary'))).not.toMatch(data)
})

describe('what is counted', () => {
  const counted = async (messages: readonly ModelMessage[]): Promise<number> => {
    const reports: CompactionReport[] = []
    const compaction = createCompaction({ limits: { contextWindow: 1_000_000, maxOutput: 500 }, onReport: (report) => reports.push(report) })
    await compaction.prepareStep({ session: crypto.randomUUID() })({ messages: [...messages], steps: [] })
    return reports[0]?.tokens.before ?? 0
  }
  const csv = Array.from({ length: 3_000 }, (_, at) => `${at},customer-${at * 7919},${(at * 37) % 1_000}.50,open`).join('\n')
  const bytes = new TextEncoder().encode(csv)

  it.each([
    ['bytes', bytes, 'text/csv'],
    ['base64', Buffer.from(bytes).toString('base64'), 'text/csv'],
    ['a data URL', `data:text/csv;base64,${Buffer.from(bytes).toString('base64')}`, 'text/csv'],
    ['a text', { type: 'text', text: csv }, 'text/plain'],
    ['JSON', new TextEncoder().encode(JSON.stringify(csv.split('\n'))), 'application/json'],
  ])('a text file as %s counts as the text that is sent', async (_name, held, mediaType) => {
    const message = {
      role: 'user',
      content: [
        { type: 'text', text: 'Sum it up.' },
        { type: 'file', data: held, mediaType, filename: 'open.csv' },
      ],
    } as ModelMessage
    const tokens = builtInEstimator.count(mediaType === 'application/json' ? JSON.stringify(csv.split('\n')) : csv)
    const found = await counted([message])
    expect(found).toBeGreaterThan(tokens * 0.95)
    expect(found).toBeLessThan(tokens * 1.05)
  })
  it.each(['image/png', 'application/pdf'])('%s counts by its kind, in a message as in a result and in what a provider’s own tool made', async (mediaType) => {
    const plain = await counted([{ role: 'user', content: 'Look.' }])
    const picture = { type: 'file', data: Buffer.from(screenshot(1_500_000), 'base64'), mediaType }
    const [inMessage, inResult] = await Promise.all([
      counted([{ role: 'user', content: [{ type: 'text', text: 'Look.' }, picture] } as never]),
      counted([
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'p', toolName: 'draw', input: {} }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'p', toolName: 'draw', output: { type: 'content', value: [picture] } }] } as never,
      ]),
    ])
    // No page of it can be seen: eight, by its size.
    const cost = mediaType === 'image/png' ? 1_600 : 16_000
    expect(inMessage - plain).toBeGreaterThanOrEqual(cost)
    expect(inMessage - plain).toBeLessThan(cost + 60)
    expect(inResult - plain).toBeGreaterThanOrEqual(cost)
    expect(inResult - plain).toBeLessThan(cost + 60)
  })
  it('a picture that the provider’s own tool made is a picture, and stays for "make it bluer"', async () => {
    const made = {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'ig', toolName: 'image_generation', input: {}, providerExecuted: true },
        { type: 'tool-result', toolCallId: 'ig', toolName: 'image_generation', output: { type: 'json', value: { result: screenshot(1_500_000) } } },
      ],
    } as never
    const history: ModelMessage[] = [{ role: 'user', content: 'Draw a sea.' }, made, { role: 'user', content: 'Make it bluer.' }]
    expect(await counted(history)).toBeLessThan(2_000)
    const compaction = createCompaction({ limits: { contextWindow: 16_000, maxOutput: 500 } })
    const own = (await compaction.prepareStep({ session: 's' })({ messages: history, steps: [] })) as { messages?: ModelMessage[] } | undefined
    expect((own?.messages ?? history).includes(made)).toBe(true)
  })
})
