import {
  builtInEstimator,
  type CompactionReport,
  type CompactorOptions,
  createArchive,
  createCompactor,
  createToolOutputStore,
  InsufficientBudgetError,
  InvalidConfigurationError,
  type Message,
  memoryStorage,
  neutralCodec,
} from '@precis/core'
import { fakeExporter, fakeSummarizer, history, user } from '@precis/testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { codingSession } from '../systems/setup.ts'

const limits = { contextWindow: 14_000, maxOutput: 1_500 }
const long: readonly Message[] = history(codingSession({ turns: 6, steps: 3, lines: 35 }), user('Go on with module6.'))
const bug = (): never => {
  throw new TypeError('Cannot read properties of undefined: "a customer’s words"')
}
afterEach(() => vi.restoreAllMocks())

/** Where a bug of ours can be: whatever is called on the way of a request. */
const faults: Readonly<Record<string, Partial<CompactorOptions<Message>>>> = {
  'reading a message': { codec: { ...neutralCodec, read: bug } },
  'making a summary message': { codec: { ...neutralCodec, createSummary: bug } },
  'counting, in plan and record': {
    estimator: {
      name: 'broken',
      count: (text) => (text === 'word' ? 1 : text.includes('module4') ? bug() : builtInEstimator.count(text)),
    },
  },
  redacting: { redact: bug },
  'looking up limits': { limits: bug },
  'naming what is new': { clock: { now: () => 1, id: bug } },
  'the time of a receipt': { clock: { now: bug, id: () => 'x' } },
}

describe.each(Object.keys(faults))('a fault of ours while %s', (name) => {
  it('sends the request as it came, says so once, and says nothing of what was said', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const events = fakeExporter()
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, exporters: name.includes('time') ? [] : [events], ...faults[name] })
    const session = compactor.session('s')
    const { messages, report } = await session.beforeModelCall(long)
    expect(messages).toBe(long)
    expect(report.outcome).toBe('unchanged')
    expect(report.warnings.filter((warning) => warning.startsWith('the request went out as it came'))).toHaveLength(1)
    expect(JSON.stringify(report)).not.toContain('customer')
    session.afterModelCall({ usage: { input: 9_000, cacheRead: 0, cacheWrite: 0, output: 10 } })
    expect(await session.recover(long, new Error('prompt is too long: 250000 tokens > 200000 maximum'))).toBeUndefined()
    await compactor.flush()
    expect(JSON.stringify(events.events)).not.toContain('customer')
    if (!name.includes('time')) expect(events.events.some((event) => event.event === 'compact.fault')).toBe(true)
    expect(JSON.stringify(warn.mock.calls)).not.toContain('customer')
  })
})

describe('where nobody listens', () => {
  it('one line is written to the console, once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const session = createCompactor<Message>({ codec: { ...neutralCodec, read: bug }, limits }).session('s')
    for (let at = 0; at < 3; at++) await session.beforeModelCall(long)
    expect(warn).toHaveBeenCalledTimes(1)
    expect(String(warn.mock.calls[0]?.[0])).toContain('the request went out as it came: TypeError')
  })
})

describe('what the caller has to know is thrown', () => {
  it('a request that cannot fit, a configuration that cannot be meant, an abort', async () => {
    const session = createCompactor<Message>({ codec: neutralCodec, limits }).session('s')
    await expect(session.beforeModelCall([user('x '.repeat(60_000))])).rejects.toSatisfy((error) => InsufficientBudgetError.isInstance(error))
    const strict = createCompactor<Message>({ codec: neutralCodec, policy: { trigger: { unknownLimits: 'error' } } }).session('s')
    await expect(strict.beforeModelCall(long)).rejects.toSatisfy((error) => InvalidConfigurationError.isInstance(error))
    await expect(session.beforeModelCall(long, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
  })
})

describe('a host’s own onReport', () => {
  it.each([
    ['throws', bug],
    ['rejects', async () => bug()],
  ])('that %s ends no run', async (_name, onReport: () => void) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const events = fakeExporter()
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, onReport, exporters: [events] })
    expect((await compactor.session('s').beforeModelCall(long)).report.outcome).not.toBe('unchanged')
    await new Promise((resolve) => setTimeout(resolve))
    await compactor.flush()
    expect(events.events.filter((event) => event.event === 'compact.fault')).toHaveLength(1)
  })
  it('is given every receipt', async () => {
    const seen: CompactionReport[] = []
    const session = createCompactor<Message>({ codec: neutralCodec, limits, onReport: (report) => seen.push(report) }).session('s')
    const { report } = await session.beforeModelCall(long)
    const compacted = await session.compact(long)
    expect(seen).toEqual([report, compacted.report])
  })
})

describe('PRECIS_DISABLED', () => {
  afterEach(() => vi.unstubAllEnvs())
  it.each(['1', 'true'])('=%s: nothing is read, written, asked or offered', async (value) => {
    vi.stubEnv('PRECIS_DISABLED', value)
    const summarizer = fakeSummarizer()
    const storage = memoryStorage()
    const seen: CompactionReport[] = []
    const compactor = createCompactor<Message>({
      codec: { ...neutralCodec, read: bug },
      limits,
      summarizer,
      storage,
      archive: createArchive<Message>(storage),
      outputs: createToolOutputStore(storage),
      onReport: (report) => seen.push(report),
    })
    const session = compactor.session('s')
    const output = 'line of a log\n'.repeat(20_000)
    expect((await session.beforeModelCall(long)).messages).toBe(long)
    expect((await session.compact(long)).messages).toBe(long)
    expect(await session.view(long)).toBe(long)
    expect(await session.recover(long, new Error('prompt is too long: 250000 tokens > 200000 maximum'))).toBeUndefined()
    expect(await session.background(long).done).toBe(false)
    expect(await session.compactAhead(long)).toBe('nothing')
    await session.schedule()
    session.afterModelCall({ usage: { input: 9_000, cacheRead: 0, cacheWrite: 0, output: 10 } })
    expect(session.tools()).toEqual([])
    expect(await compactor.receiveOutput('logs', output)).toBe(output)
    expect(
      await compactor.receiveOutput(
        'logs',
        (async function* () {
          yield output
          yield 'end'
        })(),
      ),
    ).toBe(`${output}end`)
    const keys: string[] = []
    for await (const key of storage.list('')) keys.push(key)
    expect({ keys, asked: summarizer.requests.length, seen }).toEqual({ keys: [], asked: 0, seen: [] })
  })
  it.each(['', '0', 'false'])('=%s: as always', async (value) => {
    vi.stubEnv('PRECIS_DISABLED', value)
    expect((await createCompactor<Message>({ codec: neutralCodec, limits }).session('s').beforeModelCall(long)).report.outcome).not.toBe('unchanged')
  })
  it('a runtime without process is no switch', async () => {
    vi.stubGlobal('process', undefined)
    try {
      expect((await createCompactor<Message>({ codec: neutralCodec, limits }).session('s').beforeModelCall(long)).report.outcome).not.toBe('unchanged')
    } finally {
      vi.unstubAllGlobals()
    }
  })
})
