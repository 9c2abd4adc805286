import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createCompaction, withCompaction } from '@precis/ai-sdk'
import { type CompactionEvent, type CompactionReport, createArchive, memoryStorage, type Summarizer } from '@precis/core'
import { type ScriptedServer, type StrictProvider, scriptedServer, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, jsonSchema, type ModelMessage, wrapLanguageModel } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'

// What a receipt says is what happened.

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})
const strict = async (): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 100_000, model: () => ({ text: 'ok', calls: [] }) })
  open.push(provider)
  return provider
}
const modelAt = (url: string) => createOpenAICompatible({ baseURL: url, apiKey: 'none', name: 'strict', includeUsage: true })('strict')

const filler = (seed: number): string => Array.from({ length: 250 }, (_, at) => `word${(at * seed) % 89}`).join(' ')
const dialogue = (turns: number): ModelMessage[] => [
  ...Array.from({ length: turns }, (_, at): ModelMessage[] => [
    { role: 'user', content: `Question ${at}: ${filler(at + 3)}` },
    { role: 'assistant', content: `Answer ${at}: ${filler(at + 20)}` },
  ]).flat(),
  { role: 'user', content: 'Go on.' },
]

it('a notice in place of a summary: what is gone counts as dropped, not as summarized', async () => {
  const { url, requests } = await strict()
  const reports: CompactionReport[] = []
  const compaction = createCompaction({
    limits: { contextWindow: 8_000, maxOutput: 500 },
    policy: { summary: { emergencyAuthor: 'notice' } },
    summarizer: { name: 'broken', summarize: () => Promise.reject(new Error('no')) },
    onReport: (report) => reports.push(report),
  })
  await generateText({ model: modelAt(url), messages: dialogue(20), prepareStep: compaction.prepareStep({ session: 's' }), maxRetries: 0 })
  const [{ outcome, messages }] = reports as [CompactionReport]
  const said = Number(/(\d+) older messages are left out/.exec(JSON.stringify(requests[0]?.prompt))?.[1])
  expect(outcome).toBe('emergency')
  expect(said).toBeGreaterThan(0)
  expect(messages).toMatchObject({ summarized: 0, dropped: said })
})

describe('one ruler', () => {
  /** A provider that counts pictures by a rule of its own. */
  const run = async (contextWindow: number, billed: number): Promise<{ reports: readonly CompactionReport[]; events: readonly CompactionEvent[] }> => {
    const usage = { prompt_tokens: billed, completion_tokens: 10, total_tokens: billed + 10 }
    const reply = (message: object, finish_reason: string): { body: object } => ({
      body: {
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'strict',
        choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
        usage,
      },
    })
    const calls = [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }]
    const server: ScriptedServer = await scriptedServer([reply({ content: null, tool_calls: calls }, 'tool_calls'), reply({ content: 'done' }, 'stop')])
    open.push(server)
    const reports: CompactionReport[] = []
    const events: CompactionEvent[] = []
    const compaction = createCompaction({
      limits: { contextWindow, maxOutput: 500 },
      onReport: (report) => reports.push(report),
      exporters: [{ name: 'list', export: (list) => void events.push(...list) }],
    })
    const picture = { type: 'file', data: new Uint8Array(64), mediaType: 'image/png' } as const
    const pictures: ModelMessage[] = Array.from({ length: 50 }, (_, at): ModelMessage[] => [
      { role: 'user', content: [{ type: 'text', text: `Picture ${at}: ${filler(at + 3).slice(0, 400)}` }, picture] },
      { role: 'assistant', content: 'Seen.' },
    ]).flat()
    const tools = { look: { inputSchema: jsonSchema({ type: 'object' as const }), execute: async () => filler(3) } }
    await generateText({
      model: modelAt(server.url),
      tools,
      messages: [...pictures, { role: 'user', content: 'Go on.' }],
      prepareStep: compaction.prepareStep({ session: 's', tools }),
      stopWhen: isStepCount(5),
      maxRetries: 0,
    })
    await compaction.compactor.flush()
    return { reports, events }
  }

  it('a context that is left alone is within its budget, in the receipt too', async () => {
    const { reports } = await run(126_500, 24_000)
    expect(reports.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged'])
    for (const { tokens, plan, regions } of reports) {
      expect(tokens.before).toBe(plan.decision.used)
      expect(tokens.after).toBe(tokens.before)
      expect(tokens.before).toBeLessThanOrEqual(tokens.budget ?? 0)
      expect(Object.values(regions.before).reduce((sum, one) => sum + one, 0)).toBe(tokens.before)
    }
    expect(reports[1]?.tokens.before).toBeLessThan(27_000)
  })
  it('a compaction is told by the measure that caused it, in the receipt, its regions and the events', async () => {
    const { reports, events } = await run(130_000, 104_500)
    const { tokens, plan, regions, outcome } = reports[1] as CompactionReport
    expect(outcome).toBe('summarized')
    expect(tokens.before).toBe(plan.decision.used)
    for (const [sizes, total] of [
      [regions.before, tokens.before],
      [regions.after, tokens.after],
    ] as const) {
      expect(Object.values(sizes).reduce((sum, one) => sum + one, 0)).toBe(total)
    }
    expect(tokens.after).toBeLessThanOrEqual(plan.decision.target)
    for (const { event, attributes } of events) {
      if (event === 'compact.finished' || event === 'compact.policy_applied') expect(attributes['tokens_before']).toBe(tokens.before)
    }
  })
})

it('a stretch of a long summary that the model refused is said, and the rest is used', async () => {
  const { url, requests } = await strict()
  const reports: CompactionReport[] = []
  let calls = 0
  const summarizer: Summarizer = {
    name: 'squeamish',
    window: 4_000,
    summarize: async ({ prompt }) => {
      if (prompt.includes('<stretch-1>'))
        return { text: `All stretches together: ${[...prompt.matchAll(/part \d+/g)].join(', ')} and I cannot help.`, finish: 'stop' }
      calls++
      if (calls === 2) return { text: 'I cannot', finish: 'filter' }
      if (calls === 3) return { text: "I'm sorry, but I can't help with that.", finish: 'stop' }
      return { text: `The user asked questions, and this is part ${calls} of what was answered.`, finish: 'stop' }
    },
  }
  const compaction = createCompaction({
    limits: { contextWindow: 12_000, maxOutput: 500 },
    policy: { summary: { style: 'narrative', grounding: 'off' } },
    summarizer,
    onReport: (report) => reports.push(report),
  })
  await generateText({ model: modelAt(url), messages: dialogue(30), prepareStep: compaction.prepareStep({ session: 's' }), maxRetries: 0 })
  expect(calls).toBeGreaterThan(3)
  expect(reports[0]?.outcome).toBe('summarized')
  expect(reports[0]?.warnings.join()).toMatch(new RegExp(`2 of ${calls} stretches were refused`))
  const prompt = JSON.stringify(requests[0]?.prompt)
  expect(prompt).toContain('part 1')
  expect(prompt).not.toContain('part 2')
})

describe('an archive given to a wrapped model', () => {
  it('takes what the model compacts, and gives it back', async () => {
    const { url } = await strict()
    const archive = createArchive<ModelMessage>(memoryStorage())
    const compaction = createCompaction({ limits: { contextWindow: 8_000, maxOutput: 500 }, archive })
    const model = wrapLanguageModel({ model: modelAt(url), middleware: compaction.middleware({ session: 'guarded' }) })
    await generateText({ model, messages: dialogue(20), maxRetries: 0 })
    const { messages, checkpoints } = await archive.read('guarded')
    expect(messages).toHaveLength(41)
    expect(JSON.stringify(messages[0])).toContain('Question 0')
    expect(checkpoints).toHaveLength(1)
  })
  it.each(['prepareStep first', 'middleware first'])('one session under two layers would mix two histories, and is refused: %s', (order) => {
    const compaction = createCompaction({ archive: createArchive<ModelMessage>(memoryStorage()) })
    const layers = [() => compaction.prepareStep({ session: 's' }), () => compaction.middleware({ session: 's' })]
    const [first, second] = order === 'prepareStep first' ? layers : layers.reverse()
    first?.()
    expect(() => second?.()).toThrow(/session is "s"; archived by .* already: give another session for the middleware, or none/)
    expect(() => compaction.middleware()).not.toThrow()
  })
})

it('says whose it is: one wrapped model serves many chats', async () => {
  const { url } = await strict()
  const reports: CompactionReport[] = []
  const model = withCompaction(modelAt(url), { limits: { contextWindow: 8_000, maxOutput: 500 }, onReport: (report) => reports.push(report) })
  for (const session of ['ann', 'ben']) await generateText({ model, messages: dialogue(20), maxRetries: 0, providerOptions: { precis: { session } } })
  await generateText({ model, messages: dialogue(21), maxRetries: 0 })
  expect(reports.map((report) => report.model)).toEqual(['strict', 'strict', 'strict'])
  const [ann, ben, nameless] = reports.map(({ session }) => session)
  expect([ann, ben]).toEqual(['ann', 'ben'])
  expect(nameless).toMatch(/./)
})
