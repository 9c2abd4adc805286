import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createCompaction, withCompaction } from '@precis/ai-sdk'
import { knownLimits } from '@precis/models'
import { recallModel, type StrictProvider, strictProvider } from '@precis/testkit'
import { generateText, isStepCount, tool, wrapLanguageModel } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

/** What GPT-4o accepts; written here again, so that the catalog is not its own witness. */
const window = 128_000
const steps = 30
const tools = {
  read_page: tool({
    description: 'Reads a page.',
    inputSchema: z.object({ page: z.number() }),
    execute: async ({ page }) => `page ${page}: ${Array.from({ length: 1_200 }, (_, at) => `line ${at} of ${page}`).join('; ')}`,
  }),
}

let provider: StrictProvider

afterEach(() => provider.close())

/** An agent that reads thirty pages through a real provider package, against a provider that refuses what GPT-4o would. */
async function run(model: string, way: 'one line' | 'prepareStep' | 'middleware', limits?: typeof knownLimits): Promise<string> {
  provider = await strictProvider({
    window,
    model: recallModel({ steps: Array.from({ length: steps }, (_, page) => ({ tool: 'read_page', input: () => ({ page }) })), final: 'All pages are read.' }),
  })
  const compaction = createCompaction(limits === undefined ? {} : { limits })
  const inner = createOpenAICompatible({ name: 'our-proxy', baseURL: provider.url, apiKey: 'none', includeUsage: true })(model)
  const { text } = await generateText({
    model: way === 'one line' ? withCompaction(inner) : way === 'middleware' ? wrapLanguageModel({ model: inner, middleware: compaction.middleware() }) : inner,
    tools,
    prompt: 'Read all pages.',
    stopWhen: isStepCount(100),
    ...(way === 'prepareStep' && { prepareStep: compaction.prepareStep({ tools }) }),
    maxOutputTokens: 1_000,
    maxRetries: 0,
  })
  return text
}

describe('limits nobody wrote down', () => {
  it('an agent whose limits nobody knows dies at the window', async () => {
    await expect(run('our-own', 'prepareStep')).rejects.toThrow(/maximum context length/)
  })

  it.each(['one line', 'prepareStep', 'middleware'] as const)('of a model that everybody knows it finishes, and no request is refused: %s', async (way) => {
    expect(await run('gpt-4o', way)).toBe('All pages are read.')
    expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([])
    expect(provider.requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBeGreaterThan(10 * window)
  })

  it('`limits: knownLimits` says the same', async () => {
    expect(await run('gpt-4o', 'prepareStep', knownLimits)).toBe('All pages are read.')
    expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([])
  })

  it.each([undefined, knownLimits])('a name like a known one gets no limits', async (limits) => {
    await expect(run('gpt-4o-ours', 'prepareStep', limits)).rejects.toThrow(/maximum context length/)
  })
})

it('a new process with a history of thirty windows, and refusals that hold no number, finishes', async () => {
  provider = await strictProvider({ window: 10_000, maxOutput: 400, model: () => ({ text: 'Fine.', calls: [] }) })
  const model = withCompaction(createOpenAI({ baseURL: provider.url, apiKey: 'none' }).responses('our-own'))
  const part = (at: number): string => Array.from({ length: 60 }, (_, line) => `batch${at}_${line} id=${(at * 7_919 + line * 104_729) % 1_000_003}`).join(' ')
  const messages = Array.from({ length: 600 }, (_, at) => [
    { role: 'user' as const, content: `Part ${at}: ${part(at)}` },
    { role: 'assistant' as const, content: `Part ${at} is fine.` },
  ]).flat()
  const { text } = await generateText({ model, messages: [...messages, { role: 'user', content: 'Go on.' }], maxRetries: 0, maxOutputTokens: 400 })
  expect(text).toBe('Fine.')
  const [first, last] = [provider.requests[0]?.inputTokens ?? 0, provider.requests.at(-1)?.inputTokens ?? 0]
  expect([first > 25 * 10_000, last < 10_000, provider.requests.length < 8]).toEqual([true, true, true])
})
