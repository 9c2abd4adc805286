import { createCompactor, InsufficientBudgetError, neutralCodec, type PolicyOverrides } from '@precis/core'
import { assistant, brokenLaws, fakeSummarizer, history, pinned, step, system, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { long, make, sound } from './setup.ts'

describe('when it cannot fit', () => {
  it.each([
    ['system', { overhead: { system: 9_000 } }, long],
    ['tools', { overhead: { tools: 9_000 } }, long],
    ['memory', { overhead: { memory: 9_000 } }, long],
    ['system', {}, history(system('word '.repeat(9_000)), user('hi'))],
    ['message', {}, history(user('word '.repeat(9_000)))],
    ['protected', {}, history(pinned(user('word '.repeat(9_000))), user('hi'))],
  ] as const)('names %s, before any money is spent', async (part, callOptions, source) => {
    const summarizer = fakeSummarizer()
    const failure = await make({ summarizer })
      .session('s')
      .beforeModelCall(source, callOptions)
      .catch((error: unknown) => error)
    expect(InsufficientBudgetError.isInstance(failure) && failure.culprit.part).toBe(part)
    expect(String(failure)).toMatch(/need|Shorten|fewer/)
    expect(summarizer.requests).toEqual([])
  })

  it('of a window that instructions outgrow, no more is available than there is', async () => {
    for (const system of [5_100, 9_000]) {
      const failure = await createCompactor({ codec: neutralCodec, limits: { contextWindow: 5_000 } })
        .session('s')
        .beforeModelCall(history(user('hi')), { overhead: { system } })
        .catch((error: unknown) => error)
      expect(InsufficientBudgetError.isInstance(failure) && failure.culprit.available).toBeLessThan(5_000)
    }
  })

  it('shortens the newest output rather than give up', async () => {
    const source = history(user('go'), step('cat', 'a', {}, `first line\n${'data 1234 '.repeat(9_000)}`))
    const { messages, report } = await make().session('s').beforeModelCall(source)
    sound(source, messages, report)
    expect(report.plan.edits).toHaveLength(1)
  })

  it('a request larger than the room stops the session, or is quoted where the policy says so', async () => {
    const task = `Repair loadLedger in src/ledger/reader.ts. ${'Some pasted words of prose. '.repeat(2_000)} Keep the file format of version 7731.`
    const source = history(user(task), step('cat', 'a', {}, 'x'), step('cat', 'b', {}, 'y'))
    const stopped = await make()
      .session('s')
      .beforeModelCall(source)
      .catch((error: unknown) => error)
    expect(InsufficientBudgetError.isInstance(stopped) && stopped.culprit.part).toBe('message')
    expect(String(stopped)).toMatch(
      /: the newest request \(message 0\) needs \d+ tokens, \d+ are available\. Shorten it, set retain\.newestRequest to \{ fraction: 0\.25 \}/,
    )
    const { messages, report } = await make({ policy: { retain: { newestRequest: { fraction: 0.25 } } } })
      .session('s')
      .beforeModelCall(source)
    expect(brokenLaws({ history: source, context: messages, plan: report.plan, tokens: { after: report.tokens.after, budget: report.tokens.budget } })).toEqual(
      ['pins: message 0 (user) is not in the context as it was'],
    )
    const shown = JSON.stringify(messages)
    for (const words of ['Repair loadLedger in src/ledger/reader.ts', 'file format of version 7731']) expect(shown).toContain(words)
  })

  it('words leave the record its share of a small room, and all of it to a record that is none', async () => {
    const orderWith = async (record: { tokens: number }) => {
      const policy: PolicyOverrides = { retain: { turns: 0, messages: 0, toolPairs: 0, tokens: { tokens: 0 } }, summary: { tokens: { tokens: 5_000 }, record } }
      const { report } = await make({ policy, summarizer: fakeSummarizer() }).session('s').beforeModelCall(long)
      return report.plan.summary
    }
    const both = await orderWith({ tokens: 5_000 })
    const alone = await orderWith({ tokens: 0 })
    expect((both?.tokens ?? 0) / (both?.room ?? 0)).toBeCloseTo(0.69, 1)
    expect((alone?.room ?? 0) - (alone?.tokens ?? 0)).toBeLessThan(60) // the lines around it
  })

  it('a summary becomes smaller where it is all that can, and no model is asked for that', async () => {
    const summarizer = fakeSummarizer()
    const session = make({ summarizer }).session('s')
    const before = [...long, user(`Look at this: ${'pasted words of a file '.repeat(900)}`)]
    const { report: first } = await session.beforeModelCall(before)
    expect(first.outcome).toBe('summarized')
    const asked = summarizer.requests.length
    const room = (first.tokens.budget ?? 0) - first.tokens.after
    const after = [...before, ...step('cat', 'z1', {}, 'short '.repeat(room + 200))]
    const { messages, report } = await session.beforeModelCall(after)
    sound(after, messages, report)
    expect(report.regions.after.summary).toBeLessThan(first.regions.after.summary)
    expect(summarizer.requests.length).toBe(asked)
  })

  it('says numbers that add up, and the option to change', async () => {
    const failure = await make()
      .session('s')
      .beforeModelCall(history(user('word '.repeat(4_300))), { overhead: { system: 4_500 } })
      .catch((error: unknown) => error)
    if (!InsufficientBudgetError.isInstance(failure)) throw failure
    const { part, tokens, available } = failure.culprit
    expect(part).toBe('system')
    expect(tokens).toBeGreaterThan(available)
    expect(String(failure)).toContain(`the system prompt needs ${tokens} tokens, ${available} are available`)
  })

  it('what leaves no room for a summary is sent without one, and what was left out is summarized when there is room again', async () => {
    const summarizer = fakeSummarizer()
    const session = make({ summarizer, limits: (model) => ({ contextWindow: model === 'small' ? 1_500 : 8_000, maxOutput: 90 }) }).session('s')
    const said = Array.from({ length: 6 }, (_, at) => [user(`Question ${at}?`), assistant('word '.repeat(100))]).flat()
    const before = [...said, user('word '.repeat(1_400))]
    const small = await session.beforeModelCall(before, { model: 'small' })
    sound(before, small.messages, small.report)
    expect([small.report.outcome, small.messages, summarizer.requests.length]).toEqual(['emergency', before.slice(-1), 0])
    expect([small.report.regions.after.summary, session.state().checkpoints.at(-1)?.summary]).toEqual([0, undefined])
    const after = [...before, assistant('done '.repeat(150)), user('And now?')]
    const { messages, report } = await session.beforeModelCall(after, { model: 'small' })
    sound(after, messages, report)
    expect([report.outcome, messages.length]).toEqual(['summarized', 3])
    expect(JSON.stringify(messages[0])).toContain('older messages are left out')
  })

  it('one message of two megabytes', async () => {
    const source = history(user('go'), step('cat', 'a', {}, 'x'), assistant('log line 12345 '.repeat(140_000)), user('and now?'))
    const { messages, report } = await make().session('s').beforeModelCall(source)
    sound(source, messages, report)
  })

  it('does not compact again and again where nothing can be won', async () => {
    const summarizer = fakeSummarizer()
    const session = make({ summarizer }).session('s')
    let source = history(pinned(user('word '.repeat(4_300))), user('begin'), assistant('ok'), user('go'))
    for (let round = 0; round < 12; round++) {
      source = [...source, assistant('ok'), user('go')]
      await session.beforeModelCall(source)
    }
    expect(session.state().checkpoints.length).toBeLessThanOrEqual(2)
  })
})
