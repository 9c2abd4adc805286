import { Agent, MemorySession, run } from '@openai/agents'
import { describe, expect, it } from 'vitest'
import { compactionSession, modelSummarizer } from '../../src/index.ts'
import { limits, plain, said, scripted, steps, user } from './setup.ts'

describe('sessions', () => {
  const context = {
    usage: {
      requestUsageEntries: [
        { inputTokens: 5_900, outputTokens: 10 },
        { inputTokens: 50, outputTokens: 5, endpoint: 'compaction.summary' },
      ],
    },
  }
  const filled = async (store: MemorySession) => {
    await store.addItems([user('go'), ...steps(24), said('done')] as never)
    return store
  }
  it('all members are the store’s own; those through which the SDK would read past the view are hidden', async () => {
    class Special extends MemorySession {
      readonly flavor = 'special'
      getItemsWithCompactionOwnership() {}
      addItemsWithCompactionOwnership() {}
    }
    const session = compactionSession(new Special(), { limits })
    expect(['flavor' in session, session.flavor, session instanceof MemorySession]).toEqual([true, 'special', true])
    expect(['getItemsWithCompactionOwnership' in session, (session as { getItemsWithCompactionOwnership?: unknown }).getItemsWithCompactionOwnership]).toEqual([
      false,
      undefined,
    ])
  })
  it('a store that does not ask for the run’s context is not given it, one that does is', async () => {
    const seen: unknown[][] = []
    const storeOf = (acceptsRunContext?: true) => ({
      ...(acceptsRunContext && { acceptsRunContext }),
      getSessionId: async () => 's',
      getItems: async (...args: unknown[]) => {
        seen.push(args)
        return []
      },
      addItems: async (...args: unknown[]) => void seen.push(args),
      popItem: async (...args: unknown[]) => void seen.push(args),
      clearSession: async (...args: unknown[]) => void seen.push(args),
    })
    for (const store of [storeOf(), storeOf(true)]) {
      const session = compactionSession(store, { limits }) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
      await session['getItems']?.(undefined, 'context')
      await session['addItems']?.([], 'context')
      await session['popItem']?.('context')
      await session['clearSession']?.('context')
    }
    expect(seen).toEqual([[undefined], [[]], [], [], [undefined, 'context'], [[], 'context'], ['context'], ['context']])
  })
  it('the newest call’s size decides, not the sum of the run, and not our own request', async () => {
    const { model } = scripted('A summary.')
    const sizes: number[] = []
    const session = compactionSession(await filled(new MemorySession()), {
      limits,
      summarizer: modelSummarizer({ model: model as never }),
      onReport: (report) => sizes.push(report.tokens.before),
    })
    await session.runCompaction(undefined, context)
    expect(sizes[0]).toBeGreaterThan(5_000)
  })
  it('what a summary cost is handed to the run', async () => {
    const summary = {
      getResponse: async ({ input }: { input: string }) => ({
        usage: { inputTokens: 700, outputTokens: 70 },
        output: [
          {
            type: 'message',
            content: [{ type: 'output_text', text: [...input.matchAll(/^## .*$/gm)].map(([heading]) => `${heading}\n- work goes on`).join('\n') }],
          },
        ],
      }),
    }
    const { model } = scripted('ok')
    const session = compactionSession(await filled(new MemorySession()), { limits, summarizer: modelSummarizer({ model: summary as never }) })
    const { runContext } = await run(new Agent({ name: 'A', model }), 'on', { session })
    const entry = runContext.usage.requestUsageEntries?.find((one) => one.endpoint === 'compaction.summary')
    expect(entry?.inputTokens).toBeGreaterThanOrEqual(700)
  })
  it('popItem, clearSession and getItems(limit) keep the view true', async () => {
    const store = await filled(new MemorySession())
    const session = compactionSession(store, { limits })
    await session.runCompaction({ force: true })
    const before = (await session.getItems()).length
    expect(before).toBeLessThan(74)
    expect((await session.getItems(2)).length).toBe(2)
    expect(await session.getItems(0)).toEqual([])
    await session.popItem()
    expect((await session.getItems()).length).toBe(before - 1)
    await session.clearSession()
    expect(await session.getItems()).toEqual([])
    await session.addItems([user('anew')] as never)
    expect(await session.getItems()).toEqual([user('anew')])
  })
  it('a history that the Runner puts back as it had read it loses nothing', async () => {
    const store = await filled(new MemorySession())
    const session = compactionSession(store, { limits })
    await session.runCompaction({ force: true })
    const [whole, shown] = [await store.getItems(), await session.getItems()]
    await session.clearSession()
    await session.addItems(shown)
    expect(plain(await store.getItems())).toBe(plain(whole))
  })
  it('a store that compacts by itself is only read and written, and that is said', () => {
    const warnings: string[] = []
    compactionSession({ runCompaction: async () => null, getSessionId: async () => 's' }, { limits, onWarning: (warning) => warnings.push(warning) })
    expect(warnings[0]).toContain('compacts by itself')
  })
})
