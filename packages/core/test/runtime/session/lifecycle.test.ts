import { ConflictError, createArchive, type Message, memoryStorage, mergePolicy, presets, type SummaryRequest } from '@precis/core'
import { assistant, call, fakeExporter, fakeStorage, fakeSummarizer, history, image, marker, results, step, system, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession, compactorWith, fileText, sessionWith, textsOf } from '../../systems/setup.ts'

const { balanced } = presets
const limits = { contextWindow: 20_000, maxOutput: 2_000 }
const full = codingSession({ turns: 6, steps: 3, lines: 45 })

describe('a fork', () => {
  it('begins with the same summary and goes on alone', async () => {
    const compactor = compactorWith(balanced, { limits })
    const trunk = compactor.session('trunk')
    const before = await trunk.beforeModelCall(full)
    const branch = await compactor.fork('trunk', 'branch')
    expect(textsOf((await branch.beforeModelCall(full)).messages)).toBe(textsOf(before.messages))
    await branch.compact([...full, ...codingSession({ turns: 3, steps: 3, lines: 45 }).slice(1)], { focus: 'branch' })
    expect(branch.state().checkpoints).toHaveLength(2)
    expect(trunk.state().checkpoints).toHaveLength(1)
    await expect(compactor.fork('trunk', 'branch')).rejects.toSatisfy((error) => ConflictError.isInstance(error))
  })
  it('of the history alone keeps the checkpoint that it shares, and no other', async () => {
    const session = sessionWith(balanced, { limits })
    const first = await session.beforeModelCall(full)
    const regenerated = [...full.slice(0, -1), assistant('another last answer')]
    expect((await session.beforeModelCall(regenerated)).report.checkpoint).toBe(first.report.checkpoint)
    const edited = [full[0] as Message, user('something else'), ...full.slice(2)]
    expect((await session.beforeModelCall(edited)).report.checkpoint).not.toBe(first.report.checkpoint)
  })
})

describe('a change to a smaller model', () => {
  it('plans against the next window and lets the current model write the summary', async () => {
    const sizes: Record<string, { contextWindow: number; maxOutput: number }> = {
      large: { contextWindow: 200_000, maxOutput: 2_000 },
      small: { contextWindow: 10_000, maxOutput: 2_000 },
    }
    const summarizer = fakeSummarizer()
    const windowless = { name: 'session-model', summarize: summarizer.summarize }
    const session = sessionWith(balanced, { limits: (model) => sizes[model], summarizer: windowless })
    expect((await session.beforeModelCall(full, { model: 'large' })).report.outcome).toBe('unchanged')
    const { report } = await session.beforeModelCall(full, { model: 'large', nextModel: 'small' })
    expect(report.plan.decision.reason).toBe('downshift')
    expect(report.tokens.after).toBeLessThanOrEqual(8_000)
    // One request: it fits the large window, which is still in use.
    expect(summarizer.requests).toHaveLength(1)
    expect((await session.beforeModelCall(full, { model: 'small' })).report.outcome).toBe('projected')
  })
})

describe('limits of one request besides tokens', () => {
  const pictures = history(system('S'), ...Array.from({ length: 10 }, () => [image(), assistant('seen')]).flat(), user('and now?'))
  const attachments = (messages: readonly Message[]): number => messages.flatMap((message) => message.parts.filter((part) => part.type === 'media')).length
  it('attachments beyond the count become a line each, oldest first, and stay so', async () => {
    const session = sessionWith(mergePolicy(balanced, { trigger: { request: { media: 4 } } }), { limits: { contextWindow: 200_000 } })
    const { messages, report } = await session.beforeModelCall(pictures)
    expect(report.plan.decision).toMatchObject({ action: 'prune', reason: 'bytes' })
    expect(attachments(messages)).toBe(4)
    expect(textsOf(messages)).toContain('[attached, not shown any more: image/png 100000 bytes]')
    expect(attachments(pictures)).toBe(10)
    const again = await session.beforeModelCall([...pictures, assistant('ok')])
    expect(again.report.outcome).toBe('projected')
    expect(again.messages.slice(0, -1)).toEqual(messages)
  })
  it('bytes: attachments first, then a compaction; never what was just asked', async () => {
    const session = sessionWith(mergePolicy(balanced, { trigger: { request: { bytes: 300_000 } } }), { limits: { contextWindow: 200_000 } })
    const { messages } = await session.beforeModelCall([...pictures, image()])
    expect(messages.at(-1)?.parts.some((part) => part.type === 'media')).toBe(true)
    expect(attachments(messages)).toBeLessThanOrEqual(2)
    const wordy = sessionWith(mergePolicy(balanced, { trigger: { request: { bytes: 40_000 } } }), { limits: { contextWindow: 2_000_000 } })
    const { report, messages: left } = await wordy.beforeModelCall(full)
    expect(report.plan.decision.reason).toBe('bytes')
    expect(JSON.stringify(left).length).toBeLessThan(50_000)
  })
})

describe('a request that rides on the last one', () => {
  const policy = mergePolicy(balanced, { summary: { request: 'prefix' }, prune: { ladder: [] } })
  const riding = (fault: Parameters<typeof fakeSummarizer>[0] = 'none') => {
    const inner = fakeSummarizer(fault, 1)
    return { ...inner, ridesPrefix: true, requests: inner.requests as readonly SummaryRequest[] }
  }
  it('sends the same messages, the instruction behind them, and no transcript', async () => {
    const summarizer = riding()
    const session = sessionWith(policy, { limits, summarizer })
    const { report } = await session.beforeModelCall(full)
    expect(report.outcome).toBe('summarized')
    const [request] = summarizer.requests
    expect(request?.prefix).toEqual(full)
    expect(request?.prefix?.[0]).toBe(full[0])
    expect(request?.prompt).not.toContain('<conversation>')
    expect(request?.prompt).toContain('call no tools')
  })
  it('is tried once: then the span is sent as text', async () => {
    const summarizer = riding('overflows')
    expect((await sessionWith(policy, { limits, summarizer }).beforeModelCall(full)).report.outcome).toBe('summarized')
    expect(summarizer.requests.map((request) => request.prefix === undefined)).toEqual([false, true])
  })
  it('not where calls wait for their answers, where it does not fit, or where the summarizer cannot', async () => {
    const open = riding()
    await sessionWith(policy, { limits, summarizer: open }).compact([...full, call('run', 'open', {})], { focus: 'x' })
    expect(open.requests[0]?.prefix).toBeUndefined()
    const narrow = { ...riding(), window: 9_000 }
    await sessionWith(policy, { limits, summarizer: narrow }).beforeModelCall(full)
    expect(narrow.requests[0]?.prefix).toBeUndefined()
    const plain = fakeSummarizer()
    await sessionWith(policy, { limits, summarizer: plain }).beforeModelCall(full)
    expect(plain.requests[0]?.prefix).toBeUndefined()
  })
})

describe('a queued compaction', () => {
  it('survives a crash at any write, and is done once', async () => {
    for (let crash = 1; crash <= 4; crash++) {
      const inner = memoryStorage()
      let writes = 0
      const dying = {
        ...inner,
        put: async (...args: Parameters<typeof inner.put>) => {
          if (++writes === crash) throw new Error('the process was killed')
          return inner.put(...args)
        },
      }
      const first = compactorWith(balanced, { limits, storage: dying }).session('s')
      await first.schedule()
      await first.beforeModelCall(full.slice(0, 20))
      const summarizer = fakeSummarizer()
      const second = compactorWith(balanced, { limits, storage: inner, summarizer }).session('s')
      const { report, messages } = await second.beforeModelCall(full.slice(0, 20))
      expect(messages.at(-1)).toBe(full[19])
      expect(report.tokens.after).toBeLessThanOrEqual(18_000)
      expect(second.state().pending).toBeUndefined()
      expect(summarizer.requests.length).toBeLessThanOrEqual(1)
    }
  })
  it('with nothing to free is answered all the same', async () => {
    const session = sessionWith(balanced, { limits })
    await session.schedule()
    const short = history(user('hi'), assistant('hello'))
    expect((await session.beforeModelCall(short)).messages).toBe(short)
    expect(session.state().pending).toBeUndefined()
    const marked = [...short, marker(false)]
    const { messages } = await session.beforeModelCall(marked)
    expect(messages).toEqual(short)
    expect((await session.beforeModelCall(marked)).report.outcome).toBe('projected')
  })
})

describe('work in the background', () => {
  const soft = mergePolicy(balanced, { trigger: { soft: { fraction: 0.3 }, background: true }, prune: { ladder: [] } })
  const half = codingSession({ turns: 3, steps: 3, lines: 45 })
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20))
  it('starts at the soft level by itself and pays for one summary', async () => {
    const summarizer = fakeSummarizer()
    const session = sessionWith(soft, { limits, summarizer })
    await session.beforeModelCall(half)
    await session.background(half).done
    const { report } = await session.beforeModelCall([...half, user('on')])
    expect(report.outcome).toBe('projected')
    expect(summarizer.requests).toHaveLength(1)
  })
  it('is waited for when the hard level comes first', async () => {
    const inner = fakeSummarizer()
    const slow = { ...inner, summarize: async (request: SummaryRequest, signal: AbortSignal) => settled().then(() => inner.summarize(request, signal)) }
    const session = sessionWith(soft, { limits, summarizer: slow })
    expect((await session.beforeModelCall(half)).report.plan.decision.reason).toBe('soft')
    const { report, messages } = await session.beforeModelCall(full)
    expect(report.tokens.after).toBeLessThanOrEqual(18_000)
    expect(['projected', 'summarized']).toContain(report.outcome)
    // What was begun was adopted, not paid for twice: at most one more summary followed it.
    expect(session.state().checkpoints[0]?.reason).toBe('background')
    expect(inner.requests.length).toBeLessThanOrEqual(2)
    expect(textsOf(messages)).toContain('<context-summary')
  })
  it('what fails or is aborted changes nothing', async () => {
    for (const fault of ['throws', 'refuses', 'hangs'] as const) {
      const session = sessionWith(mergePolicy(balanced, { prune: { ladder: [] } }), { limits, summarizer: fakeSummarizer(fault) })
      const handle = session.background(full)
      if (fault === 'hangs') setTimeout(() => handle.abort(), 5)
      expect(await handle.done).toBe(false)
      expect(session.state().checkpoints).toEqual([])
    }
  })
  it('an editing user or a second compaction makes it stale', async () => {
    const session = sessionWith(mergePolicy(balanced, { prune: { ladder: [] } }), { limits })
    const handle = session.background(full)
    await handle.done
    await session.rewind()
    const changed = full.map((message, at) => (at === 3 ? assistant('changed') : message))
    await session.beforeModelCall(changed.slice(0, 12))
    expect(session.state().checkpoints).toEqual([])
  })
})

describe('costs', () => {
  const prices = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 }
  it('the report says what a rewrite costs and saves', async () => {
    const session = sessionWith(mergePolicy(balanced, { cost: { prices } }), { limits, summarizer: fakeSummarizer() })
    await session.beforeModelCall(full.slice(0, 6))
    const { report } = await session.beforeModelCall(full)
    expect(report.cost?.without).toBeGreaterThan(0)
    expect(report.cost?.summary).toBeGreaterThan(0)
    expect(report.cost?.with).toBeGreaterThan(report.cost?.without ?? 0) // a warm prefix is lost
    expect(report.cost?.paysBackAfter).toBeGreaterThan(0)
  })
  it('a warm prefix is not rewritten for a small gain; a cold one is', async () => {
    const prune = { maintain: ['aged' as const], age: { protect: { tokens: 1_000 }, minimum: { tokens: 0 }, steps: 1, userTurns: 0 } }
    const source = history(
      user('go'),
      ...Array.from({ length: 4 }, (_, at) => step('read', `r${at}`, { path: `${at}` }, fileText(`f${at}`, 40))).flat(),
      user('on'),
    )
    const run = async (payback: number, pause: number) => {
      let now = 0
      const clock = { now: () => (now += 1), id: () => `id-${now}` }
      const policy = mergePolicy(balanced, { prune, cost: { prices, payback, warmGain: 0, cacheTtl: 1_000 } })
      const session = sessionWith(policy, { limits: { contextWindow: 200_000 }, clock })
      await session.beforeModelCall(source.slice(0, 1))
      now += pause
      return (await session.beforeModelCall(source)).report.plan.edits.length
    }
    expect(await run(1, 0)).toBe(0)
    expect(await run(1_000, 0)).toBeGreaterThan(0)
    expect(await run(1, 10_000)).toBeGreaterThan(0)
  })
})

describe('the archive', () => {
  it('holds the whole session after a crash at any write, and goes on from there', async () => {
    for (let crash = 1; crash <= 12; crash++) {
      const inner = memoryStorage()
      let writes = 0
      const dying = {
        ...inner,
        put: async (...args: Parameters<typeof inner.put>) => {
          if (++writes >= crash) throw new Error('killed')
          return inner.put(...args)
        },
      }
      const first = compactorWith(balanced, { limits, storage: dying, archive: createArchive<Message>(dying) }).session('s')
      await first.beforeModelCall(full)
      // Whatever was written can be read: a beginning of the session, never a torn one.
      const partial = await createArchive<Message>(inner).read('s')
      expect(partial.messages).toEqual(full.slice(0, partial.messages.length))
      const archive = createArchive<Message>(inner)
      const second = compactorWith(balanced, { limits, storage: inner, archive }).session('s')
      const grown = [...full, ...codingSession({ turns: 4, steps: 3, lines: 45 }).slice(1)]
      await second.compact(grown, { focus: 'all' })
      expect((await archive.read('s')).messages).toEqual(grown)
    }
  })
  it('keeps what forks share once, and pages through it for the model', async () => {
    const driver = memoryStorage()
    const archive = createArchive<Message>(driver)
    const session = compactorWith(balanced, { limits, storage: driver, archive }).session('s')
    await session.beforeModelCall(full)
    const writes = async () => {
      let count = 0
      for await (const _ of driver.list('sessions/s/transcript/')) count++
      return count
    }
    const once = await writes()
    await session.compact([...full, user('more'), assistant('done and '.repeat(900)), user('on')], { focus: 'x' })
    expect(await writes()).toBe(once + 1)
    const recall = session.tools().find((tool) => tool.name === 'recall_history')
    expect(await recall?.execute({ query: 'migration lock' })).toContain('migration lock held by worker-7')
    expect(await recall?.execute({ offset: 1, limit: 2 })).toMatch(/Request 0[\s\S]*\[messages 1–2 of \d+; go on with offset 3\]/)
    expect(await recall?.execute({ query: 'nothing like this' })).toContain('Nothing found')
    expect(await recall?.execute({ query: '(x' })).toContain('groups')
  })
  it('a storage that fails is a warning, and nothing else', async () => {
    const exporter = fakeExporter()
    const archive = createArchive<Message>(fakeStorage('put-throws'))
    const compactor = compactorWith(balanced, { limits, archive, exporters: [exporter] })
    const { report } = await compactor.session('s').beforeModelCall(full)
    await compactor.flush()
    expect(report.outcome).not.toBe('unchanged')
    expect(report.warnings.join()).toContain('could not be archived')
    expect(exporter.events.filter((event) => event.event === 'compact.archive_failed').length).toBeGreaterThan(0)
  })
  it('two workers that archive at once lose nothing', async () => {
    const driver = memoryStorage()
    const both = [1, 2].map(() => compactorWith(balanced, { limits, storage: driver, archive: createArchive<Message>(driver) }).session('s'))
    await Promise.all(both.map((session, at) => session.compact([...full, user(`worker ${at}`)], { focus: 'x' })))
    expect((await createArchive<Message>(driver).read('s')).messages.slice(0, full.length)).toEqual(full)
  })
})

describe('tools that declare how their outputs may be treated', () => {
  it('keep, prunable by policy, reproducible, pinned', async () => {
    const source = history(
      user('go'),
      step('instructions', 'i', {}, fileText('rules', 60)),
      step('roll', 'd', {}, fileText('dice', 60)),
      step('plan', 'p', {}, fileText('plan', 60)),
      ...Array.from({ length: 14 }, (_, at) => step('read', `r${at}`, { path: `${at}` }, fileText(`f${at}`, 60))).flat(),
      user('on'),
    )
    const tools = { instructions: { keep: 'always' as const }, roll: { reproducible: false }, plan: { pinned: true, keep: 'always' as const } }
    const policy = mergePolicy(balanced, { prune: { ladder: ['aged'], age: { protect: { tokens: 3_000 }, minimum: { tokens: 0 } } } })
    const { report, messages } = await sessionWith(policy, { limits: { contextWindow: 26_000, maxOutput: 2_000 }, tools }).beforeModelCall(source)
    const edited = new Map(report.plan.edits.map((edit) => [edit.callId, edit.text]))
    expect(edited.has('i')).toBe(false)
    expect(edited.get('d')?.split('\n').length).toBeGreaterThan(1) // an excerpt: it cannot be had again
    expect(edited.get('r0')?.split('\n')).toHaveLength(1)
    expect(messages.length).toBe(source.length)
    const summarized = await sessionWith(mergePolicy(policy, { prune: { ladder: [] } }), { limits, tools }).compact(source, { focus: 'x' })
    expect(textsOf(summarized.messages)).toContain(fileText('plan', 60))
  })
  it('siblings in one message are edited one by one', async () => {
    const policy = mergePolicy(balanced, {
      prune: { ladder: ['aged'], age: { protect: { tokens: 0 }, minimum: { tokens: 0 }, steps: 1, userTurns: 0 }, tools: { keep: { keep: 'always' } } },
    })
    const both = history(
      user('go'),
      {
        role: 'assistant',
        parts: [
          { type: 'tool-call', callId: 'a', tool: 'read', input: '{}' },
          { type: 'tool-call', callId: 'b', tool: 'keep', input: '{}' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { type: 'tool-result', callId: 'a', tool: 'read', output: fileText('a', 260) },
          { type: 'tool-result', callId: 'b', tool: 'keep', output: fileText('b', 260) },
        ],
      },
      step('read', 'c', {}, 'short'),
      user('on'),
    )
    const { messages } = await sessionWith(mergePolicy(policy, { trigger: { target: { fraction: 0.6 } } }), {
      limits: { contextWindow: 11_000, maxOutput: 1_000 },
    }).beforeModelCall(both)
    const parts = messages[2]?.parts ?? []
    expect(parts.map((part) => part.type === 'tool-result' && part.output.split('\n').length)).toEqual([1, 260])
    expect(results([['x', 'y']]).parts).toHaveLength(1)
  })
})

describe('a history that went back to just what was summarized', () => {
  it('is shown with its newest step, not as a summary alone', async () => {
    const session = sessionWith(mergePolicy(balanced, { prune: { ladder: [] } }), { limits })
    await session.beforeModelCall(full)
    const covered = session.state().checkpoints[0]?.covered ?? 0
    expect(covered).toBeLessThan(full.length)
    const back = full.slice(0, covered)
    const { messages } = await session.beforeModelCall(back)
    expect(messages.at(-1)).toBe(back.at(-1))
    // And the whole history finds its summary again.
    expect((await session.beforeModelCall(full)).report.outcome).toBe('projected')
  })
})
