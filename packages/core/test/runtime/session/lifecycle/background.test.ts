import { memoryStorage, mergePolicy, type SummaryRequest } from '@precis/core'
import { assistant, fakeSummarizer, history, marker, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession, compactorWith, sessionWith, textsOf } from '../../../systems/setup.ts'
import { balanced, full, limits } from './setup.ts'

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
