import { createArchive, createCompactor, encryptedStorage, type Message, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { fakeExporter, fakeSummarizer, generateHistory } from '@precis/testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'

const limits = { contextWindow: 8_000, maxOutput: 1_000 }
const source = generateHistory(1, { turns: 40 })
const compactorOn = (storage: StorageDriver, more: object = {}) => createCompactor<Message>({ codec: neutralCodec, limits, storage, ...more })

afterEach(() => vi.restoreAllMocks())

describe('a storage that fails is said once on the console, and on each receipt, with its reason', () => {
  const full = 'EACCES: permission denied, mkdir'
  const failing: StorageDriver = { ...memoryStorage(), put: () => Promise.reject(new Error(full)) }

  it('in several conversations', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const compactor = compactorOn(failing)
    for (const id of ['a', 'b']) {
      const { report } = await compactor.session(id).beforeModelCall(source)
      expect(report.warnings.filter((warning) => warning.includes(full))).toHaveLength(1)
      expect(report.warnings.join('\n')).toContain('the checkpoint could not be stored')
    }
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/^\[precis\] The storage "memory" could not put ".*": EACCES/)]])
  })

  it('where a model is wrapped anew for each request', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    for (const id of ['a', 'b', 'c'])
      await compactorOn({ ...failing, name: 'wrapped anew' })
        .session(id)
        .beforeModelCall(source)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('without the password, the signature and the keys that a backend puts into its errors', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const secrets = ['hunter2-Pass9', 'c2lnbmF0dXJlMDEyMzQ1Njc4OQ', 'sk-live-abcdef1234567890abcdef1234567890']
    const asked = `[GET] "http://app:${secrets[0]}@127.0.0.1:80/store?sv=1&sig=${secrets[1]}": 503, authorization: Bearer ${secrets[2]}`
    const get = () => Promise.reject(new Error(asked))
    const { report } = await compactorOn({ ...memoryStorage(), name: 'signed', get })
      .session('s')
      .beforeModelCall(source)
    const said = `${report.warnings.join('\n')}\n${warn.mock.calls.join('\n')}`
    expect(said.match(/could not get ".*": \[GET\].*503/g)?.length).toBeGreaterThan(1)
    for (const secret of secrets) expect(said).not.toContain(secret)
  })

  it('where somebody listens for events, in those and on receipts only', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const exporter = fakeExporter()
    const compactor = compactorOn(failing, { exporters: [exporter] })
    expect((await compactor.session('s').beforeModelCall(source)).report.warnings.join()).toContain(full)
    await compactor.flush()
    expect(exporter.events.map(({ event }) => event)).toContain('compact.checkpoint_rejected')
    expect(JSON.stringify(exporter.events)).not.toContain(full)
    expect(warn).not.toHaveBeenCalled()
  })

  it('that may not be read: the receipt does not say that it did not answer', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const refused = 'EACCES: permission denied, open'
    const compactor = compactorOn({ ...memoryStorage(), get: () => Promise.reject(new Error(refused)) })
    const said = (await compactor.session('s').beforeModelCall(source)).report.warnings.join('\n')
    expect(said).toContain(refused)
    expect(said).toContain('the stored state cannot be read')
    expect(said).not.toContain('did not answer')
  })

  it('is given what it refused with the next call, once', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const [inner, summarizer] = [memoryStorage(), fakeSummarizer()]
    let refusals = 1
    let asked = 0
    const busy: StorageDriver = {
      ...inner,
      put: (key, ...more) => (key.endsWith('state.json') && asked++ < refusals ? Promise.reject(new Error('busy')) : inner.put(key, ...more)),
    }
    const session = compactorOn(busy, { summarizer }).session('s')
    expect((await session.beforeModelCall(source)).report.warnings.join()).toContain('could not be stored')
    expect((await session.beforeModelCall(source)).report.outcome).toBe('projected')
    // Another process goes on with it: nobody pays twice.
    const { report } = await compactorOn(inner, { summarizer }).session('s').beforeModelCall(source)
    expect([report.outcome, summarizer.requests.length]).toEqual(['projected', 1])
    refusals = Infinity
    asked = 0
    const other = compactorOn(busy, { summarizer }).session('other')
    for (let call = 0; call < 4; call++) await other.beforeModelCall(source)
    expect(asked).toBe(2)
  })

  it('what another process wrote first is no failure', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const storage = memoryStorage()
    await Promise.all([1, 2].map(() => compactorOn(storage).session('s').beforeModelCall(source)))
    expect(warn).not.toHaveBeenCalled()
  })

  it.each([
    ['of no bytes', new Uint8Array(), '0 bytes'],
    ['of hexadecimal text', '00'.repeat(32) as unknown as Uint8Array, 'string'],
    ['of 64 bytes', new Uint8Array(64), '64 bytes'],
  ])('an encryption key %s', async (_, key, found) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { report } = await compactorOn(encryptedStorage({ ...memoryStorage(), name: found }, { key: () => ({ id: 'k', key }) }))
      .session('s')
      .beforeModelCall(source)
    const said = `key is "${found}"; expected 32 bytes for AES-256`
    expect(report.warnings.join('\n')).toContain(said)
    expect(warn.mock.calls.join()).toContain(said)
    expect(warn.mock.calls.join()).not.toContain('00'.repeat(16))
  })
})

it('a key that is no function is refused, and not shown', () => {
  const made = () => encryptedStorage(memoryStorage(), { key: 'swordfish-47' as unknown as () => undefined })
  expect(made).toThrow('key is "string"; write key: () => ({ id: "k1", key: bytes })')
})

it('an archive that never answers takes its deadline once: the state is stored, and the archive is not asked again', async () => {
  const asked: string[] = []
  const hangs = (key: string) => {
    asked.push(key)
    return new Promise<never>(() => {})
  }
  const [storage, records] = [memoryStorage(), { ...memoryStorage(), put: hangs }]
  const compactor = compactorOn(storage, { archive: createArchive<Message>(records), effectDeadline: 50 })
  const { report } = await compactor.session('s').beforeModelCall(source)
  expect(report.warnings.join('\n')).toContain('the archive did not answer within 50 ms')
  expect(report.warnings.join('\n')).not.toContain('could not be stored; it holds')
  expect(await storage.get('sessions/s/state.json')).toBeDefined()
  expect(asked).toEqual([expect.stringContaining('/transcript/')])
})

it('a storage that never answers takes its deadline twice at most where a summary is paid for: before it, and to store it', async () => {
  const hangs = () => new Promise<never>(() => {})
  const began = performance.now()
  const silent = { ...memoryStorage(), get: hangs, put: hangs }
  const { report } = await compactorOn(silent, { summarizer: fakeSummarizer(), effectDeadline: 400 }).session('s').beforeModelCall(source)
  expect(report.outcome).toBe('summarized')
  expect(performance.now() - began).toBeLessThan(1_150)
})

it.each([
  ['an hour', 3_600_000, 1],
  ['a year', 365 * 86_400_000, 1],
  ['ten seconds', 10_000, 0],
])('a lease of a process that was killed, whose clock was ahead by %s', async (_, ahead, asked) => {
  const storage = memoryStorage()
  const policy = { summary: { author: 'model', deadline: 60_000 } }
  const now = Date.now()
  const clock = { now: () => now + ahead, id: () => crypto.randomUUID() }
  let begun = (): void => {}
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const hangs = { name: 'hangs', summarize: () => new Promise<never>(() => begun()) }
  const stop = new AbortController()
  const killed = compactorOn(storage, { summarizer: hangs, policy, clock }).session('s').beforeModelCall(source, { signal: stop.signal })
  await started
  const left = memoryStorage()
  for await (const key of storage.list('')) await left.put(key, (await storage.get(key))?.body ?? '')
  stop.abort()
  await expect(killed).rejects.toThrow()
  const summarizer = fakeSummarizer()
  await compactorOn(left, { summarizer, policy, clock: { now: () => now, id: clock.id } })
    .session('s')
    .beforeModelCall(source)
  expect(summarizer.requests.length).toBe(asked)
})
