import { Agent, type AgentInputItem, MemorySession, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import type { Summarizer } from '@precis/core'
import { memoryStorage } from '@precis/core'
import { compactionFilter, compactionSession, modelSummarizer, withCompaction } from '@precis/openai-agents'
import { createRandom, fakeSummarizer, recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { readFileTool, vaultScenario } from '../vaults.ts'

setTracingDisabled(true)
const open: StrictProvider[] = []
afterEach(() => Promise.all(open.splice(0).map((provider) => provider.close())))
const limits = { contextWindow: 6_000, maxOutput: 500 }
const ok = () => ({ text: 'ok', calls: [] })
const start = async (more: Partial<StrictProviderOptions> = {}) => {
  const provider = await strictProvider({ window: 100_000, model: ok, ...more })
  open.push(provider)
  const inner = new OpenAIProvider({ openAIClient: new OpenAI({ apiKey: 'none', baseURL: provider.url, maxRetries: 0 }) as never, useResponses: false })
  return { provider, inner }
}
const words = (seed: number): string => {
  const random = createRandom(seed + 1)
  return Array.from({ length: 150 }, () => `word${random.between(100, 9_999)}`).join(' ')
}
const runnerOf = (modelProvider: object, more: object = {}) => new Runner({ modelProvider: modelProvider as never, ...more })
const agent = new Agent({ name: 'a', model: 'strict', modelSettings: { maxTokens: 500 } })
/** One that reads before it answers, so that contexts fill up in the middle of runs. */
const reading = agent.clone({
  tools: [
    tool({
      name: 'read',
      description: 'Reads.',
      parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
      execute: () => `${words(11)} ${words(13)}`,
    }),
  ],
})
const turns = 20
let chats = 0

/** A session of the host's that answers with words of its own, so that there is much to summarize. */
const chat = async (layers: { view?: 'one' | 'each'; provider?: boolean; filter?: boolean | 'each' }, reads = false) => {
  let calls = 0
  const { inner } = await start({
    model: (prompt) =>
      reads && prompt.at(-1)?.isResult === false ? { text: '', calls: [{ id: `c${++calls}`, tool: 'read', input: '{}' }] } : { text: words(7), calls: [] },
  })
  const summarizer = fakeSummarizer()
  const options = { limits, summarizer }
  const store = new MemorySession({ sessionId: `chat-${++chats}` })
  const one = compactionSession(store, options)
  const models = layers.provider === true ? withCompaction(inner, options) : inner
  const oneFilter = compactionFilter(options)
  for (let turn = 0; turn < turns; turn++) {
    const session = layers.view === undefined ? store : layers.view === 'one' ? one : compactionSession(store, options)
    const callModelInputFilter = layers.filter === 'each' ? compactionFilter(options) : oneFilter
    await runnerOf(models, layers.filter === undefined ? {} : { callModelInputFilter }).run(
      reads ? reading : agent,
      `Chat ${chats}, question ${turn}: ${words(turn)}`,
      { session },
    )
  }
  expect(await store.getItems()).toHaveLength(turns * (reads ? 4 : 2))
  return summarizer.requests.length
}

describe('a session view', () => {
  it('that is made anew for each request pays no more than one that is kept, without a storage', async () => {
    const [kept, renewed] = [await chat({ view: 'one' }), await chat({ view: 'each' })]
    expect(kept).toBeGreaterThan(1)
    expect(renewed).toBeLessThanOrEqual(kept)
  })
  it('of two stores under one id shows each its own', async () => {
    const stores = await Promise.all(
      ['Alice', 'Bob'].map(async (name, person) => {
        const store = new MemorySession({ sessionId: 'the same' })
        await store.addItems(Array.from({ length: 40 }, (_, at): AgentInputItem => ({ role: 'user', content: `${name} ${at} ${words(at + person * 50)}` })))
        return store
      }),
    )
    for (let time = 0; time < 3; time++)
      for (const [person, store] of stores.entries()) {
        const session = compactionSession(store, { limits })
        await session.runCompaction({ force: true })
        const shown = JSON.stringify(await session.getItems())
        expect(shown).toContain(person === 0 ? 'Alice' : 'Bob')
        expect(shown).not.toContain(person === 0 ? 'Bob' : 'Alice')
        expect((await session.getItems()).length).toBeLessThan(40)
      }
  })
  it('hands out copies: what a host does to one is not in the next', async () => {
    const store = new MemorySession()
    await store.addItems(Array.from({ length: 40 }, (_, at): AgentInputItem => ({ role: 'user', content: `${at} ${words(at)}` })))
    const session = compactionSession(store, { limits })
    await session.runCompaction({ force: true })
    const first = await session.getItems()
    const before = JSON.stringify(first)
    expect(first.length).toBeLessThan(40)
    for (const item of first) Object.assign(item, { content: 'changed' })
    expect(JSON.stringify(await session.getItems())).toBe(before)
  })
  describe.each([
    ['answers at once', false],
    ['reads in the middle of a run', true],
  ])('of an agent that %s', (_name, reads) => {
    it.each([
      ['view and provider', { view: 'one', provider: true }],
      ['view and filter', { view: 'each', filter: true }],
      ['filter and provider', { filter: true, provider: true }],
      ['view, provider and filter', { view: 'one', provider: true, filter: true }],
    ] as const)('%s together compact once', async (_, layers) => {
      const alone = Math.max(await chat({ view: 'one' }, reads), await chat({ provider: true }, reads), await chat({ filter: true }, reads))
      expect(alone).toBeGreaterThan(1)
      expect(await chat(layers, reads)).toBeLessThanOrEqual(alone)
    })
  })
  it('of a conversation that a new process is handed long: the filter steps back once the model was heard', async () => {
    const { inner } = await start({ model: () => ({ text: words(7), calls: [] }) })
    const [filtered, served]: [string[], string[]] = [[], []]
    const models = withCompaction(inner, { limits, onReport: ({ outcome }) => void served.push(outcome) })
    const callModelInputFilter = compactionFilter({ limits, onReport: ({ outcome }) => void filtered.push(outcome) })
    const store = new MemorySession({ sessionId: 'restarted' })
    const said = Array.from({ length: 20 }, (_, at): AgentInputItem[] => [
      { role: 'user', content: `Item ${at} ${words(at + 70)}` },
      { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: words(at + 90) }] },
    ])
    await store.addItems(said.flat())
    for (let turn = 0; turn < 8; turn++) await runnerOf(models, { callModelInputFilter }).run(agent, `Question ${turn}: ${words(turn)}`, { session: store })
    expect(filtered).toEqual(['summarized'])
    expect(served).toHaveLength(8)
    expect(served.slice(1)).toContain('summarized')
  })
  it.each([
    ['a storage of its own', {}, undefined],
    ['name and storage of the model', { storage: memoryStorage() }, 'moved'],
  ])('with %s is compacted where the model behind it is not, whatever was before', async (_, stored, named) => {
    const { inner } = await start({ model: () => ({ text: words(7), calls: [] }) })
    const summarizer = fakeSummarizer()
    const session = compactionSession(new MemorySession({ sessionId: 'moved' }), { limits, summarizer, ...stored })
    const wrapped = withCompaction(inner, { limits, ...stored, session: named })
    for (let turn = 0; turn < turns; turn++) await runnerOf(turn < 6 ? wrapped : inner).run(agent, `Question ${turn}: ${words(turn)}`, { session })
    expect(summarizer.requests.length).toBeGreaterThan(0)
    expect((await session.getItems()).length).toBeLessThan(turns)
  })
})

describe('conversations that begin alike', () => {
  it('share nothing: each is shown its own words, and none pays for the other', async () => {
    const { inner, provider } = await start()
    let who = ''
    const writer: Summarizer & { count: number } = {
      name: 'names',
      window: 100_000,
      count: 0,
      async summarize() {
        this.count++
        return { text: `Everything in these messages belongs to ${who}.`, finish: 'stop' }
      },
    }
    const policy = { summary: { style: 'narrative', grounding: 'off' } } as const
    const beginning: AgentInputItem[] = [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hello. What can I do?' }] },
    ]
    const names = ['Alice', 'Bob', 'Carol']
    const history = (name: string, turn: number): AgentInputItem[] => [
      ...beginning,
      ...Array.from({ length: turn }, (_, at): AgentInputItem[] => [
        { role: 'user', content: `I am ${name}: ${words(at + name.length * 100)}` },
        { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: words(at + 500) }] },
      ]).flat(),
      { role: 'user', content: 'And now?' },
    ]
    const countFor = async (people: readonly string[]): Promise<number> => {
      writer.count = 0
      const models = withCompaction(inner, { limits, policy, summarizer: writer })
      for (let turn = 0; turn < turns; turn++)
        for (const name of people) {
          who = name
          await runnerOf(models).run(agent, history(name, turn))
          const prompt = JSON.stringify(provider.requests.at(-1)?.prompt)
          expect(names.filter((one) => one !== name && (prompt.includes(`belongs to ${one}.`) || prompt.includes(`I am ${one}:`)))).toEqual([])
        }
      return writer.count
    }
    const alone = await Promise.all([countFor(['Alice'])])
    expect(await countFor(names)).toBeLessThanOrEqual(((alone[0] ?? 0) + 1) * names.length)
  })
})

describe('the input filter', () => {
  it('that is made anew for each request pays no more than one that is kept, without a storage', async () => {
    const [kept, renewed] = [await chat({ filter: true }), await chat({ filter: 'each' })]
    expect(kept).toBeGreaterThan(1)
    expect(renewed).toBeLessThanOrEqual(kept)
  })
  it('whose host asks for the items themselves leaves history and store as they are', async () => {
    const stored = async (filtered: boolean) => {
      const { inner } = await start({ window: filtered ? 12_000 : 200_000, model: recallModel(vaultScenario) })
      const filter = compactionFilter({ limits: { contextWindow: 11_000, maxOutput: 500 } })
      Object.assign(filter, { preserveInputIdentity: true })
      const session = new MemorySession()
      const reader = new Agent({ name: 'reader', model: 'strict', tools: [readFileTool], modelSettings: { maxTokens: 500 } })
      const runner = runnerOf(inner, filtered ? { callModelInputFilter: filter } : {})
      const result = await runner.run(reader, 'Read the file of each vault.', { maxTurns: 40, session })
      const strip = (items: readonly AgentInputItem[]): string => JSON.stringify(items.map((item) => ({ ...item, id: undefined, providerData: undefined })))
      return [strip(result.history), strip(await session.getItems())]
    }
    expect(await stored(true)).toEqual(await stored(false))
  })
})

it.each([false, true])('usage of a run counts every request once, summaries too; streamed: %s', async (stream) => {
  const { inner, provider } = await start({
    model: (prompt) => {
      const headings = [
        ...new Set(
          [
            ...prompt
              .map(({ text }) => text)
              .join('\n')
              .matchAll(/^## .*$/gm),
          ].map(([heading]) => heading),
        ),
      ]
      return { text: headings.map((heading) => `${heading}\n- the work goes on`).join('\n') || 'ok', calls: [] }
    },
  })
  const models = withCompaction(inner, {
    limits,
    storage: memoryStorage(),
    summarizer: modelSummarizer({ model: await inner.getModel('strict'), window: 100_000 }),
  })
  const input = Array.from({ length: 41 }, (_, at): AgentInputItem => ({ role: 'user', content: `${at} ${words(at)}` }))
  const result = stream ? await runnerOf(models).run(agent, input, { stream }) : await runnerOf(models).run(agent, input)
  if ('completed' in result) await result.completed
  const { usage } = result.runContext
  expect(provider.requests.length).toBeGreaterThan(1)
  expect(usage.requestUsageEntries?.at(-1)?.inputTokens).toBe(provider.requests.at(-1)?.inputTokens)
  expect(usage.inputTokens).toBe(provider.requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0))
  expect(usage.requestUsageEntries?.some(({ endpoint }) => endpoint === 'compaction.summary')).toBe(true)
})
