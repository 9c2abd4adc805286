import { mergePolicy, type SummaryRequest } from '@precis/core'
import { call, fakeSummarizer } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { sessionWith } from '../../../systems/setup.ts'
import { balanced, full, limits } from './setup.ts'

describe('a request that rides on the last one', () => {
  const policy = mergePolicy(balanced, { summary: { request: 'prefix' }, prune: { ladder: [] } })
  const riding = (fault: Parameters<typeof fakeSummarizer>[0] = 'none') => {
    const inner = fakeSummarizer(fault, 1)
    return { ...inner, ridesPrefix: true, requests: inner.requests as readonly SummaryRequest[] }
  }
  it('sends the same messages up to the last that is summarized, the instruction behind them, and no transcript', async () => {
    const summarizer = riding()
    const session = sessionWith(policy, { limits, summarizer })
    const { report, messages } = await session.beforeModelCall(full)
    expect(report.outcome).toBe('summarized')
    const [request] = summarizer.requests
    const end = full.findLastIndex((message) => !messages.includes(message)) + 1
    expect(end).toBeGreaterThan(full.length / 2)
    expect(request?.prefix).toEqual(full.slice(0, end))
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
