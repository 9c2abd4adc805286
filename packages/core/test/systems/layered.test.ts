import { InsufficientBudgetError, lexicalEmbedder, type Message, mergePolicy, summaryStyles } from '@precis/core'
import { assistant, fakeSummarizer, history, pinned, result, step, system, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { full, layered, limits } from './layered.ts'
import { codingSession, fileText, sessionWith, textsOf } from './setup.ts'

describe('layered', () => {
  it('1. accounts for system prompt, tool schemas, memory, history and user input', async () => {
    const { report } = await sessionWith(layered, { limits }).beforeModelCall(full.slice(0, 8), { overhead: { system: 300, tools: 400, memory: 50 } })
    const { before } = report.regions
    expect([before.system, before.tools, before.memory]).toEqual([300, 400, 50])
    expect(before.input).toBeGreaterThan(0)
    expect(Object.values(before).reduce((sum, tokens) => sum + tokens, 0)).toBe(report.tokens.before)
  })

  it('2. triggers: a fraction, tokens left, soft and hard; by hand, by program, before each call', async () => {
    const sized = (tokens: number, trigger: Parameters<typeof mergePolicy>[1]['trigger'] = {}) =>
      sessionWith(mergePolicy(layered, { trigger }), {
        limits: { contextWindow: 23_024, maxOutput: 2_000 }, // 20,000 beside the reply and the buffer
        estimator: { name: 'set', count: (text) => (text === 'x' ? tokens - 4 : 0) },
      }).plan(history(user('x'))).decision
    expect(sized(14_999).reason).toBe('none')
    expect(sized(15_000).reason).toBe('soft')
    expect(sized(17_000).reason).not.toBe('soft')
    expect(sized(16_000, { hard: { free: 4_000 }, target: { free: 10_000 } }).reason).not.toBe('soft')
    expect(sized(15_999, { hard: { free: 4_000 }, target: { free: 10_000 } }).reason).toBe('soft')
    const session = sessionWith(layered, { limits })
    expect((await session.compact(full.slice(0, 12))).report.plan.decision.reason).toBe('manual')
    expect(session.plan(full, { asked: 'manual' }).decision.reason).toBe('manual')
  })

  it('3. strategies by name, with weights for roles and protected fields', async () => {
    expect(summaryStyles).toEqual(expect.arrayContaining(['brief', 'task-state', 'step-ledger', 'requirements-ledger', 'code-delta', 'decision-log']))
    for (const style of ['brief', 'task-state', 'step-ledger', 'requirements-ledger', 'code-delta', 'decision-log'] as const) {
      const summarizer = fakeSummarizer()
      const { report } = await sessionWith(mergePolicy(layered, { summary: { style } }), { limits, summarizer }).compact(full, { focus: style })
      expect(summarizer.requests[0]?.style).toBe(style)
      expect(report.outcome).toBe('summarized')
    }
    const long = history(
      user('u'.repeat(9_000)),
      assistant('ok'),
      step('read', 'a', {}, 't'.repeat(9_000)),
      ...codingSession({ turns: 3, steps: 3, lines: 30 }),
    )
    const asked = async (weights: { user: number; tool: number }) => {
      const summarizer = fakeSummarizer()
      await sessionWith(mergePolicy(layered, { summary: { weights }, retain: { userRequests: { tokens: 0 }, turns: 1 } }), { limits, summarizer }).compact(
        long,
        { focus: 'x' },
      )
      const prompt = summarizer.requests[0]?.prompt ?? ''
      return { user: prompt.split('u').length, tool: prompt.split('t').length }
    }
    const [users, tools] = [await asked({ user: 2, tool: 0.2 }), await asked({ user: 0.2, tool: 2 })]
    expect(users.user).toBeGreaterThan(tools.user + 3_000)
    expect(tools.tool).toBeGreaterThan(users.tool + 1_500)
    const fields = history(user('Start'), assistant('ticket: OPS-4711 and acceptance_criteria = all green'), ...full)
    const kept = await sessionWith(mergePolicy(layered, { summary: { protectedFields: ['ticket', 'acceptance_criteria'] } }), { limits }).beforeModelCall(
      fields,
    )
    expect(kept.report.outcome).toBe('summarized')
    expect(textsOf(kept.messages)).toMatch(/- ticket: OPS-4711/)
    expect(textsOf(kept.messages)).toContain('acceptance_criteria: all green')
  })

  it('4. protected messages, system and developer are never summarized, edited or dropped', async () => {
    const secret = pinned(assistant('The acceptance criteria are fixed: A, B, C.'))
    const rules: Message = { role: 'developer', parts: [{ type: 'text', text: 'Never touch production.' }] }
    const keptTool = pinned(result('k', fileText('kept', 60), { tool: 'read' }))
    const source = history(
      system('S'),
      rules,
      user('go'),
      { role: 'assistant', parts: [{ type: 'tool-call', callId: 'k', tool: 'read', input: '{}' }] },
      keptTool,
      secret,
      ...full,
    )
    const session = sessionWith(layered, { limits })
    const { messages, report } = await session.beforeModelCall(source)
    expect(report.outcome).toBe('summarized')
    for (const message of [source[0], source[1], source[4], source[5]]) expect(messages).toContain(message)
    expect(report.plan.edits.some((edit) => edit.callId === 'k')).toBe(false)
  })

  it('5. pruning policies: FIFO, recency, semantic clusters, the last tool pairs', async () => {
    const fifo = await sessionWith(mergePolicy(layered, { summary: { author: 'notice' }, retain: { turns: 3, toolPairs: 0 } }), { limits }).beforeModelCall(
      full,
    )
    expect(fifo.report.plan.summarize).toEqual([])
    expect(fifo.report.plan.drop.length).toBeGreaterThan(0)
    expect(Math.max(...fifo.report.plan.drop)).toBeLessThan(Math.min(...fifo.report.plan.keep.filter((index) => index > 1)))
    expect(textsOf(fifo.messages)).toContain('older messages are left out')

    const recent = await sessionWith(mergePolicy(layered, { retain: { turns: 0, messages: 9, toolPairs: 0 } }), { limits }).beforeModelCall(full)
    expect(recent.report.plan.keep.filter((index) => index >= full.length - 9)).toHaveLength(9)

    const topics = history(
      user('We build a shop.'),
      assistant('Fine.'),
      user('The invoice template uses the Garamond typeface.'),
      assistant('Noted: the typeface of the invoice is Garamond.'),
      ...codingSession({ turns: 7, steps: 3, lines: 40 }).slice(1),
      user('Which typeface did we choose for the invoice template?'),
    )
    const semantic = mergePolicy(layered, { retain: { turns: 1, toolPairs: 0, semantic: { clusters: 3, tokens: { tokens: 400 } } } })
    const related = await sessionWith(semantic, { limits, embedder: lexicalEmbedder() }).beforeModelCall(topics)
    expect(related.report.outcome).toBe('summarized')
    expect(related.messages).toContain(topics[3])
    expect(() => sessionWith(semantic, { limits })).toThrow('lexicalEmbedder')

    const pairs = await sessionWith(mergePolicy(layered, { retain: { turns: 0, messages: 1, toolPairs: 4 } }), { limits }).beforeModelCall(full)
    expect(pairs.report.plan.retained.toolPairs).toBe(4)
    const calls = pairs.messages.flatMap((message) => message.parts.filter((part) => part.type === 'tool-call'))
    expect(calls).toHaveLength(4)
  })

  it('6. layers, each by name: recent turns, the rolling summary, pinned messages', async () => {
    const session = sessionWith(layered, { limits })
    const source = history(full, pinned(assistant('Policy: two reviewers.')), user('go on'))
    await session.beforeModelCall(source)
    const memory = session.remembered(source)
    expect(memory.pinned).toEqual(expect.arrayContaining([0, source.length - 2, source.length - 1]))
    expect(memory.summary?.version).toBe(1)
    expect(memory.recent.length).toBeGreaterThan(0)
    expect([...memory.pinned, ...memory.recent, ...memory.older, ...memory.represented].toSorted((a, b) => a - b)).toEqual(source.map((_, index) => index))
  })

  it('7. the algorithm: buffer 1,024, six turns and four pairs, reduced to one each, then an error with a diagnosis', async () => {
    expect(layered).toMatchObject({ trigger: { buffer: 1_024 }, retain: { turns: 6, toolPairs: 4 } })
    const many = codingSession({ turns: 17, steps: 2, lines: 20 })
    const roomy = await sessionWith(mergePolicy(layered, { trigger: { target: { fraction: 0.8 } } }), {
      limits: { contextWindow: 23_000, maxOutput: 4_000 },
    }).beforeModelCall(many)
    expect(roomy.report.outcome).toBe('summarized')
    expect(roomy.report.plan.retained).toMatchObject({ turns: 6, toolPairs: 4 })
    expect(roomy.report.tokens.budget).toBe(23_000 - 4_000 - 1_024)
    const tight = await sessionWith(layered, { limits: { contextWindow: 8_000, maxOutput: 2_000 } }).beforeModelCall(full)
    expect(tight.report.plan.retained.turns).toBeLessThan(6)
    expect(tight.report.tokens.after).toBeLessThanOrEqual(8_000 - 2_000 - 1_024)
    const impossible = sessionWith(layered, { limits: { contextWindow: 4_000 } })
    const failed = await impossible.beforeModelCall(history(system('rules '.repeat(3_000)), user('hi'))).catch((error: unknown) => error)
    expect(InsufficientBudgetError.isInstance(failed)).toBe(true)
    expect((failed as InsufficientBudgetError).culprit).toMatchObject({ part: 'system' })
    expect((failed as Error).message).toMatch(/the system prompt needs \d+ tokens, \d+ are available\. Shorten it or choose a model/)
  })

  it('8. the summary carries a version that rises by one per compaction', async () => {
    const session = sessionWith(layered, { limits })
    for (let version = 1; version <= 4; version++) {
      const { messages } = await session.compact([...full, ...codingSession({ turns: version, steps: 3, lines: 40 }).slice(1)], { focus: 'all' })
      expect(textsOf(messages)).toContain(`<context-summary version="${version}">`)
    }
    expect(session.state().checkpoints.map((checkpoint) => checkpoint.version)).toEqual([1, 2, 3, 4])
  })
})
