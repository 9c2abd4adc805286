import { type Message, memoryStorage, mergePolicy, presets, usableInput } from '@precis/core'
import { assistant, fakeExporter, fakeSummarizer, history, marker, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession, compactorWith, fileText, sessionWith, textsOf, usage } from './setup.ts'

const { pivot } = presets
const full = codingSession({ turns: 6, steps: 4, lines: 60 })

describe('pivot', () => {
  it('1. is over when input + cacheRead + output exceed the usable input, and never in an unlimited window', async () => {
    expect(usableInput({ contextWindow: 20_000, maxOutput: 2_000 }, 32_000)).toBe(18_000)
    expect(usableInput({ contextWindow: 200_000, maxOutput: 64_000 }, 32_000)).toBe(168_000)
    expect(usableInput({ contextWindow: 200_000, maxInput: 150_000 }, 32_000)).toBe(150_000)
    const asked = history(user('hi'))
    const decided = async (counts: ReturnType<typeof usage>, window = 20_000) => {
      const session = sessionWith(pivot, { limits: { contextWindow: window, maxOutput: 2_000 } })
      await session.beforeModelCall(asked)
      session.afterModelCall({ usage: counts })
      return session.plan([...asked, assistant('ok')]).decision
    }
    // Reported prompts are checked for sense against what was sent, so the estimate stays out of it: used is what was billed.
    expect((await decided(usage(1_000, { cacheRead: 200, output: 16_800 }))).reason).toBe('soft')
    expect((await decided(usage(1_000, { cacheRead: 200, output: 16_801 }))).reason).toBe('hard')
    expect((await decided(usage(1_000, { cacheRead: 200, output: 900_000 }), 0)).action).toBe('none')
  })

  it('2. checks after each finished step, unless auto is off', async () => {
    const session = sessionWith(pivot)
    const outcomes: string[] = []
    for (let end = 4; end <= full.length; end += 4) outcomes.push((await session.beforeModelCall(full.slice(0, end))).report.outcome)
    expect(outcomes).toContain('unchanged')
    expect(outcomes).toContain('summarized')
    const manual = sessionWith({ ...pivot, trigger: { ...pivot.trigger, auto: false } })
    expect((await manual.beforeModelCall(full)).report.outcome).toBe('unchanged')
  })

  it('3. is a queued job: a marker in the stream or in the state, kept over a crash', async () => {
    const storage = memoryStorage()
    const short = codingSession({ turns: 2, steps: 2, lines: 40 })
    const first = compactorWith(pivot, { storage, summarizer: fakeSummarizer('throws') }).session('s')
    await first.schedule({ by: 'loop', focus: 'the settings' })
    expect(first.state().pending).toEqual({ by: 'loop', focus: 'the settings' })
    // The process ends here; another one makes the next call.
    const summarizer = fakeSummarizer()
    const second = compactorWith(pivot, { storage, summarizer }).session('s')
    const { report } = await second.beforeModelCall(short)
    expect(report.plan.decision.reason).toBe('marker')
    expect(report.outcome).toBe('summarized')
    expect(summarizer.requests[0]?.prompt).toContain('the settings')
    expect(second.state().pending).toBeUndefined()
    expect((await second.beforeModelCall(short)).report.outcome).toBe('projected')

    const inStream = sessionWith(pivot)
    const withMarker = [...short, marker(true), user('go on')]
    const executed = await inStream.beforeModelCall(withMarker)
    expect(executed.report.plan.decision.reason).toBe('marker')
    expect(executed.messages.some((message) => message.parts.some((part) => part.type === 'marker'))).toBe(false)
    expect((await inStream.beforeModelCall(withMarker)).report.outcome).toBe('projected')
  })

  it('4. asks a summarizer without tools: its own model where there is one, otherwise the one that is given', async () => {
    const [fast, thorough] = [fakeSummarizer(), fakeSummarizer()]
    const session = sessionWith(pivot, { summarizer: fast, fullSummarizer: thorough })
    await session.beforeModelCall(full)
    expect([fast.requests.length, thorough.requests.length]).toEqual([1, 0])
    // A request is two texts: there is no place for tools in it.
    expect(Object.keys(fast.requests[0] ?? {})).not.toContain('tools')
    expect(fast.requests[0]?.system).toContain('call no tools')
  })

  it('5. puts an assistant message flagged as summary, and an event says so', async () => {
    const exporter = fakeExporter()
    const compactor = compactorWith(pivot, { exporters: [exporter] })
    const { messages } = await compactor.session('s').beforeModelCall(full)
    const summary = messages.find((message) => textsOf([message]).startsWith('<context-summary version="1">'))
    expect(summary?.role).toBe('assistant')
    await compactor.flush()
    expect(exporter.events.map((event) => event.event)).toEqual(
      expect.arrayContaining(['compact.summary_created', 'compact.checkpoint_committed', 'compact.finished']),
    )
  })

  it('6. appends a user message to go on, after automatic compactions only, in words of the policy', async () => {
    const { continuation } = pivot.summary
    const alone = [...codingSession({ turns: 1, steps: 30, lines: 60 })]
    const automatic = await sessionWith(pivot).beforeModelCall(alone)
    const at = automatic.messages.findIndex((message) => textsOf([message]).startsWith('<context-summary'))
    expect(automatic.messages[at + 1]?.role).toBe('user')
    expect(textsOf([automatic.messages[at + 1] as Message])).toBe(continuation)
    const silent = await sessionWith({ ...pivot, summary: { ...pivot.summary, continuation: null } }).beforeModelCall(alone)
    // Without a word to go on the summary is the user's, and answers no question.
    expect(silent.messages.length).toBe(automatic.messages.length - 2)
    // Not for somebody who asked, not in front of a request that is still open, not when the summary failed.
    const manual = await sessionWith(pivot).compact(alone)
    const open = await sessionWith(pivot).beforeModelCall(full)
    const failed = await sessionWith(mergePolicy(pivot, { summary: { author: 'model' } }), { summarizer: fakeSummarizer('throws') }).beforeModelCall(alone)
    expect(failed.report.outcome).toBe('degraded')
    for (const { messages } of [manual, open, failed]) {
      expect(textsOf(messages)).toContain('<context-summary')
      expect(textsOf(messages)).not.toContain(continuation)
    }
  })

  it('7. begins at the newest marker with a completed summary; an unfinished one is ignored', async () => {
    const failing = sessionWith({ ...pivot, summary: { ...pivot.summary, author: 'model' } }, { summarizer: fakeSummarizer('throws') })
    const stop = new AbortController()
    stop.abort(new Error('crash'))
    await expect(failing.compact(full, { signal: stop.signal })).rejects.toThrow('crash')
    const early = full.slice(0, 10)
    expect(failing.state().checkpoints).toEqual([])
    expect((await failing.beforeModelCall(early)).messages).toBe(early)
    const session = sessionWith(pivot)
    const first = await session.compact(full)
    const grown = [...full, assistant('more'), user('and now?')]
    const next = await session.beforeModelCall(grown)
    const summaries = next.messages.filter((message) => textsOf([message]).startsWith('<context-summary'))
    expect(summaries).toHaveLength(1)
    expect(next.messages.length).toBe(first.messages.length + 2)
    const again = await session.compact(grown)
    expect(textsOf(again.messages)).toContain('version="2"')
    expect(textsOf(again.messages)).not.toContain('version="1"')
  })

  it('8. hides old outputs: the last two user turns and 40,000 tokens stay, 20,000 must be freed, skills never, originals remain', async () => {
    const big = (id: string): string => fileText(id, 600)
    const turns = Array.from({ length: 8 }, (_, turn) => [
      user(`turn ${turn}`),
      ...step('read_file', `o${turn}`, { path: `f${turn}` }, big(`o${turn}`)),
      assistant('read'),
    ]).flat()
    const source = history(user('rules'), step('skill', 'skill', { name: 'review' }, big('skill')), assistant('noted'), turns)
    const session = sessionWith(pivot, { limits: { contextWindow: 1_000_000 } })
    const { messages, report } = await session.beforeModelCall(source)
    expect(report.plan.decision.reason).toBe('maintenance')
    const hidden = report.plan.edits.map((edit) => edit.callId)
    expect(report.plan.edits.every((edit) => edit.kind === 'aged')).toBe(true)
    expect(hidden).not.toContain('skill')
    expect(hidden).not.toContain('o7')
    expect(hidden).not.toContain('o6')
    expect(hidden[0]).toBe('o0')
    const freed = report.plan.edits.reduce((sum, edit) => sum + edit.freed, 0)
    expect(freed).toBeGreaterThan(20_000)
    // Marked, not deleted: the caller's messages are as they were, the model sees a line for each.
    expect(textsOf(source)).toContain(big('o0'))
    expect(textsOf(messages)).toContain('[old output, not shown any more: read_file({"path":"f0"})')
    // Less than the minimum is left alone.
    const few = sessionWith(pivot, { limits: { contextWindow: 1_000_000 } })
    expect((await few.beforeModelCall(source.slice(0, 22))).report.outcome).toBe('unchanged')
    // In one long turn finished steps protect instead of user turns.
    const single = history(user('go'), Array.from({ length: 9 }, (_, at) => step('read_file', `s${at}`, { path: `f${at}` }, big(`s${at}`))).flat())
    const once = await sessionWith(pivot, { limits: { contextWindow: 1_000_000 } }).beforeModelCall(single)
    expect(once.report.plan.edits.map((edit) => edit.callId)).toContain('s0')
  })

  it('9. prompts: a system text, an instruction that asks for a text to go on from, lines of the host', async () => {
    const summarizer = fakeSummarizer()
    await sessionWith({ ...pivot, summary: { ...pivot.summary, directives: ['The branch is release/7.'] } }, { summarizer }).beforeModelCall(full)
    const [request] = summarizer.requests
    expect(request?.style).toBe('narrative')
    expect(request?.system).toContain('Another instance of the assistant will go on from your text alone')
    expect(request?.prompt).toMatch(/handover[\s\S]*what comes next/)
    expect(request?.prompt).toContain('- The branch is release/7.')
    // The marker asks for nothing by itself: it is never shown to a model.
    expect(request?.prompt).not.toContain('marker')
  })

  it('10. configuration: auto, pruning, summarizer, thresholds and estimator each make a difference', async () => {
    const off = sessionWith({ ...pivot, prune: { ...pivot.prune, maintain: [], ladder: [] } })
    expect((await off.beforeModelCall(full)).report.plan.edits).toEqual([])
    const early = sessionWith(mergePolicy(pivot, { trigger: { hard: { fraction: 0.3 }, target: { fraction: 0.2 } } }))
    expect((await early.beforeModelCall(full.slice(0, 20))).report.outcome).not.toBe('unchanged')
    const heavy = sessionWith(pivot, { estimator: { name: 'tenfold', count: (text) => text.length * 3 } })
    expect((await heavy.beforeModelCall(full.slice(0, 12))).report.outcome).not.toBe('unchanged')
  })
})
