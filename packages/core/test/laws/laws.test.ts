import { createCompactor, type Message, type PolicyOverrides, type PresetName, presets } from '@precis/core'
import { allText, brokenLaws, call, fakeClock, fakeSummarizer, generateHistory, neutralCodec, result, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits, run } from './run-laws.ts'

/** Fewer where only coverage is asked for, more every night. */
const runs = Number(process.env['LAW_RUNS'] ?? 600)

describe('laws on random histories', () => {
  it(`hold over chained compactions of ${runs} valid histories`, async () => {
    let compactions = 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 2_000, max: 12_000 }), fc.boolean(), async (seed, window, model) => {
        const history = generateHistory(seed, { turns: 8, output: 3_000, system: seed % 3 === 0 })
        const done = await run(history, window, 3, model ? { summarizer: fakeSummarizer() } : {})
        compactions += done.compactions
        expect(done.broken).toEqual([])
      }),
      { numRuns: runs, seed: 20_261_121 },
    )
    expect(compactions).toBeGreaterThan(runs) // a law that is never tested holds always
  }, 300_000)

  it('hold over twenty chained compactions and more', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const done = await run(generateHistory(seed, { turns: 150, output: 2_500 }), 3_500, 2)
      expect(done.broken).toEqual([])
      expect(done.compactions).toBeGreaterThan(20)
    }
  }, 120_000)

  it.each<[string, PolicyOverrides['summary']]>([
    ['a long word to go on', { continuation: 'Go on with what is left to do, step by step, and say what you did. '.repeat(8) }],
    ['an assistant as its author', { role: 'assistant', continuation: 'Go on.' }],
    ['a system message', { role: 'system' }],
    ['user messages made one', { neighbors: 'joined', continuation: 'Go on.' }],
  ])('hold with %s around the summary: all that is sent is counted', async (_, summary) => {
    for (const seed of [6, 7, 8]) {
      const done = await run(generateHistory(seed, { turns: 40, output: 3_000 }), 4_000, 3, { policy: { summary } as PolicyOverrides })
      expect(done.broken.filter((law) => /^(?:budget|measure)/.test(law))).toEqual([])
      expect(done.compactions).toBeGreaterThan(5)
    }
  })

  it.each<PolicyOverrides>([
    {},
    { trigger: { accounting: 'calibrated' } },
    { trigger: { accounting: 'calibrated' }, retain: { newestRequest: { tokens: 0 } } },
  ])('hold for what is measured: a word to go on that is not sent is not counted either (%j)', async (policy) => {
    const summary = { continuation: 'Go on with what is left to do. '.repeat(20) }
    for (const seed of [40_285_834, 40_285_835, 40_285_841]) {
      const done = await run(generateHistory(seed, { turns: 10, output: 3_000 }), 1_500, 1, { policy: { ...policy, summary }, skew: 1 })
      expect(done.broken.filter((law) => law.startsWith('calibration'))).toEqual([])
      expect(done.compactions).toBeGreaterThan(5)
    }
  })

  it.each<[string, PolicyOverrides]>([
    ['', {}],
    [', arguments too', { prune: { ladder: ['arguments', 'view'], arguments: { tokens: 20, steps: 0 } } }],
  ])('hold where what was redacted is longer than what stood there%s', async (_, policy) => {
    const redact = (text: string): string => text.replace(/\b(?:config|state|reads|parser|cache)\b/g, '[a-name-that-nobody-may-see:3f9a21]')
    for (const seed of [6, 7, 8]) {
      const done = await run(generateHistory(seed, { turns: 40, output: 3_000 }), 4_000, 3, { redact, policy })
      expect(done.broken.filter((law) => /^(?:budget|measure)/.test(law))).toEqual([])
      expect(done.compactions).toBeGreaterThan(5)
    }
  })

  it('hold on 300 broken histories: what the model is sent is valid all the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1e9 }), async (seed) => {
        const history = [user('begin'), ...generateHistory(seed, { turns: 5, broken: true })]
        const done = await run(history, 4_000, 4)
        expect(done.broken.filter((law) => !law.startsWith('identity'))).toEqual([])
      }),
      { numRuns: 300, seed: 7 },
    )
  }, 300_000)

  it('hold where every result comes late: a shortened one stays short when it moves back behind its call', async () => {
    const late = Array.from({ length: 15 }, (_, at) => [call('read', `c${at}`), user(`wait, ${at}`), result(`c${at}`, 'some words of it '.repeat(80))]).flat()
    const done = await run([user('begin'), ...late, user('go on')], 4_000, 60)
    expect(done.compactions).toBeGreaterThan(0)
    expect(done.broken.filter((law) => !law.startsWith('identity'))).toEqual([])
  })

  it('keep calls that wait for their results', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const history = generateHistory(seed, { turns: 6, pending: true })
      const done = await run(history, 3_000, 50, { pending: true })
      expect(done.broken).toEqual([])
    }
  })

  it('give the same bytes for the same input', async () => {
    const once = async (): Promise<string> => {
      const session = createCompactor({ codec: neutralCodec, limits: limits(5_000), clock: fakeClock() }).session('s')
      const { messages } = await session.beforeModelCall(generateHistory(11, { turns: 20 }))
      return allText(messages)
    }
    expect(await once()).toBe(await once())
  })
})

describe.each(Object.keys(presets) as PresetName[])('preset %s on random histories', (name) => {
  it('keeps every law over chained compactions, and its prefix between them', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const whole = generateHistory(seed * 31, { turns: 30, steps: 4, output: 3_000, system: seed % 2 === 0 })
      const session = createCompactor({
        codec: neutralCodec,
        limits: { contextWindow: 10_000, maxOutput: 1_000 },
        clock: fakeClock(),
        policy: presets[name],
      }).session('s')
      let before: { readonly messages: readonly Message[]; readonly checkpoint: string | undefined } | undefined
      for (let end = 1; end <= whole.length; end++) {
        if (whole[end - 1]?.role === 'assistant' || whole[end - 1]?.role === 'system' || whole[end]?.role === 'tool') continue
        const source = whole.slice(0, end)
        const { messages, report } = await session.beforeModelCall(source)
        const tokens = { after: report.tokens.after, budget: report.tokens.budget }
        expect(brokenLaws({ history: source, context: messages, plan: report.plan, tokens })).toEqual([])
        if (before !== undefined && before.checkpoint === report.checkpoint) {
          expect(JSON.stringify(messages.slice(0, before.messages.length))).toBe(JSON.stringify(before.messages))
        }
        before = { messages, checkpoint: report.checkpoint }
      }
    }
  })
})
