import { setTimeout as sleep } from 'node:timers/promises'
import { type Embedder, memoryStorage, type StorageDriver } from '@precis/core'
import { allText, fakeExporter, fakeStorage, fakeSummarizer, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { long, make, sound } from './setup.ts'

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
  it('a process that began while it was away keeps what it paid for, and stores it once it is back', async () => {
    const shared = memoryStorage()
    await make({ storage: shared }).session('s').beforeModelCall(long)
    let isAway = true
    const reached = async (): Promise<void> => {
      if (isAway) throw new Error('away')
    }
    const storage: StorageDriver = {
      ...shared,
      get: (key) => reached().then(() => shared.get(key)),
      put: (key, body, options) => reached().then(() => shared.put(key, body, options)),
    }
    const summarizer = fakeSummarizer()
    const begun = make({ storage, summarizer }).session('s')
    const longer = history(long, long.slice(1))
    const first = await begun.beforeModelCall(longer)
    const paid = summarizer.requests.length
    isAway = false
    for (const words of ['And now?', 'And then?']) {
      const { messages } = await begun.beforeModelCall(history(longer, user(words)))
      expect(allText(messages).startsWith(allText(first.messages))).toBe(true)
    }
    const other = await make({ storage, summarizer }).session('s').beforeModelCall(longer)
    expect(allText(other.messages)).toBe(allText(first.messages))
    expect(summarizer.requests).toHaveLength(paid)
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

describe('an embedder that fails is said', () => {
  const answers: readonly (readonly [how: string, embed: Embedder['embed']])[] = [
    ['throws', () => Promise.reject(new TypeError('401: the key is wrong'))],
    ['gives too few', async () => [[1, 0]]],
    ['gives no numbers', async (texts) => texts.map(() => [Number.NaN])],
  ]
  it.each(answers)('one that %s', async (_, embed) => {
    const policy = { retain: { semantic: { clusters: 2, tokens: { tokens: 500 } } } }
    const exporter = fakeExporter()
    const compactor = make({ policy, embedder: { name: 'mine', embed }, exporters: [exporter] })
    const { messages, report } = await compactor.session('s').beforeModelCall(long)
    await compactor.flush()
    expect(exporter.events.find(({ event }) => event === 'compact.fallback')?.attributes).toMatchObject({ from: 'embedder', to: 'newest' })
    sound(long, messages, report)
    expect(report.warnings.join('\n')).toContain('the embedder mine failed, so nothing that is related stays for it (retain.semantic)')
    expect(report.warnings.join('\n')).not.toContain('401')
  })
})
