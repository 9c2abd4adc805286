import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { Command, MemorySaver } from '@langchain/langgraph'
import type { CompactionReport } from '@precis/core'
import { compaction, withCompaction } from '@precis/langchain'
import { recallModel, type StrictProvider, type StrictProviderOptions, strictProvider } from '@precis/testkit'
import { createDeepAgent } from 'deepagents'
import { createAgent, type createMiddleware, humanInTheLoopMiddleware, modelFallbackMiddleware, summarizationMiddleware, tool } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { modelAt, questionOf, readFile, vaultScenario, vaults } from '../vaults.ts'

type Middleware = ReturnType<typeof createMiddleware>
const open: StrictProvider[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})
const limits = { contextWindow: 12_000, maxOutput: 500 }
const start = async (more: Partial<StrictProviderOptions> = {}): Promise<StrictProvider> => {
  const provider = await strictProvider({ window: 12_000, maxOutput: 500, model: recallModel(vaultScenario, { looksUp: 'precis_recall' }), ...more })
  open.push(provider)
  return provider
}
const refused = ({ requests }: StrictProvider) => requests.filter(({ status }) => status !== 200).map(({ violations }) => violations[0]?.message ?? 'overflow')
const talk = (turns: number): BaseMessage[] =>
  Array.from({ length: turns }, (_, at) => [
    new HumanMessage(`Question ${at}: ${'words '.repeat(80)}`),
    new AIMessage(`Answer ${at}: ${'words '.repeat(80)}`),
  ]).flat()

describe('a person is asked', () => {
  it.each(['approve', 'reject'] as const)('one of two parallel calls: %s; no request is invalid', async (decision) => {
    const provider = await start({
      model: (prompt) =>
        prompt.at(-1)?.isResult === true
          ? { text: 'Done.', calls: [] }
          : {
              text: '',
              calls: [
                { id: 'a', tool: 'read_file', input: '{"path":"src/a.ts"}' },
                { id: 'b', tool: 'send_mail', input: '{"to":"x"}' },
              ],
            },
    })
    const mail = tool(() => 'sent', { name: 'send_mail', description: 'Sends a mail.', schema: z.object({ to: z.string() }) })
    const agent = createAgent({
      model: modelAt('openai', provider.url),
      tools: [readFile, mail],
      middleware: [compaction({ limits }), humanInTheLoopMiddleware({ interruptOn: { send_mail: true } } as never) as unknown as Middleware],
      checkpointer: new MemorySaver(),
    })
    const config = { configurable: { thread_id: 't' } }
    await agent.invoke({ messages: [...talk(60), new HumanMessage('Go.')] }, config)
    const answer = decision === 'approve' ? { type: 'approve' } : { type: 'reject', message: 'No.' }
    const { messages } = await agent.invoke(new Command({ resume: { decisions: [answer] } }) as never, config)
    expect(messages.at(-1)?.text).toBe('Done.')
    expect(refused(provider)).toEqual([])
  })
})

describe('other middleware', () => {
  it.each(['before', 'behind'] as const)(
    'modelFallbackMiddleware %s us: the other model is shown the compacted context too, and look-ups end well',
    async (place) => {
      const away = await start({ hiccups: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [at, 503])) })
      const provider = await start()
      const fallback = modelFallbackMiddleware(modelAt('openai', provider.url) as never) as unknown as Middleware
      const own = compaction({ limits })
      const agent = createAgent({
        model: modelAt('openai', away.url),
        tools: [readFile],
        middleware: place === 'before' ? [fallback, own] : [own, fallback],
        checkpointer: new MemorySaver(),
      })
      const config = { configurable: { thread_id: 't' }, recursionLimit: 100 }
      await agent.invoke({ messages: [new HumanMessage('Read the file of each vault.')] }, config)
      let right = 0
      for (const vault of vaults) {
        const { messages } = await agent.invoke({ messages: [new HumanMessage(questionOf(vault))] }, config)
        if (messages.at(-1)?.text.endsWith(vault.code) === true) right++
      }
      expect(right).toBeGreaterThanOrEqual(15)
      expect(refused(provider)).toEqual([])
    },
  )
  it('a wrapped model and the middleware at once: one of them compacts', async () => {
    const provider = await start()
    const reports: CompactionReport[] = []
    const model = withCompaction(modelAt('openai', provider.url), { limits, onReport: (report) => reports.push(report) })
    const agent = createAgent({ model, tools: [readFile], middleware: [compaction({ limits })], checkpointer: new MemorySaver() })
    const config = { configurable: { thread_id: 't' }, recursionLimit: 100 }
    await agent.invoke({ messages: [new HumanMessage('Read the file of each vault.')] }, config)
    let right = 0
    let whole: readonly BaseMessage[] = []
    for (const vault of vaults) {
      const { messages } = await agent.invoke({ messages: [new HumanMessage(questionOf(vault))] }, config)
      if (messages.at(-1)?.text.endsWith(vault.code) === true) right++
      whole = messages
    }
    expect(right).toBe(vaults.length)
    expect(refused(provider)).toEqual([])
    expect(reports.filter(({ outcome }) => outcome !== 'unchanged')).toEqual([])
    // Look-ups are no steps there either.
    expect(JSON.stringify(whole)).not.toContain('precis_recall')
  })
  it.each([
    ['nothing but the line', 80, {}, true],
    ['limits', 80, { limits: { contextWindow: 40_000, maxOutput: 500 } }, false],
    ['a name of its own', 24, { name: 'PrecisCompaction', limits: { contextWindow: 40_000, maxOutput: 500 } }, false],
  ])('deepagents, with %s: a long run ends well', async (_, reads, options, hasProfile) => {
    const scripted = await start({
      window: 40_000,
      model: recallModel({
        steps: Array.from({ length: reads }, (_, at) => ({ tool: 'read_source', input: () => ({ path: `src/${at}.ts` }) })),
        final: 'All read.',
      }),
    })
    const inner = modelAt('openai', scripted.url)
    // deepagents' own summarizer goes by the profile, and would begin at 34,000.
    const model = hasProfile ? Object.defineProperty(inner, 'profile', { value: { maxInputTokens: 40_000, maxOutputTokens: 500 } }) : inner
    const agent = createDeepAgent({
      model: model as never,
      tools: [
        tool(({ path }: { path: string }) => `${path} ${'const a = 1\n'.repeat(900)}`, {
          name: 'read_source',
          description: 'Reads.',
          schema: z.object({ path: z.string() }),
        }),
      ],
      middleware: [compaction(options) as never],
    })
    const run = (await agent.invoke({ messages: [new HumanMessage('Read all.')] } as never, { recursionLimit: 400 } as never)) as unknown as {
      messages: BaseMessage[]
    }
    expect(run.messages.at(-1)?.text).toBe('All read.')
    expect(refused(scripted)).toEqual([])
  })
  it('LangChain refuses its own summarizer beside it', () => {
    const theirs = (summarizationMiddleware as unknown as (options: object) => never)({ model: 'openai:gpt-5.2', trigger: { tokens: 1_000 } })
    expect(() => createAgent({ model: modelAt('openai', 'http://127.0.0.1:1'), tools: [], middleware: [theirs, compaction({ limits })] })).toThrow(
      'defined multiple times',
    )
  })
})

describe('persist', () => {
  it('goes by the model’s own profile, and by a function', async () => {
    for (const how of ['profile', 'function'] as const) {
      const provider = await start({ model: recallModel(vaultScenario) })
      const inner = modelAt('openai', provider.url)
      const model = how === 'profile' ? Object.defineProperty(inner, 'profile', { value: { maxInputTokens: 12_000, maxOutputTokens: 500 } }) : inner
      const agent = createAgent({
        model,
        tools: [readFile],
        middleware: [compaction({ mode: 'persist', ...(how === 'function' && { limits: () => limits }) })],
      })
      const { messages } = await agent.invoke({ messages: [new HumanMessage('Read the file of each vault.')] }, { recursionLimit: 100 })
      expect(messages.at(-1)?.text).toBe(vaultScenario.final)
      expect(messages.length).toBeLessThan(2 + 2 * vaults.length)
      expect(refused(provider)).toEqual([])
    }
  })
})
