import { type CompactorOptions, createCompactor, InvalidConfigurationError, type Message, memoryStorage, presets } from '@precis/core'
import { allText, call, fakeSummarizer, history, image, result, step, system, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { limits, long, make } from './setup.ts'

describe('configuration', () => {
  it('an estimator that returns no number is refused', () => {
    const count = async (text: string): Promise<number> => text.length
    expect(() => make({ estimator: { name: 'remote', count: count as unknown as () => number } })).toThrow(/estimator is "remote"/)
  })

  it('is checked when it is given', () => {
    expect(() => make({ limits: { contextWindow: 10 } })).toThrow(InvalidConfigurationError)
    expect(() => make({ limits: 128_000 as never })).toThrow(/limits\.contextWindow is undefined/)
    for (const contextWindow of ['200000', Number.POSITIVE_INFINITY, Number.NaN, null])
      expect(() => make({ limits: { contextWindow: contextWindow as never } })).toThrow(
        /limits\.contextWindow is .*; expected at least 256 tokens, or 0 for unlimited/,
      )
    expect(() => make({ policy: { trigger: { hard: { fraction: 2 } } } })).toThrow(InvalidConfigurationError)
    expect(() => createCompactor({ codec: undefined as never })).toThrow('codec')
    expect(() => createCompactor(null as never)).toThrow(InvalidConfigurationError)
    for (const id of [42, undefined, null]) expect(() => make().session(id as never)).toThrow(/session is (42|undefined|null).*expected a text/)
  })
  it.each([
    ['limit', 'limits'],
    ['Summarizer', 'summarizer'],
    ['sumarizer', 'summarizer'],
    ['exporter', 'exporters'],
    ['polices', 'policy'],
    ['contextWindow', 'limits: { contextWindow }'],
    ['preset', 'policy: presets.layered'],
    ['trigger', 'policy: { trigger }'],
    ['summary', 'policy: { summary }'],
    ['constructor', undefined],
    ['recall', undefined],
    ['session', undefined],
    ['cacheToolOutputs', undefined],
    ['userId', undefined],
  ])('an option %s: write %s', (name, meant) => {
    const given = (value: unknown) => () => make({ [name]: value } as never)
    if (meant === undefined) expect(given({})).not.toThrow()
    else expect(given({})).toThrow(`Invalid configuration: unknown option "${name}"; write ${meant}.`)
    expect(given(undefined)).not.toThrow()
  })
  const model = { modelId: 'gpt-5.2', config: { apiKey: 'AKIAIOSFODNN7EXAMPLE' } }
  it.each([
    ['storage', 'redis://app:AKIAIOSFODNN7EXAMPLE@cache', 'memoryStorage()'],
    ['storage', new Map(), 'memoryStorage()'],
    ['storage', memoryStorage, 'memoryStorage()'],
    ['summarizer', model, 'modelSummarizer({ model })'],
    ['summarizer', 'gpt-5-mini', 'modelSummarizer({ model })'],
    ['fullSummarizer', async () => 'A summary.', 'modelSummarizer({ model })'],
    ['archive', memoryStorage(), 'createArchive(storage)'],
    ['outputs', memoryStorage(), 'createToolOutputStore(storage)'],
    ['exporters', { name: 'console', export: () => {} }, '[consoleExporter()]'],
    ['exporters', [() => {}], '[consoleExporter()]'],
    ['errorPatterns', [/too big/], '[{ kind, pattern }]'],
    ['redact', true, 'createRedactor()'],
    ['onReport', 'https://app:AKIAIOSFODNN7EXAMPLE@hooks', '(report) =>'],
    ['onReport', { log: 'AKIAIOSFODNN7EXAMPLE' }, '(report) =>'],
    ['trace', { startSpan: () => {} }, 'openTelemetryTrace(tracer)'],
    ['queue', 'redis://app:AKIAIOSFODNN7EXAMPLE@queue', '{ name, enqueue }'],
    ['queue', { add: () => {} }, '{ name, enqueue }'],
    ['rungs', { name: 'own', shorten: () => undefined }, '[{ name, shorten }]'],
    ['rungs', ['view'], '[{ name, shorten }]'],
    ['partition', [(key: string) => key], '[{ name, keeps }]'],
    ['embedder', 'text-embedding-3-small', 'lexicalEmbedder()'],
    ['redact', /x/, 'createRedactor()'],
  ])('an option %s that is %o: write %s', (name, value, write) => {
    const given = (): unknown => make({ [name]: value } as never)
    expect(given).toThrow(InvalidConfigurationError)
    expect(given).toThrow(`${name} is`)
    expect(given).toThrow(`write ${write}`)
    expect(given).not.toThrow(/AKIA/)
  })
  it.each([
    ['gpt', 'estimator is "gpt"; expected { name, count(text) }'],
    [{ name: 'own' }, 'estimator is "own"; expected { name, count(text) }'],
    [(text: string) => text.length, 'estimator is 0; expected { name, count(text) }'],
    [{ name: 'own', count: () => Number.NaN }, 'estimator is "own"; expected { name, count(text) }'],
  ])('an estimator that counts nothing is refused: %o', (estimator, said) => {
    expect(() => make({ estimator: estimator as never })).toThrow(said)
  })
  it('a field of the policy is named as it is written, with what to write', () => {
    const given = (policy: object) => () => make({ policy: policy as never })
    const written: readonly (readonly [object, string])[] = [
      [{ trigger: { hard: 0.8 } }, 'trigger.hard is 0.8; write { fraction: 0.8 }, { tokens: 50_000 } or'],
      [{ trigger: { hard: { tokens: 0.8 } } }, 'trigger.hard is {"tokens":0.8}; write { fraction: 0.8 }, { tokens: 50_000 } or'],
      [{ retain: { tokens: { tokens: 0.2 } } }, 'retain.tokens is {"tokens":0.2}; write { fraction: 0.2 }'],
      [{ trigger: { hard: { free: 0.2 } } }, 'trigger.hard is {"free":0.2}; write { fraction: 0.5 }'],
      [{ summary: { deadline: 30 } }, 'summary.deadline is 30; expected milliseconds: 30_000 for 30 seconds.'],
      [{ trigger: { hard: 80 } }, 'trigger.hard is 80; write { fraction: 0.5 }'],
      [{ trigger: { hard: { fraction: 0.1, tokens: 5 } } }, 'trigger.hard is {"fraction":0.1,"tokens":5}; write { fraction: 0.5 }'],
      [{ trigger: { target: { fraction: 0.9 } } }, 'trigger.target is {"fraction":0.9}; expected less than trigger.hard, which is {"fraction":0.8}.'],
      [{ trigger: { hard: { fraction: 0.4 } } }, 'trigger.hard is {"fraction":0.4}; expected more than trigger.target, which is {"fraction":0.45}.'],
      [{ trigger: { hrad: 0.9 } }, 'Invalid configuration: unknown field "trigger.hrad"; write trigger.hard.'],
      [{ retain: { newestReqest: { fraction: 0.2 } } }, 'unknown field "retain.newestReqest"; write retain.newestRequest.'],
      [{ target: { fraction: 0.5 } }, 'unknown field "target"; write trigger.target.'],
      [{ cost: { budget: 3 } }, 'unknown field "cost.budget"; write one such as prices, cacheTtl, warmGain, payback.'],
    ]
    for (const [policy, message] of written) expect(given(policy)).toThrow(message)
  })
  it('an object in the place of an amount is shown only where it holds nothing but numbers', () => {
    const given = (hard: object) => () => make({ policy: { trigger: { hard } } as never })
    for (const hard of [{ fraction: 0.5, key: 'AKIAIOSFODNN7EXAMPLE' }, { headers: { key: 'AKIAIOSFODNN7EXAMPLE' } }, ['AKIAIOSFODNN7EXAMPLE']]) {
      expect(given(hard)).toThrow(/trigger\.hard is (?:object|a list); (?:write \{ fraction|expected)/)
      expect(given(hard)).not.toThrow(/AKIA/)
    }
  })
  it('what an option of no such name holds is not shown', () => {
    const given = (): unknown => make({ store: { key: 'AKIAIOSFODNN7EXAMPLE' } } as never)
    expect(given).toThrow(/write storage/)
    expect(given).not.toThrow(/AKIA/)
  })
  it('role, continuation and style reach the context', async () => {
    const work = Array.from({ length: 40 }, (_, at) =>
      step('run', `r${at}`, { command: `make part-${at}` }, `part ${at}: ${'built and linked '.repeat(40)}`),
    ).flat()
    const policy = { summary: { role: 'assistant' as const, continuation: 'Continue the unfinished request.', style: 'brief' as const } }
    const { messages } = await make({ policy, summarizer: fakeSummarizer() })
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
  it('without a model the record stands alone', async () => {
    const work = Array.from({ length: 40 }, (_, at) => step('write', `r${at}`, { path: `src/part-${at}.ts` }, `part ${at}: ${'built and linked '.repeat(100)}`))
    const asked = history(user('Do all of it.'), ...work.flat())
    const session = make({ limits: { contextWindow: 16_000 } }).session('s')
    const { messages, report } = await session.beforeModelCall(asked)
    expect(report).toMatchObject({ outcome: 'summarized', warnings: [], quality: { missing: [], empty: [] } })
    expect(session.remembered(asked).summary).toMatchObject({ text: '' })
    expect(allText(messages)).toContain('### Files changed')
    expect(allText(messages)).not.toContain('\n## ')
  })
  it('a model that is there for people alone is asked by them alone', async () => {
    const fullSummarizer = fakeSummarizer()
    const session = make({ fullSummarizer }).session('s')
    await session.beforeModelCall(long)
    expect([session.remembered(long).summary?.text, fullSummarizer.requests.length]).toEqual(['', 0])
    await session.compact(long)
    expect(fullSummarizer.requests.length).toBeGreaterThan(0)
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
