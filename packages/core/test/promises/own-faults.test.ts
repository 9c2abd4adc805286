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
}

describe.each(Object.keys(faults))('a fault of ours while %s', (name) => {
  it('sends the request as it came, says so once, and says nothing of what was said', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const events = fakeExporter()
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, exporters: [events], ...faults[name] })
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
    expect(events.events.some((event) => event.event === 'compact.fault')).toBe(true)
    expect(JSON.stringify(warn.mock.calls)).not.toContain('customer')
  })
})

/** A count of the host's own that says for some texts what no count can be. */
const counting = (wrong: () => unknown): Partial<CompactorOptions<Message>> => ({
  estimator: { name: 'broken', count: (text) => (text.length % 7 === 0 ? (wrong() as number) : builtInEstimator.count(text)) },
})
const refusal = new Error('prompt is too long: 9000 tokens > 8000 maximum')
/** Functions of the host that fail now and then, or always. */
const hostFaults: Readonly<Record<string, readonly [what: string, options: Partial<CompactorOptions<Message>>]>> = {
  'an estimator that throws': ['estimator broken', counting(bug)],
  'an estimator that always throws': ['estimator broken', { estimator: { name: 'broken', count: bug } }],
  'an estimator that counts nothing': ['estimator broken', counting(() => 0)],
  'an estimator that always counts nothing': ['estimator broken', { estimator: { name: 'broken', count: () => 0 } }],
  'an estimator without a number': ['estimator broken', counting(() => Number.NaN)],
  'an estimator without an end': ['estimator broken', counting(() => Infinity)],
  'an estimator that says a text': ['estimator broken', counting(() => '12')],
  'estimators by model': ['estimator', { estimator: bug }],
  'a clock without a time': ['clock', { clock: { now: bug, id: () => crypto.randomUUID() } }],
  'a clock that says no number': ['clock', { clock: { now: () => Number.NaN, id: () => crypto.randomUUID() } }],
  'a clock that says no date': ['clock', { clock: { now: () => new Date('never') as never, id: () => crypto.randomUUID() } }],
  'a clock in nanoseconds': ['clock', { clock: { now: () => Date.now() * 1e6, id: () => crypto.randomUUID() } }],
  'a clock without names': ['clock', { clock: { now: () => Date.now(), id: bug } }],
  'limits by model': ['limits', { limits: bug }],
  'a redactor that throws': ['redact', { redact: bug }],
  'a redactor that throws now and then': ['redact', { redact: (text) => (text.includes('module4') ? bug() : text) }],
  'a redactor that returns nothing now and then': ['redact', { redact: ((text: string) => (text.includes('module4') ? undefined : text)) as never }],
}

describe.each(Object.entries(hostFaults))('%s', (name, [what, options]) => {
  const policy = { summary: { author: 'model' as const } }
  it('ends no run: what can be done without it is done, and it is said once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const events = fakeExporter()
    const storage = memoryStorage()
    const made = (exporters: CompactorOptions<Message>['exporters']) =>
      createCompactor<Message>({ codec: neutralCodec, limits, policy, summarizer: fakeSummarizer(), storage, exporters: exporters ?? [], ...options })
    const heard = made([events])
    const { report } = await made([]).session('quiet').beforeModelCall(long)
    const first = await heard.session('s').beforeModelCall(long)
    await heard.flush()
    if (name !== 'limits by model') {
      for (const { tokens, outcome, spent } of [report, first.report]) {
        expect(outcome).not.toBe('unchanged')
        expect(tokens.after).toBeLessThanOrEqual(12_500)
        expect(Number.isFinite(spent.prompt + spent.reply)).toBe(true)
      }
    }
    const again = await heard.session('s').recover(long, refusal)
    expect(again?.report.tokens.after).toBeLessThan(8_000)
    expect(events.events.flatMap(({ event, attributes }) => (event === 'compact.fault' ? [attributes['what']] : []))).toEqual([
      name.startsWith('a redactor') && !name.includes('now and then') ? '[withheld]' : what,
    ])
    expect(warn.mock.calls.map(([line]) => String(line).split(':')[0])).toEqual([`[precis] ${what} failed`])
    expect(JSON.stringify([report, first.report, events.events, warn.mock.calls])).not.toContain('customer')
  })
})

describe('a redactor that fails', () => {
  const everything = async (storage: ReturnType<typeof memoryStorage>): Promise<string> => {
    let text = ''
    for await (const key of storage.list('')) text += (await storage.get(key))?.body ?? ''
    return text
  }
  it.each([
    ['always', () => true],
    ['for texts that hold a secret', (text: string) => text.includes('module4')],
  ])('%s: what it could not look at is in no store and in no request for a summary', async (_, fails) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const storage = memoryStorage()
    const summarizer = fakeSummarizer()
    const compactor = createCompactor<Message>({
      codec: neutralCodec,
      limits,
      summarizer,
      storage,
      archive: createArchive<Message>(storage),
      outputs: createToolOutputStore(storage),
      redact: (text) => (fails(text) ? bug() : text),
    })
    const session = compactor.session('s')
    await session.schedule({ focus: 'module4' })
    const { messages, report } = await session.beforeModelCall(long)
    expect(report.tokens.after).toBeLessThanOrEqual(12_500)
    // Arguments are JSON whatever is left out of them.
    for (const { parts } of messages) for (const part of parts) if (part.type === 'tool-call') JSON.parse(part.input)
    const handoff = await session.handoff(long)
    expect((await everything(storage)) + handoff + summarizer.requests.map(({ prompt }) => prompt).join('')).not.toContain('module4')
  })
  it.each([
    ['nothing', () => {}],
    ['a promise', async (text: string) => text],
    ['a promise that fails', async () => bug()],
  ])('that returns %s is refused when it is given', (_, redact) => {
    const said = 'redact returns no text; return one at once.'
    expect(() => createCompactor<Message>({ codec: neutralCodec, redact: redact as never })).toThrow(said)
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
  it.each(['1', 'true', 'TRUE', 'yes', 'on '])('=%s: nothing is read, written, asked or offered', async (value) => {
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
  it.each(['', '0', 'false', 'OFF', 'no'])('=%s: as always', async (value) => {
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
