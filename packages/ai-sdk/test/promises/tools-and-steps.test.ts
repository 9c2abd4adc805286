import { createCompaction } from '@precis/ai-sdk'
import { type CompactionReport, createToolOutputStore, memoryStorage } from '@precis/core'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { majors, providers, sdkOf } from '../majors.ts'

const open = providers()
afterEach(open.close)

const limits = { contextWindow: 16_000, maxOutput: 500 }
const rowsOf = (count: number) => ({ rows: Array.from({ length: count }, (_, id) => ({ id, state: id === 700 ? 'E4711 torn page' : 'sound' })) })

describe.each(majors)('%s', (name) => {
  it('a tool with an output schema: the chat keeps valid objects, the model is shown a view', async () => {
    const { generateText, modelAt, stopWhen, safeValidateUIMessages } = await sdkOf(name)
    const compaction = createCompaction({ limits, outputs: createToolOutputStore(memoryStorage()), policy: { prune: { view: { tokens: 600 } } } })
    const outputSchema = z.object({ rows: z.array(z.object({ id: z.number(), state: z.string() })) })
    const inputSchema = z.object({})
    const results: unknown[] = []
    const tools = compaction.cacheToolOutputs({ query: { inputSchema, outputSchema, execute: async () => rowsOf(2_000) } })
    const provider = await open.start({
      window: 16_000,
      maxOutput: 500,
      model: (prompt) =>
        prompt.some(({ text }) => /ref=out-[0-9a-f]{16}/.test(text))
          ? { text: 'done', calls: [] }
          : { text: '', calls: [{ id: 'c1', tool: 'query', input: '{}' }] },
    })
    const run = await generateText({
      model: modelAt('openai', provider.url),
      tools,
      prompt: 'Query it.',
      stopWhen,
      maxRetries: 0,
      prepareStep: compaction.prepareStep({ tools }),
      onStepFinish: ({ toolResults }: { readonly toolResults: readonly { readonly output: unknown }[] }) => {
        for (const { output } of toolResults) results.push(output)
      },
    })
    expect(run.text).toBe('done')
    expect(results).toEqual([rowsOf(2_000)])
    const part = { type: 'tool-query', toolCallId: 'c1', state: 'output-available', input: {}, output: results[0] }
    const messages = [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Query it.' }] },
      { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, part] },
    ]
    expect(await safeValidateUIMessages({ messages, tools })).toMatchObject({ success: true })
    expect(provider.requests.flatMap((request) => request.violations)).toEqual([])
  })

  it('prepareStep counts tools written with Zod as they are sent', async () => {
    const { generateText, modelAt } = await sdkOf(name)
    const field = z.object({
      id: z.enum(['first', 'second', 'third']).describe('Which of the three is meant, in the order of the list.'),
      at: z.number().int().min(0),
    })
    const tools = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`tool_${at}`, { description: 'Does it.', inputSchema: z.object({ one: field, more: z.array(field) }) }]),
    )
    const provider = await open.start({ window: 100_000, model: () => ({ text: 'hello', calls: [] }) })
    const reports: CompactionReport[] = []
    const compaction = createCompaction({ limits: { contextWindow: 100_000, maxOutput: 500 }, onReport: (report) => reports.push(report) })
    await generateText({ model: modelAt('openai', provider.url), tools, prompt: 'Hi.', maxRetries: 0, prepareStep: compaction.prepareStep({ tools }) })
    const counted = (reports[0]?.tokens.after ?? 0) / (provider.requests[0]?.inputTokens as number)
    expect(counted).toBeGreaterThan(0.75)
    expect(counted).toBeLessThan(1.35)
  })

  it('prepareStep that was passed and not called says so, instead of compacting nothing', async () => {
    const { generateText, modelAt } = await sdkOf(name)
    const provider = await open.start({ window: 16_000, maxOutput: 500, model: () => ({ text: 'hello', calls: [] }) })
    const { prepareStep } = createCompaction({ limits })
    const run = generateText({ model: modelAt('openai', provider.url), prompt: 'Hi.', maxRetries: 0, prepareStep })
    await expect(run).rejects.toThrow('write prepareStep: compaction.prepareStep()')
  })

  it('a stored chat with a call that nobody answered: the SDK refuses it, prepareStep mends it', async () => {
    const { generateText, modelAt } = await sdkOf(name)
    const provider = await open.start({ window: 16_000, maxOutput: 500, model: () => ({ text: 'hello again', calls: [] }) })
    const messages = [
      { role: 'user', content: 'Look at a.ts.' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'lost', toolName: 'read_file', input: { path: 'a.ts' } }] },
      { role: 'user', content: 'Are you there?' },
    ]
    const ask = (more: object) => generateText({ model: modelAt('openai', provider.url), messages, maxRetries: 0, ...more })
    // Version 5 leaves it to the provider.
    await expect(ask({})).rejects.toThrow(/tool[_ ](?:result|call)/i)
    expect((await ask({ prepareStep: createCompaction({ limits }).prepareStep() })).text).toBe('hello again')
    expect(provider.requests.at(-1)?.violations).toEqual([])
  })
})
