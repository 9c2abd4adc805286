import { builtInEstimator, mergePolicy, type PolicyOverrides, presets, renderReport, requiredSections } from '@precis/core'
import { assistant, fakeSummarizer, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession, compactorWith, fileText, sessionWith, textsOf } from './setup.ts'

const { cacheAware } = presets
/** Without the work in the background, for rows that are about something else. */
const waiting = { ...cacheAware, trigger: { ...cacheAware.trigger, background: false } }
/** With no rung in front of the summary. */
const bare = { ...waiting, prune: { ...waiting.prune, ladder: [] } }
const limits = { contextWindow: 42_000, maxOutput: 2_000 }
const full = codingSession({ turns: 6, steps: 4, lines: 45 })

describe('cache-aware', () => {
  it('1. regions: a stable prefix, the summary, a recent window of 5–8K tokens, the current turn, each with its tokens', async () => {
    const session = sessionWith(waiting, { limits })
    const { report, messages } = await session.beforeModelCall(full, { overhead: { system: 500, tools: 900 } })
    const { after } = report.regions
    expect(after.system + after.tools).toBe(1_400)
    expect(after.recent).toBeLessThanOrEqual(8_000)
    expect(after.recent).toBeGreaterThan(0)
    expect(after.input).toBeGreaterThan(0)
    expect(after.system + after.tools + after.memory + after.pinned + after.summary + after.history + after.recent + after.input).toBe(report.tokens.after)
    // The prefix is the caller's own object, and byte-stable from call to call.
    expect(messages[0]).toBe(full[0])
    const next = await session.beforeModelCall([...full, user('next')])
    expect(next.messages.slice(0, messages.length)).toEqual(messages)
    expect(renderReport(report)).toContain('recent')
    // Outputs of the recent window are shown in about 500 tokens once a summary is made; what the model has not answered stays whole.
    const wide = [...codingSession({ turns: 6, steps: 3, lines: 130 }), ...step('read_file', 'unseen', { path: 'new.ts' }, fileText('unseen', 130))]
    const compacted = await sessionWith(bare, { limits }).compact(wide)
    const shown = compacted.messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-result' && part.output.includes('Value0')))
    const sizes = shown.map(
      (part) => [part.type === 'tool-result' ? part.callId : '', builtInEstimator.count(part.type === 'tool-result' ? part.output : '')] as const,
    )
    expect(sizes.length).toBeGreaterThan(3)
    expect(sizes.filter(([, tokens]) => tokens > 520).map(([callId]) => callId)).toEqual(['unseen'])
  })

  it('2. triggers at 55 %, aims at 45 %, with a safety net at 85 %; overrides per model are data', async () => {
    expect(cacheAware.trigger).toMatchObject({ hard: { fraction: 0.55 }, target: { fraction: 0.45 }, emergency: { fraction: 0.85 } })
    const sized = (fraction: number, policy = waiting) =>
      sessionWith(policy, { limits, estimator: { name: 'set', count: (text) => (text.startsWith('x') ? Math.round(40_000 * fraction) - 8 : 1) } }).plan(
        history(user('x'), assistant('y')),
      )
    expect(sized(0.54).decision.reason).toBe('soft')
    expect(sized(0.551).decision.reason).toBe('hard')
    expect(sized(0.86).decision.reason).toBe('emergency')
    const summarizer = fakeSummarizer()
    // The safety net is an ordinary compaction: a model is asked.
    const { report } = await sessionWith(waiting, { limits: { contextWindow: 22_000, maxOutput: 2_000 }, summarizer }).beforeModelCall(full)
    expect([report.plan.decision.reason, report.outcome]).toEqual(['emergency', 'summarized'])
    expect(summarizer.requests).toHaveLength(1)
    const perModel: Readonly<Record<string, PolicyOverrides['trigger']>> = {
      deepseek: { hard: { fraction: 0.7 }, target: { fraction: 0.6 } },
      gemini: { hard: { fraction: 0.5 }, target: { fraction: 0.4 } },
    }
    const session = (fraction: number) =>
      compactorWith((model) => mergePolicy(waiting, { trigger: perModel[model] ?? {} }), {
        limits,
        estimator: { name: 'set', count: (text) => (text.startsWith('x') ? Math.round(40_000 * fraction) - 8 : 1) },
      }).session('s')
    const reason = (fraction: number, model: string) => session(fraction).plan(history(user('x'), assistant('y')), { model }).decision.reason
    expect([reason(0.6, 'deepseek'), reason(0.6, 'other'), reason(0.51, 'gemini')]).toEqual(['soft', 'hard', 'hard'])
  })

  it('3. eight sections, each filled or marked empty; completeness is checked and reported', async () => {
    expect(requiredSections(cacheAware.summary.style)).toEqual([
      'Session Intent',
      'Current Task',
      'Files Modified',
      'Files Read',
      'Key Decisions',
      'Failed Approaches',
      'Errors Encountered',
      'Next Steps',
    ])
    const incomplete = fakeSummarizer('no-sections', 1)
    const { report } = await sessionWith(bare, { limits, summarizer: incomplete }).compact(full)
    expect(report.warnings.join()).toContain('missing-sections')
    const partly = {
      name: 'partly',
      summarize: async (request: { requiredSections: readonly string[] }) => ({
        text: request.requiredSections.map((section) => `## ${section}\n${section === 'Files Read' ? '(none)' : 'something was done'}`).join('\n'),
        finish: 'stop' as const,
      }),
    }
    const done = await sessionWith(bare, { limits, summarizer: partly }).compact(full)
    expect(done.report.quality?.missing).toEqual([])
    expect(done.report.quality?.empty).toEqual(['Files Read'])
  })

  it('4. triggers: the agent by a tool, the threshold, the user with a focus', async () => {
    const summarizer = fakeSummarizer()
    const session = sessionWith(waiting, { limits: { contextWindow: 200_000 }, summarizer })
    const [tool] = session.tools()
    expect(tool?.name).toBe('compact_context')
    await tool?.execute({ focus: 'module3' })
    const agent = await session.beforeModelCall(full)
    expect(agent.report.plan.decision.reason).toBe('agent')
    expect(summarizer.requests[0]?.prompt).toContain('module3')
    const threshold = await sessionWith(waiting, { limits }).beforeModelCall(full)
    expect(threshold.report.plan.decision.reason).toBe('hard')
    const focused = fakeSummarizer()
    await sessionWith(waiting, { limits, summarizer: focused }).compact(full, { focus: 'the public names' })
    expect(focused.requests[0]?.prompt).toContain('Dwell on this above all: the public names')
  })

  it('5. goes on in the background, is adopted when ready, and only while what it covers is unchanged', async () => {
    let release: () => void = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const inner = fakeSummarizer()
    const slow = { ...inner, summarize: async (request: never, signal: AbortSignal) => gate.then(() => inner.summarize(request, signal)) }
    const soft = codingSession({ turns: 5, steps: 4, lines: 42 })
    const session = sessionWith({ ...cacheAware, prune: { ...cacheAware.prune, ladder: [] } }, { limits, summarizer: slow })
    const first = await session.beforeModelCall(soft)
    expect(first.report.plan.decision.reason).toBe('soft')
    // The agent is not held up: it goes on with the whole history.
    const during = await session.beforeModelCall([...soft, assistant('meanwhile')])
    expect(during.report.outcome).toBe('unchanged')
    const handle = session.background(soft)
    release()
    expect(await handle.done).toBe(true)
    const grown = [...soft, assistant('meanwhile'), user('and now?')]
    const adopted = await session.beforeModelCall(grown)
    expect(adopted.report.outcome).toBe('projected')
    expect(adopted.messages.slice(-2)).toEqual(grown.slice(-2))
    expect(inner.requests).toHaveLength(1)

    const edited = sessionWith({ ...cacheAware, prune: { ...cacheAware.prune, ladder: [] } }, { limits })
    expect(await edited.background(soft).done).toBe(true)
    const changed = soft.map((message, at) => (at === 2 ? assistant('edited by the user') : message))
    expect((await edited.beforeModelCall(changed)).report.outcome).toBe('unchanged')
    expect(edited.state().checkpoints).toEqual([])
  })

  it('6. three tiers, each of which ends the ladder: head and tail, references, a fast model', async () => {
    const read = (id: string, lines: number) => step('read_file', id, { path: `${id}.ts` }, fileText(id, lines))
    const big = history(user('go'), read('a', 300), read('b', 300), read('c', 20), read('d', 20), read('e', 20), user('on'))
    const first = await sessionWith(waiting, { limits: { contextWindow: 18_000, maxOutput: 2_000 } }).beforeModelCall(big)
    expect(first.report.plan.edits.map((edit) => edit.kind)).toEqual(['view', 'view'])
    expect(first.report.outcome).toBe('pruned')
    for (const edit of first.report.plan.edits) {
      expect(edit.text).toContain('aValue0'.replace('a', edit.callId))
      expect(edit.text).toContain(`${edit.callId}Value299`)
    }
    const many = history(user('go'), ...Array.from({ length: 24 }, (_, at) => read(`f${at}`, 40)).flat(), user('on'))
    const second = await sessionWith(waiting, { limits: { contextWindow: 32_000, maxOutput: 2_000 } }).beforeModelCall(many)
    expect(second.report.outcome).toBe('pruned')
    expect(second.report.plan.edits.some((edit) => edit.kind === 'aged' && edit.text.includes('read_file({"path":"f0.ts"})'))).toBe(true)
    const summarizer = fakeSummarizer()
    const talk = history(
      ...Array.from({ length: 40 }, (_, at) => [user(`question ${at} ${'words '.repeat(60)}`), assistant(`answer ${at} ${'words '.repeat(60)}`)]).flat(),
    )
    const third = await sessionWith(waiting, { limits: { contextWindow: 10_000, maxOutput: 2_000 }, summarizer }).beforeModelCall(talk)
    expect(third.report.outcome).toBe('summarized')
    expect(summarizer.requests.length).toBeGreaterThan(0)
  })

  it('7. keeps intent, task, changes, decisions, failures and errors; references to what can be read again; drops the rest', async () => {
    const chatty = history(full, assistant('You are very welcome! Have a great day.'), user('Next: the cache of module5.'))
    const { messages } = await sessionWith({ ...waiting, trigger: { ...waiting.trigger, emergency: null } } as never, {
      limits: { contextWindow: 16_000, maxOutput: 2_000 },
    }).beforeModelCall(chatty)
    const text = textsOf(messages)
    for (const kept of [
      'Request 0: make module0',
      'src/module0/index.ts',
      'because start-up reads 3 files',
      'npm run migrate -- --fast',
      'migration lock held by worker-7',
      'measure module',
    ]) {
      expect(text).toContain(kept)
    }
    expect(text).toContain('src/module1/part2.ts')
    expect(text).not.toContain(fileText('m0p0', 45))
  })

  it('8. a fast model for the background, the full one for a focus and for a handoff into a new thread', async () => {
    const [fast, thorough] = [fakeSummarizer(), fakeSummarizer()]
    const session = sessionWith(bare, { limits, summarizer: fast, fullSummarizer: thorough })
    await session.beforeModelCall(full)
    expect([fast.requests.length, thorough.requests.length]).toEqual([1, 0])
    await session.compact(full, { focus: 'tests' })
    expect([fast.requests.length, thorough.requests.length]).toEqual([1, 1])
    await session.background([...full, user('go on')], { focus: 'the migration' }).done
    expect(thorough.requests.at(-1)?.prompt).toContain('Dwell on this above all: the migration')
    // What a person scheduled, as well as what a person does by hand.
    const scheduled = sessionWith(bare, { limits, summarizer: fast, fullSummarizer: thorough })
    await scheduled.schedule({ by: 'user' })
    await scheduled.beforeModelCall(full)
    expect([fast.requests.length, thorough.requests.length]).toEqual([1, 3])
    const before = JSON.stringify(session.state())
    const handed = await session.handoff(full, { focus: 'release notes' })
    expect(thorough.requests).toHaveLength(4)
    expect(handed).toContain('The new conversation is about: release notes')
    expect(handed).toContain('npm run migrate -- --fast')
    expect(JSON.stringify(session.state())).toBe(before)
    const fresh = compactorWith(waiting, { limits }).session('new')
    expect((await fresh.beforeModelCall(history(user(handed)))).report.outcome).toBe('unchanged')
  })

  it('9. metrics: compression, cache share, failed approaches retained, section completeness', async () => {
    const { report } = await sessionWith(bare, { limits }).beforeModelCall(full)
    expect(report.compression).toBeCloseTo(report.tokens.after / report.tokens.before)
    expect(report.cacheable).toBeGreaterThan(0)
    expect(report.quality?.failedAttempts).toEqual({ known: 1, kept: 1 })
    expect(report.quality?.missing).toEqual([])
    const failures = history(
      user('try'),
      ...Array.from({ length: 60 }, (_, at) => [
        ...step('run', `r${at}`, { command: `attempt-${at} --flag` }, `Error: attempt ${at} broke at step ${at}\nexit code ${at + 1}`),
        ...step('read_file', `p${at}`, { path: `p${at}.ts` }, fileText(`p${at}`, 20)),
      ]).flat(),
      user('what now?'),
    )
    const many = await sessionWith(bare, { limits }).compact(failures)
    expect(many.report.quality?.failedAttempts.known).toBeGreaterThan(40)
    expect(many.report.quality?.failedAttempts.kept).toBe(many.report.quality?.failedAttempts.known)
    const text = textsOf(many.messages)
    for (let at = 0; at < 50; at++) expect(text).toContain(`attempt-${at} `)
  })
})
