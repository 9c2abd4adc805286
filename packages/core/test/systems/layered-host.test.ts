import { createArchive, createCompactor, type Exporter, type Message, memoryStorage, mergePolicy, neutralCodec, presets, promptTokens } from '@precis/core'
import { brokenLaws, fakeClock, fakeExporter, fakeSummarizer, generateHistory, history, result, summarizerFaults, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { full, layered, limits } from './layered.ts'
import { compactorWith, sessionWith, textsOf } from './setup.ts'

describe('layered', () => {
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
    expect(session.remembered(full).summary?.record).toContain('### Asked and done')
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
