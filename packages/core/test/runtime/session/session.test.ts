import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CompactionReport,
  type CompactorOptions,
  createCompactor,
  estimateHistory,
  InsufficientBudgetError,
  InvalidConfigurationError,
  type Message,
  memoryStorage,
  type PolicyOverrides,
  presets,
  renderReport,
  type TokenUsage,
} from '@precis/core'
import {
  allText,
  assistant,
  brokenLaws,
  call,
  fakeClock,
  fakeExporter,
  fakeStorage,
  fakeSummarizer,
  generateHistory,
  history,
  image,
  neutralCodec,
  pinned,
  result,
  step,
  summarizerFaults,
  system,
  user,
} from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const limits = { contextWindow: 6_000, maxOutput: 500 }
const long = generateHistory(101, { turns: 25 })
const make = (options: Partial<CompactorOptions<Message>> = {}) => createCompactor<Message>({ codec: neutralCodec, limits, clock: fakeClock(), ...options })
const sound = (source: readonly Message[], context: readonly Message[], report: CompactionReport): void => {
  expect(brokenLaws({ history: source, context, plan: report.plan, tokens: { after: report.tokens.after, budget: report.tokens.budget } })).toEqual([])
}

describe('a session', () => {
  it('does nothing to what fits: the very same array', async () => {
    const short = history(user('hi'))
    const { messages, report } = await make().session('s').beforeModelCall(short)
    expect(messages).toBe(short)
    expect(report.outcome).toBe('unchanged')
  })

  it('compacts, and shows the same context again without asking twice', async () => {
    const summarizer = fakeSummarizer()
    const session = make({ summarizer }).session('s')
    const first = await session.beforeModelCall(long)
    expect(first.report.outcome).toBe('summarized')
    sound(long, first.messages, first.report)
    const again = await session.beforeModelCall(long)
    expect(again.report.outcome).toBe('projected')
    again.messages.forEach((message, at) => {
      expect(message).toBe(first.messages[at])
    })
    expect(summarizer.requests).toHaveLength(1)
  })

  it('recognizes a clone of the same history by content', async () => {
    const session = make().session('s')
    const first = await session.beforeModelCall(long)
    const clone = structuredClone(long) as readonly Message[]
    expect(allText((await session.beforeModelCall(clone)).messages)).toBe(allText(first.messages))
  })

  it('recognizes its own context carried forward, and keeps the whole history behind it', async () => {
    const session = make().session('s')
    const first = await session.beforeModelCall(long)
    const carried = [...first.messages, assistant('more'), user('go on')]
    const second = await session.beforeModelCall(carried)
    expect(second.report.plan.keep.length + second.report.plan.represented.length).toBe(long.length + 2)
  })

  it('updates its summary instead of beginning anew', async () => {
    const summarizer = fakeSummarizer()
    const session = make({ summarizer }).session('s')
    await session.beforeModelCall(long)
    await session.beforeModelCall([...long, ...generateHistory(102, { turns: 25 })])
    expect(summarizer.requests.at(-1)?.prompt).toContain('<memory>')
    expect(session.state().checkpoints.at(-1)?.version).toBe(2)
  })

  it('an edited, rewound or forked history gets its own context', async () => {
    const session = make().session('s')
    await session.beforeModelCall(long)
    const edited = [user('something else entirely'), ...long.slice(1, 6)]
    expect((await session.beforeModelCall(edited)).messages).toEqual(edited)
    await session.rewind()
    expect(session.state().checkpoints).toEqual([])
    const plan = session.plan(long)
    expect(plan.represented).toEqual([])
  })

  it('compacts on request, with a focus', async () => {
    const summarizer = fakeSummarizer()
    const medium = generateHistory(103, { turns: 8 })
    const { report } = await make({ limits: { contextWindow: 100_000 }, summarizer })
      .session('s')
      .compact(medium, { focus: 'the cache' })
    expect(summarizer.requests[0]?.prompt).toContain('the cache')
    expect(report.tokens.after).toBeLessThan(report.tokens.before * 0.65)
    expect(renderReport(report)).toContain('summarized (manual)')
  })

  it('a plan changes nothing', () => {
    const session = make().session('s')
    const plan = session.plan(long)
    expect(plan.summarize.length).toBeGreaterThan(0)
    expect(session.state().checkpoints).toEqual([])
    expect(session.plan(long)).toEqual(plan)
  })

  it('switched off, compacts on request only', async () => {
    const session = make({ policy: { trigger: { auto: false } } }).session('s')
    expect((await session.beforeModelCall(long)).messages).toBe(long)
    expect((await session.compact(long)).report.outcome).toBe('summarized')
  })

  it('without known limits waits for a refusal', async () => {
    const session = make({ limits: () => undefined }).session('s')
    const sent = await session.beforeModelCall(long)
    expect(sent.messages).toBe(long)
    const prepared = await session.recover(
      long,
      new Error("This model's maximum context length is 4000 tokens. However, you requested 9500 tokens (9000 in the messages, 500 in the completion)."),
    )
    expect(prepared?.report.tokens.after).toBeLessThan(4_000)
    expect(session.state().calibration.learnedWindow).toBe(4_000)
    expect(await session.recover(long, new Error('Rate limit'))).toBeUndefined()
  })

  it('counts from what the provider measured', async () => {
    const session = make().session('s')
    const part = generateHistory(104, { turns: 6 })
    const { report } = await session.beforeModelCall(part)
    session.afterModelCall({ usage: { input: report.tokens.after * 2, cacheRead: 0, cacheWrite: 0, output: 10 } })
    const next = session.plan([...part, assistant('ok'), user('next')])
    expect(next.decision.used).toBeGreaterThan(report.tokens.after * 2)
    session.afterModelCall({ usage: undefined })
  })

  it('counts what is sent, not what a broken history holds', async () => {
    const session = make().session('s')
    const unsent = result('nobody asked', 'word '.repeat(3_000))
    const broken = history(user('go'), call('tests', '1'), result('1', 'passed'), unsent, call('tests', '2'), user('and now?'))
    const { messages, report } = await session.beforeModelCall(broken)
    expect(report.outcome).toBe('unchanged') // what is left out anyway needs no compaction
    const sent = estimateHistory(messages)
    expect(report.tokens.after - sent).toBeGreaterThanOrEqual(0)
    expect(report.tokens.after - sent).toBeLessThan(20)
    session.afterModelCall({ usage: { input: sent, cacheRead: 0, cacheWrite: 0, output: 10 } })
    expect(session.state().calibration.factor).toBeGreaterThan(0.8)
  })

  it.each([
    ['nothing', { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }],
    ['no number', { input: Number.NaN, cacheRead: 0, cacheWrite: 0, output: 10 }],
    ['half of the counts', { input: 900, output: 10 }],
  ])('a provider that reports %s has measured nothing', async (_, usage) => {
    const session = make().session('s')
    const part = generateHistory(104, { turns: 6 })
    const { report } = await session.beforeModelCall(part)
    session.afterModelCall({ usage: usage as TokenUsage })
    expect(session.plan(part).decision.used).toBe(report.tokens.after)
    expect((await session.beforeModelCall(long)).report.outcome).toBe('summarized')
  })

  it('what a host adds and does not know counts as nothing', async () => {
    const overhead = { system: Number.NaN, tools: undefined as unknown as number, memory: 100 }
    const { report } = await make().session('s').beforeModelCall(long, { overhead, maxOutput: -1 })
    expect(report.outcome).toBe('summarized')
    expect(report.tokens.after).toBeLessThanOrEqual(report.tokens.budget ?? 0)
  })

  it('ignores what another model counted', async () => {
    const session = make().session('s')
    const part = generateHistory(104, { turns: 6 })
    await session.beforeModelCall(part, { model: 'a' })
    session.afterModelCall({ usage: { input: 4_000, cacheRead: 0, cacheWrite: 0, output: 10 } })
    expect(session.plan(part, { model: 'a' }).decision.used).toBe(4_000)
    expect(session.plan(part, { model: 'b' }).decision.used).not.toBe(4_000)
  })

  it('keeps pins, the newest request and the first one', async () => {
    const pin = pinned(user('Never delete the ledger.'))
    const source = history(user('First request.'), generateHistory(105, { turns: 10 }), pin, generateHistory(106, { turns: 10 }), user('Newest request.'))
    const { messages, report } = await make().session('s').beforeModelCall(source)
    sound(source, messages, report)
    expect(messages).toContain(pin)
    expect(messages[0]).toBe(source[0])
    expect(messages.at(-1)).toBe(source.at(-1))
  })

  it('leaves what stands before a provider’s own compaction alone', async () => {
    const barrier: Message = { role: 'assistant', parts: [{ type: 'opaque', kind: 'compaction', size: 400, barrier: true }] }
    const source = history(user('a'), barrier, user('b'), generateHistory(107, { turns: 25 }))
    const { report } = await make().session('s').beforeModelCall(source)
    expect(report.plan.keep.slice(0, 2)).toEqual([0, 1])
  })
})

describe('pruning before a summary', () => {
  const output = 'value '.repeat(900)
  it('replaces what a later call made worthless', async () => {
    const source = history(
      user('go'),
      step('read', 'a', { path: 'x' }, output),
      step('read', 'b', { path: 'y' }, 'small'),
      step('read', 'c', { path: 'x' }, output),
      user('next'),
    )
    const { messages, report } = await make({ limits: { contextWindow: 2_900, maxOutput: 500 }, policy: { trigger: { target: { fraction: 0.6 } } } })
      .session('s')
      .beforeModelCall(source)
    expect(report.outcome).toBe('pruned')
    expect(report.plan.edits).toMatchObject([{ index: 2, kind: 'duplicate' }])
    expect(report.prunedCallIds).toEqual(['a'])
    expect(allText(messages)).toContain('same output again below: read({"path":"x"}) returned 1 line')
    sound(source, messages, report)
  })
  it('ages outputs where the policy says so, and never those of protected tools', async () => {
    const source = history(
      user('go'),
      step('skill', 'a', {}, output),
      step('read', 'b', { path: 'b' }, output),
      step('read', 'c', { path: 'c' }, output),
      user('next'),
    )
    const policy = {
      trigger: { target: { fraction: 0.75 } },
      prune: {
        ladder: ['aged' as const],
        age: { protect: { tokens: 500 }, minimum: { tokens: 100 }, steps: 1 },
        tools: { 'sk*': { keep: 'always' as const } },
      },
    }
    const { report } = await make({ limits: { contextWindow: 3_400, maxOutput: 500 }, policy })
      .session('s')
      .beforeModelCall(source)
    expect(report.plan.edits.map((edit) => [edit.callId, edit.kind])).toEqual([['b', 'aged']])
  })
  it('shows a long output shorter, by the shape its tool declared', async () => {
    const lines = Array.from({ length: 900 }, (_, at) => `row ${at}`).join('\n')
    const source = history(user('go'), step('list', 'a', {}, lines), step('read', 'b', {}, 'x'), user('next'))
    const policy = {
      trigger: { target: { fraction: 0.7 } },
      prune: { view: { tokens: 300, lineLength: 200 }, tools: { list: { shape: 'match-list' as const } } },
    }
    const { messages, report } = await make({ limits: { contextWindow: 3_800, maxOutput: 500 }, policy })
      .session('s')
      .beforeModelCall(source)
    expect(report.plan.edits).toMatchObject([{ kind: 'view', callId: 'a' }])
    expect(allText(messages)).toContain('row 1\n')
    expect(allText(messages)).not.toContain('row 899')
  })
})

describe('when the summarizer fails', () => {
  it.each(summarizerFaults)('%s: the context is sound, nothing is lost, and the record takes over', async (fault) => {
    const summarizer = fakeSummarizer(fault)
    const exporter = fakeExporter()
    const compactor = make({ summarizer, exporters: [exporter], policy: { summary: { deadline: 60 } } })
    const session = compactor.session('s')
    const { messages, report } = await session.beforeModelCall(long)
    sound(long, messages, report)
    await compactor.flush()
    if (fault === 'injects') {
      expect(allText(messages).match(/<\/context-summary>/g)).toHaveLength(1)
      return
    }
    expect(report.outcome).toBe('degraded')
    expect(exporter.events.map((event) => event.event)).toContain('compact.summary_rejected')
    expect(session.state().checkpoints.at(-1)?.summary?.record).not.toBe('')
  })

  it('tries the fallback style once', async () => {
    const summarizer = fakeSummarizer('refuses', 1)
    const { report } = await make({ summarizer }).session('s').beforeModelCall(long)
    expect(summarizer.requests.map((request) => request.style)).toEqual(['structured', 'brief'])
    expect(report.outcome).toBe('summarized')
  })

  it('stops asking after three failures, until somebody asks for it', async () => {
    const summarizer = fakeSummarizer('throws')
    const session = make({ summarizer }).session('s')
    let source = long
    for (let round = 0; round < 5; round++) {
      await session.beforeModelCall(source)
      source = [...source, ...generateHistory(200 + round, { turns: 20 })]
    }
    const asked = summarizer.requests.length
    await session.beforeModelCall([...source, ...generateHistory(300, { turns: 20 })])
    expect(summarizer.requests.length).toBe(asked)
    await session.compact(source)
    expect(summarizer.requests.length).toBeGreaterThan(asked)
  })

  it('keeps what the last good summary said', async () => {
    const session = make({ summarizer: fakeSummarizer('none') }).session('s')
    await session.beforeModelCall(long)
    const good = session.state().checkpoints.at(-1)?.summary?.text ?? ''
    const storage = memoryStorage()
    await storage.put('sessions/s/state.json', JSON.stringify(session.state()))
    const next = make({ summarizer: fakeSummarizer('empty'), storage }).session('s')
    await next.beforeModelCall([...long, ...generateHistory(110, { turns: 20 })])
    expect(next.state().checkpoints.at(-1)?.summary?.text).toBe(good)
  })

  it('summarizes a long span in pieces that fit its window, then merges', async () => {
    const summarizer = { ...fakeSummarizer(), window: 3_500 }
    const session = make({ limits: { contextWindow: 60_000, maxOutput: 500 }, summarizer, policy: { summary: { tokens: { tokens: 600 } } } }).session('s')
    const { report } = await session.compact(generateHistory(111, { turns: 60 }))
    expect(report.outcome).toBe('summarized')
    expect(summarizer.requests.length).toBeGreaterThan(3)
    expect(summarizer.requests.at(-1)?.prompt).toContain('<stretch-1>')
    for (const request of summarizer.requests) expect(request.prompt.length / 4).toBeLessThan(3_500)
  })

  it('an abort is the caller’s: it rejects, and the session is as before', async () => {
    const stop = new AbortController()
    const session = make({ summarizer: fakeSummarizer('hangs') }).session('s')
    const running = session.beforeModelCall(long, { signal: stop.signal })
    await sleep(5)
    stop.abort(new Error('user stopped'))
    await expect(running).rejects.toThrow('user stopped')
    expect(session.state().checkpoints).toEqual([])
  })

  it('serves calls one after another: one summary, not two', async () => {
    const summarizer = fakeSummarizer()
    const session = make({ summarizer }).session('s')
    const [a, b] = await Promise.all([session.beforeModelCall(long), session.beforeModelCall(long)])
    expect(summarizer.requests).toHaveLength(1)
    expect(allText(a.messages)).toBe(allText(b.messages))
  })
})

describe('when the storage fails', () => {
  it.each(['get-throws', 'put-throws', 'conflicts', 'slow'] as const)('%s always: the agent goes on', async (fault) => {
    const { messages, report } = await make({ storage: fakeStorage(fault) })
      .session('s')
      .beforeModelCall(long)
    sound(long, messages, report)
    expect(report.outcome).toBe('summarized')
    expect(report.warnings.some((warning) => warning.includes('could not be stored'))).toBe(
      fault === 'put-throws' || fault === 'conflicts' || fault === 'get-throws',
    )
  })
  it('a second worker’s checkpoint is taken over, not overwritten', async () => {
    const storage = memoryStorage()
    const [one, two] = [make({ storage }).session('s'), make({ storage }).session('s')]
    const [a, b] = await Promise.all([one.beforeModelCall(long), two.beforeModelCall(long)])
    const stored = JSON.parse((await storage.get('sessions/s/state.json'))?.body ?? '{}') as { checkpoints: unknown[] }
    expect(stored.checkpoints).toHaveLength(1)
    expect(allText(a.messages)).toBe(allText(b.messages))
  })
  it('a state that is not ours is not used', async () => {
    const storage = memoryStorage()
    await storage.put('sessions/s/state.json', '{"format": 99}')
    const { report } = await make({ storage }).session('s').beforeModelCall(long)
    expect(report.outcome).toBe('summarized')
  })
  it('another process goes on where this one ended', async () => {
    const storage = memoryStorage()
    const first = await make({ storage }).session('s').beforeModelCall(long)
    const summarizer = fakeSummarizer()
    const second = await make({ storage, summarizer }).session('s').beforeModelCall(long)
    expect(allText(second.messages)).toBe(allText(first.messages))
    expect(summarizer.requests).toEqual([])
  })
})

describe('when an exporter fails', () => {
  it.each(['throws', 'rejects', 'blocks'] as const)('%s: neither the agent nor the others notice', async (fault) => {
    const good = fakeExporter()
    const compactor = make({ exporters: [fakeExporter(fault), good] })
    await compactor.session('s').beforeModelCall(long)
    await sleep(5)
    expect(good.events.map((event) => event.event)).toContain('compact.finished')
    if (fault !== 'blocks') await compactor.shutdown()
  })
  it('events carry numbers and names, never text', async () => {
    const exporter = fakeExporter()
    const compactor = make({ exporters: [exporter] })
    await compactor.session('s').beforeModelCall(history(user('SECRET-WORD begin'), long))
    await compactor.flush()
    expect(exporter.events.length).toBeGreaterThan(4)
    expect(JSON.stringify(exporter.events)).not.toContain('SECRET-WORD')
    const names = exporter.events.map((event) => event.event)
    expect(names.slice(0, 2)).toEqual(['compact.token_estimate', 'compact.trigger_decision'])
    expect(exporter.events.every((event) => event.session_id === 's' && !Number.isNaN(Date.parse(event.ts)))).toBe(true)
  })
})

describe('when it cannot fit', () => {
  it.each([
    ['system', { overhead: { system: 9_000 } }, long],
    ['tools', { overhead: { tools: 9_000 } }, long],
    ['memory', { overhead: { memory: 9_000 } }, long],
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

describe('configuration', () => {
  it('an estimator that returns no number is refused', () => {
    const count = async (text: string): Promise<number> => text.length
    expect(() => make({ estimator: { name: 'remote', count: count as unknown as () => number } })).toThrow(/estimator is "remote"/)
  })

  it('is checked when it is given', () => {
    expect(() => make({ limits: { contextWindow: 10 } })).toThrow(InvalidConfigurationError)
    expect(() => make({ policy: { trigger: { hard: { fraction: 2 } } } })).toThrow(InvalidConfigurationError)
    expect(() => createCompactor({ codec: undefined as never })).toThrow('codec')
  })
  it('role, continuation and style reach the context', async () => {
    const work = Array.from({ length: 40 }, (_, at) =>
      step('run', `r${at}`, { command: `make part-${at}` }, `part ${at}: ${'built and linked '.repeat(40)}`),
    ).flat()
    const policy = { summary: { role: 'assistant' as const, continuation: 'Continue the unfinished request.', style: 'brief' as const } }
    const { messages } = await make({ policy })
      .session('s')
      .beforeModelCall(history(system('You help.'), user('Do all of it.'), work))
    const summary = messages.find((message) => allText([message]).startsWith('<context-summary'))
    expect(summary?.role).toBe('assistant')
    expect(allText([summary as Message])).toContain('## Brief')
    // Behind an assistant's own words it is the user's side that goes on.
    const next = messages[messages.indexOf(summary as Message) + 1] as Message
    expect([next.role, allText([next])]).toEqual(['user', 'Continue the unfinished request.'])
    const asUser = await make({ policy: { summary: { continuation: 'Continue the unfinished request.' } } })
      .session('s')
      .beforeModelCall(history(user('Do all of it.'), work))
    expect(allText(asUser.messages)).toContain('</context-summary>\n\nContinue the unfinished request.')
    expect(presets.balanced.summary.continuation).toBeNull()
  })
  it('media cost what the policy says', () => {
    const media = { image: 50, document: 50, recording: 50, other: 50 }
    const source = history(image(), image('application/pdf'), user('what is this?'))
    const used = (options: Partial<CompactorOptions<Message>>) => make(options).session('s').plan(source).decision.used
    expect(used({})).toBeGreaterThan(7_000)
    expect(used({ policy: { trigger: { media } } })).toBeLessThan(200)
  })
  it('looks limits up by model', async () => {
    const seen: string[] = []
    const limitsOf = (model: string) => {
      seen.push(model)
      return model === 'small' ? limits : undefined
    }
    const session = make({ limits: limitsOf }).session('s')
    expect((await session.beforeModelCall(long, { model: 'large' })).messages).toBe(long)
    expect((await session.beforeModelCall(long, { model: 'small' })).report.outcome).toBe('summarized')
    expect(seen).toContain('small')
  })
  it('secrets do not reach the state', async () => {
    const storage = memoryStorage()
    const secret = `sk-proj-${'Z'.repeat(40)}`
    const source = history(user('go'), call('run', 'k', { command: `deploy ${secret}` }), result('k', 'done'), long)
    await make({ storage }).session('s').beforeModelCall(source)
    expect((await storage.get('sessions/s/state.json'))?.body).not.toContain(secret)
  })
})

describe('a host that appends to its own array', () => {
  it('is served like one that makes new ones', async () => {
    const own: Message[] = []
    const [mutating, copying] = [make().session('a'), make().session('b')]
    for (const message of long) {
      own.push(message)
      if (message.role === 'assistant') continue
      const [one, other] = [await mutating.beforeModelCall(own), await copying.beforeModelCall(own.slice())]
      expect(one.messages).toEqual(other.messages)
      expect(one.report.tokens).toEqual(other.report.tokens)
    }
  })
  it('even while a summary is being written', async () => {
    const own = [...long]
    const summarizer = {
      ...fakeSummarizer(),
      summarize: async (...args: Parameters<ReturnType<typeof fakeSummarizer>['summarize']>) =>
        fakeSummarizer()
          .summarize(...args)
          .finally(() => own.push(user('meanwhile'))),
    }
    const session = make({ summarizer }).session('s')
    const { messages } = await session.beforeModelCall(own)
    expect(messages.at(-1)).toBe(long.at(-1))
    expect((await session.beforeModelCall(own)).messages.at(-1)).toBe(own.at(-1))
  })
})
