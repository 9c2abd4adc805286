import {
  createArchive,
  createCompactor,
  type Exporter,
  InsufficientBudgetError,
  lexicalEmbedder,
  type Message,
  memoryStorage,
  mergePolicy,
  neutralCodec,
  presets,
  promptTokens,
  summaryStyles,
} from '@precis/core'
import {
  assistant,
  brokenLaws,
  fakeClock,
  fakeExporter,
  fakeSummarizer,
  generateHistory,
  history,
  pinned,
  result,
  step,
  summarizerFaults,
  system,
  user,
} from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession, compactorWith, fileText, sessionWith, textsOf } from './setup.ts'

const { layered } = presets
const limits = { contextWindow: 24_000, maxOutput: 4_000 }
const full = codingSession({ turns: 8, steps: 3, lines: 40 })

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
    expect((failed as InsufficientBudgetError).culprit).toMatchObject({ part: 'protected' })
    expect((failed as Error).message).toMatch(/needs \d+ tokens, \d+ are available\. Unprotect or shorten/)
  })

  it('8. the summary carries a version that rises by one per compaction', async () => {
    const session = sessionWith(layered, { limits })
    for (let version = 1; version <= 4; version++) {
      const { messages } = await session.compact([...full, ...codingSession({ turns: version, steps: 3, lines: 40 }).slice(1)], { focus: 'all' })
      expect(textsOf(messages)).toContain(`<context-summary version="${version}">`)
    }
    expect(session.state().checkpoints.map((checkpoint) => checkpoint.version)).toEqual([1, 2, 3, 4])
  })

  it('9. events under their names, to any exporter, with the schema', async () => {
    const seen: unknown[] = []
    const custom: Exporter = { name: 'custom', export: (events) => void seen.push(...events) }
    const remembering = fakeExporter()
    const compactor = compactorWith(layered, { limits, exporters: [custom, remembering] })
    await compactor.session('abc').beforeModelCall(full, { model: 'gpt-5-reasoning' })
    await compactor.flush()
    const names = remembering.events.map((event) => event.event)
    expect(names).toEqual(
      expect.arrayContaining([
        'compact.token_estimate',
        'compact.trigger_decision',
        'compact.summary_created',
        'compact.pruned_messages',
        'compact.policy_applied',
      ]),
    )
    expect(seen).toEqual(remembering.events)
    const decision = remembering.events.find((event) => event.event === 'compact.trigger_decision')
    expect(decision).toMatchObject({ session_id: 'abc', severity: 'info', attributes: { model: 'gpt-5-reasoning', max: 24_000 } })
    expect(decision?.ts).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(decision?.attributes).toHaveProperty('t_est')
    expect(decision?.attributes).toHaveProperty('pruned_count')
  })

  it('10. the whole transcript is on record before anything leaves, redacted; switching redaction off is a high-severity event', async () => {
    const driver = memoryStorage()
    const archive = createArchive<Message>(driver)
    const source = history(user('key sk-abcdefghijklmnopqrstuvwxyz123456'), ...full)
    const exporter = fakeExporter()
    const compactor = compactorWith(layered, { limits, archive, storage: driver, exporters: [archive.exporter(), exporter] })
    await compactor.session('s').beforeModelCall(source)
    await compactor.flush()
    const read = await archive.read('s')
    expect(read.messages).toHaveLength(source.length)
    expect(textsOf(read.messages.slice(1))).toBe(textsOf(source.slice(1)))
    expect(read.checkpoints.map((checkpoint) => checkpoint.version)).toEqual([1])
    expect(read.checkpoints[0]?.covered).toBeGreaterThan(0)
    expect(read.events.map((event) => event.event)).toContain('compact.trigger_decision')
    for await (const key of driver.list('')) expect((await driver.get(key))?.body).not.toContain('sk-abcdefghijklmnopqrstuvwxyz')
    // Retention.
    expect((await archive.prune(Date.UTC(2030, 0, 1))).length).toBeGreaterThan(3)
    expect((await archive.read('s')).messages).toEqual([])
    const open = fakeExporter()
    const bare = compactorWith(layered, { limits, redact: false, exporters: [open] })
    await bare.session('s').beforeModelCall(full.slice(0, 3))
    await bare.flush()
    expect(open.events.find((event) => event.event === 'compact.redaction_disabled')?.severity).toBe('high')
    expect(exporter.events.some((event) => event.event === 'compact.redaction_disabled')).toBe(false)
  })

  it('11. failures: a refusal is asked again as a brief, then pruning alone with a warning; malformed tools go on; over budget reduces', async () => {
    const exporter = fakeExporter()
    const once = fakeSummarizer('refuses', 1)
    const compactor = compactorWith(layered, { limits, summarizer: once, exporters: [exporter] })
    expect((await compactor.session('once').beforeModelCall(full)).report.outcome).toBe('summarized')
    expect(once.requests.map((request) => request.style)).toEqual(['task-state', 'brief'])
    const always = compactorWith(layered, { limits, summarizer: fakeSummarizer('refuses'), exporters: [exporter] })
    expect((await always.session('always').beforeModelCall(full)).report.outcome).toBe('degraded')
    await Promise.all([compactor.flush(), always.flush()])
    expect(exporter.events.find((event) => event.session_id === 'always' && event.event === 'compact.fallback')?.severity).toBe('warning')
    for (const fault of summarizerFaults.filter((name) => name !== 'hangs')) {
      const { report, messages } = await sessionWith(layered, { limits, summarizer: fakeSummarizer(fault) }).beforeModelCall(full)
      expect(report.tokens.after, fault).toBeLessThanOrEqual(report.tokens.budget ?? 0)
      expect(messages.at(-1), fault).toBe(full.at(-1))
    }
    const malformed = history(...full, result('nobody-asked', 'orphan'), user('go on'))
    const events = fakeExporter()
    const mending = compactorWith(layered, { limits, exporters: [events] })
    const mended = await mending.session('s').beforeModelCall(malformed)
    await mending.flush()
    expect(textsOf(mended.messages)).not.toContain('orphan')
    expect(events.events.map((event) => event.event)).toContain('compact.repaired')
  })

  it('12. a policy is JSON, overridden at any depth; enabling takes fewer than ten lines', async () => {
    expect(JSON.parse(JSON.stringify(layered))).toEqual(layered)
    const overrides = JSON.parse('{ "retain": { "turns": 2 }, "trigger": { "hard": { "fraction": 0.6 }, "emergency": null } }') as Parameters<
      typeof mergePolicy
    >[1]
    expect(mergePolicy(layered, overrides)).toMatchObject({
      retain: { turns: 2, toolPairs: 4 },
      trigger: { hard: { fraction: 0.6 }, target: { fraction: 0.5 } },
    })
    const compactor = createCompactor({
      codec: neutralCodec,
      limits: { contextWindow: 24_000 },
      policy: presets.layered,
    })
    const { messages } = await compactor.session('s').beforeModelCall(full)
    expect(messages.length).toBeLessThan(full.length)
  })

  it('13. is deterministic: the same history, clock and policy give the same bytes', async () => {
    const run = async () => {
      const exporter = fakeExporter()
      const compactor = compactorWith(layered, { limits, exporters: [exporter], clock: fakeClock() })
      const { messages, report } = await compactor.session('s').beforeModelCall(full)
      await compactor.flush()
      return JSON.stringify({ messages, report, events: exporter.events, state: compactor.session('s').state() })
    }
    expect(await run()).toBe(await run())
  })

  it('14. what is exported holds numbers and names, never text', async () => {
    const exporter = fakeExporter()
    const compactor = compactorWith(layered, { limits, exporters: [exporter], summarizer: fakeSummarizer() })
    const personal = history(user('My name is Zebulon Quartermain, call 0170 5550199.'), ...full)
    await compactor.session('s').beforeModelCall(personal)
    await compactor.session('s').compact(personal, { focus: 'Zebulon' })
    await compactor.flush()
    const exported = JSON.stringify(exporter.events)
    expect(exported).not.toMatch(/Zebulon|Quartermain|0170|migration lock|module0/)
    for (const event of exporter.events) {
      for (const value of Object.values(event.attributes)) expect(String(value).length).toBeLessThan(80)
    }
  })

  it('15. a dry run and a diff are the plan; what is remembered can be asked for', async () => {
    const session = sessionWith(layered, { limits })
    const plan = session.plan(full)
    const { report, messages } = await session.beforeModelCall(full)
    expect({ keep: plan.keep, summarize: plan.summarize, edits: plan.edits }).toEqual({
      keep: report.plan.keep,
      summarize: report.plan.summarize,
      edits: report.plan.edits,
    })
    expect(messages.filter((message) => full.includes(message))).toEqual(plan.keep.map((index) => full[index]))
    expect(session.remembered(full).summary?.text).toContain('Goals')
  })

  it('16. soak: sessions of three windows and more without an overflow; by hand at least 40 % are freed', async () => {
    const window = 12_000
    for (let seed = 1; seed <= 12; seed++) {
      const source = generateHistory(seed, { turns: 24, steps: 4, output: 4_000 })
      const session = compactorWith(layered, { limits: { contextWindow: window } }).session(`soak-${seed}`)
      let sent = 0
      for (let end = 1; end <= source.length; end++) {
        // A provider is called when all results of a step are there.
        if (source[end - 1]?.role === 'assistant' || source[end]?.role === 'tool') continue
        const part = source.slice(0, end)
        const { report, messages } = await session.beforeModelCall(part)
        sent = Math.max(sent, report.tokens.after)
        expect(
          brokenLaws({ history: part, context: messages, plan: report.plan, tokens: { after: report.tokens.after, budget: report.tokens.budget } }),
        ).toEqual([])
      }
      expect(sent).toBeLessThanOrEqual(window - 1_024)
    }
    const { report } = await sessionWith(layered, { limits: { contextWindow: 200_000 } }).compact(full)
    expect(report.compression).toBeLessThanOrEqual(0.6)
    expect(promptTokens({ input: 1, cacheRead: 2, cacheWrite: 3, output: 4 })).toBe(6)
  })
})
