import { builtInEstimator, mergePolicy, presets, uncalibrated, viewOutput } from '@precis/core'
import { assistant, fakeExporter, fakeSummarizer, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { calibrateByRatio } from '../../src/budget/calibrate.ts'
import { codingSession, compactorWith, fileText, sessionWith, textsOf, usage } from './setup.ts'

const { calibrated } = presets
const session6 = codingSession({ turns: 6, steps: 3, lines: 33 })

describe('calibrated', () => {
  it('1. effective = estimate × factor + overhead; the factor follows what was counted, slowly and within bounds', async () => {
    const once = calibrateByRatio(uncalibrated, 1_000, 1_500)
    expect(once.factor).toBeCloseTo(0.8 + 0.2 * 1.5)
    expect(calibrateByRatio({ factor: 3, overhead: 0 }, 100, 10_000).factor).toBe(3)
    expect(calibrateByRatio({ factor: 0.5, overhead: 0 }, 10_000, 1).factor).toBe(0.5)
    const session = sessionWith(calibrated, { limits: { contextWindow: 100_000, maxOutput: 2_000 } })
    const call = { overhead: { tools: 700, memory: 300 } }
    const first = await session.beforeModelCall(session6.slice(0, 8), call)
    const estimate = first.report.tokens.after
    session.afterModelCall({ usage: usage(Math.round(estimate * 1.2), { cacheRead: Math.round(estimate * 0.3) }) })
    const { factor } = session.state().calibration
    expect(factor).toBeCloseTo(0.8 + 0.2 * 1.5, 2)
    const next = session.plan(session6.slice(0, 8), call)
    expect(next.tokens.before).toBeCloseTo((estimate - 1_000) * factor + 1_000, -2)
  })

  it('2. thresholds are fractions of window − maxOutput: hard − reserve, never below a tenth', async () => {
    const plan = sessionWith(calibrated, { limits: { contextWindow: 12_000, maxOutput: 2_000 } }).plan(session6)
    expect(plan.decision.usable).toBe(10_000)
    const used = (fraction: number) => {
      const short = history(user('x'.repeat(10)))
      const session = sessionWith(calibrated, {
        limits: { contextWindow: 12_000, maxOutput: 2_000 },
        estimator: { name: 'set', count: (text) => (text.startsWith('x') ? Math.round(10_000 * fraction) - 4 : 1) },
      })
      return session.plan(short).decision
    }
    expect(used(0.74).reason).toBe('soft')
    expect(used(0.75).reason).not.toBe('soft')
    const reserved = sessionWith(mergePolicy(calibrated, { trigger: { hard: { fraction: 0.2 }, target: { fraction: 0.05 }, reserve: { fraction: 0.15 } } }))
    expect(reserved.plan(history(user('x'))).decision.action).toBe('none')
  })

  it('3. gates before each submit and after each batch of tool results', async () => {
    const session = sessionWith(calibrated)
    let acted = 0
    for (let end = 2; end <= session6.length; end++) {
      const { report } = await session.beforeModelCall(session6.slice(0, end))
      if (report.outcome === 'summarized') acted++
      expect(report.tokens.after).toBeLessThanOrEqual(18_000)
    }
    expect(acted).toBeGreaterThan(0)
  })

  it('4. keeps the last six messages, moves the split to a safe place, and falls back when the model fails', async () => {
    const summarizer = fakeSummarizer()
    const { report, messages } = await sessionWith(calibrated, { summarizer }).beforeModelCall(session6)
    expect(summarizer.requests).toHaveLength(1)
    const tail = report.plan.keep.filter((index) => index >= session6.length - 6)
    expect(tail).toHaveLength(6)
    // However large they are, while the budget is not exceeded.
    const six = history(...session6, ...[1, 2, 3].flatMap((at) => [user(`Look at ${at}: ${'words '.repeat(1_500)}`), assistant('done')]))
    const large = await sessionWith(calibrated, { summarizer: fakeSummarizer(), limits: { contextWindow: 16_000, maxOutput: 2_000 } }).beforeModelCall(six)
    expect(large.report.plan.keep.filter((index) => index >= six.length - 6)).toHaveLength(6)
    const first = report.plan.keep.find((index) => index > 1 && session6[index]?.role !== 'system' && index >= session6.length - 8) ?? 0
    expect(session6[first]?.role).not.toBe('tool')
    expect(messages.at(-1)).toBe(session6.at(-1))
    for (const fault of ['throws', 'empty'] as const) {
      const failing = sessionWith(calibrated, { summarizer: fakeSummarizer(fault) })
      const fallen = await failing.beforeModelCall(session6)
      expect(fallen.report.outcome).toBe('emergency')
      expect(textsOf(fallen.messages)).toContain('older messages are left out')
      expect(fallen.report.tokens.after).toBeLessThanOrEqual(18_000)
    }
  })

  it('5. from 0.95 on no model is asked: the newest stay, a notice says that history was lost', async () => {
    const summarizer = fakeSummarizer()
    const over = codingSession({ turns: 9, steps: 4, lines: 60 })
    const { report, messages } = await sessionWith(calibrated, { summarizer, limits: { contextWindow: 12_000, maxOutput: 2_000 } }).beforeModelCall(over)
    expect(report.plan.decision.action).toBe('emergency')
    expect(summarizer.requests).toHaveLength(0)
    expect(report.plan.drop.length).toBeGreaterThan(0)
    expect(textsOf(messages)).toMatch(/\d+ older messages are left out/)
    expect(textsOf(messages)).not.toContain('### ')
    expect(messages.at(-1)).toBe(over.at(-1))
  })

  it('6. asks for exactly six sections, or for prose', async () => {
    const [six, prose] = [fakeSummarizer(), fakeSummarizer()]
    await sessionWith(calibrated, { summarizer: six }).beforeModelCall(session6)
    expect(six.requests[0]?.requiredSections).toEqual([
      'Active Task',
      'Key Decisions & Rationale',
      'Files & Artifacts',
      'Constraints & Requirements',
      'Pending Items',
      'Session Narrative',
    ])
    await sessionWith(presets.calibratedInteractive, { summarizer: prose }).compact(session6)
    expect(prose.requests[0]?.style).toBe('narrative')
    expect(prose.requests[0]?.requiredSections).toEqual([])
  })

  it('7. cuts results before they enter, by the shape that the tool declares; the engine names no tools', async () => {
    const long = fileText('long', 1_500)
    const limits = { tokens: 4_000, lineLength: 2_000 }
    const headTail = viewOutput(long, 'head-tail', limits, builtInEstimator).split('\n')
    expect(headTail.findIndex((line) => line.includes('left out'))).toBe(60)
    expect(headTail).toHaveLength(60 + 1 + 40)
    const matches = viewOutput(long, 'match-list', limits, builtInEstimator).split('\n')
    expect(matches[0]).toBe(long.split('\n')[0])
    expect(matches.at(-1)).toMatch(/lines, \d+ bytes left out; run the tool again with a narrower range/)
    const file = viewOutput(long, 'file-content', limits, builtInEstimator).split('\n')
    expect(file.at(-1)).toBe(long.split('\n').at(-1))
    expect(file[0]).toBe(long.split('\n')[0])
    expect(viewOutput(long, 'generic', limits, builtInEstimator).length).toBeLessThan(long.length)
    for (const text of [headTail, matches, file]) expect(builtInEstimator.count(text.join('\n'))).toBeLessThanOrEqual(4_000)

    const session = sessionWith(calibrated, { limits: { contextWindow: 200_000 }, tools: { anything: { shape: 'head-tail' } } })
    const source = history(user('go'), step('anything', 'a', {}, long))
    const { messages, report } = await session.beforeModelCall(source)
    expect(textsOf(messages)).toContain('left out')
    expect(report.plan.edits[0]).toMatchObject({ callId: 'a', kind: 'view', arrival: true })
    expect(session.state().checkpoints).toEqual([])
    // The view is the same at every call: the provider's cache keeps its prefix.
    const grown = [...source, ...step('anything', 'b', {}, 'short')]
    const again = await session.beforeModelCall(grown)
    expect(again.messages.slice(0, 3).map((message) => textsOf([message]))).toEqual(messages.map((message) => textsOf([message])))
  })

  it('8. an event tells tokens before and after, the strategy, and when', async () => {
    const exporter = fakeExporter()
    const compactor = compactorWith(calibrated, { exporters: [exporter], summarizer: fakeSummarizer() })
    await compactor.session('s').beforeModelCall(session6)
    await compactor.flush()
    const finished = exporter.events.find((event) => event.event === 'compact.finished')
    expect(finished?.attributes).toMatchObject({ outcome: 'summarized', strategy: 'checkpoint', turn: 4 })
    expect(Number(finished?.attributes['tokens_before'])).toBeGreaterThan(Number(finished?.attributes['tokens_after']))
    expect(exporter.events.find((event) => event.event === 'compact.summary_created')?.attributes['style']).toBe('checkpoint')
  })

  it('9. the keys and both profiles', () => {
    expect(calibrated).toMatchObject({
      trigger: { hard: { fraction: 0.85 }, reserve: { fraction: 0.1 }, emergency: { fraction: 0.95 } },
      retain: { messages: 6 },
      prune: { view: { tokens: 4_000, when: 'arrival' } },
      summary: { style: 'checkpoint' },
    })
    expect(presets.calibratedLongRun).toMatchObject({
      trigger: { hard: { fraction: 0.65 }, reserve: { fraction: 0.12 } },
      retain: { messages: 15 },
      prune: { view: { tokens: 2_000 } },
      summary: { style: 'checkpoint' },
    })
    expect(presets.calibratedInteractive).toMatchObject({
      trigger: { hard: { fraction: 0.8 } },
      retain: { messages: 5 },
      prune: { view: { tokens: 8_000 } },
      summary: { style: 'narrative' },
    })
  })
})
