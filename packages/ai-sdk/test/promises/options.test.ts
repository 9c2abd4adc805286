import { compactionTools, contextBudgetExceeded, createCompaction, modelSummarizer, type WrappableModel, withCompaction } from '@precis/ai-sdk'
import { createRedactor, InvalidConfigurationError, memoryStorage } from '@precis/core'
import { createRedactor as withEverySecret } from '@precis/redaction'
import { generateText, type LanguageModel, wrapLanguageModel } from 'ai'
import { describe, expect, it } from 'vitest'

const model: WrappableModel = {
  specificationVersion: 'v3',
  provider: 'own',
  modelId: 'own',
  doGenerate: async () => ({ content: [{ type: 'text', text: 'done' }], finishReason: 'stop', usage: {}, warnings: [] }),
  doStream: async () => ({ stream: new ReadableStream() }),
}

it.each([null, 'gpt-5.2', 200_000])('options that are %s are refused, with what to write', (options) => {
  for (const make of [() => withCompaction(model, options as never), () => createCompaction(options as never)]) {
    expect(make).toThrow(InvalidConfigurationError)
    expect(make).toThrow(/options is .*; write \{ limits/)
  }
})

it.each([null, 200_000, '200k'])('limits that are %s are refused, with what to write', (limits) => {
  const options = { limits } as never
  for (const make of [() => withCompaction(model, options), () => createCompaction(options)]) {
    expect(make).toThrow(InvalidConfigurationError)
    expect(make).toThrow(/limits is .*; write \{ contextWindow/)
  }
})

it('what is undefined stands for its default', async () => {
  const storage = memoryStorage()
  const secret = `pypi-AgEIcHlwaS5vcmc${'Q'.repeat(80)}`
  const limits = { contextWindow: 2_000, maxOutput: 200 }
  const own = withCompaction(model, { storage, limits, redact: undefined, recall: undefined, session: undefined, summarizer: undefined, onReport: undefined })
  const prompt = Array.from({ length: 30 }, (_, at) => ({
    role: 'user',
    content: [{ type: 'text', text: `${at}: the key is ${secret}. ${'More of it. '.repeat(30)}` }],
  }))
  await own.doGenerate({ prompt })
  let stored = ''
  for await (const key of storage.list('')) stored += (await storage.get(key))?.body
  expect(stored).toContain('the key is')
  expect(stored).not.toContain(secret)
})

it.each(['withCompaction', 'middleware'] as const)(
  'instructions that are larger than the window are called that, and pins are called pins: %s',
  async (how) => {
    const limits = { contextWindow: 8_000, maxOutput: 500 }
    const given = { ...model, specificationVersion: 'v4', supportedUrls: {} } as Exclude<LanguageModel, string | { readonly specificationVersion: 'v2' | 'v3' }>
    const own =
      how === 'middleware' ? wrapLanguageModel({ model: given, middleware: createCompaction({ limits }).middleware() }) : withCompaction(given, { limits })
    const long = 'Be kind. '.repeat(6_000)
    await expect(generateText({ model: own, instructions: long, prompt: 'Hi.', maxRetries: 0 })).rejects.toThrow(/the system prompt needs .* Shorten it/)
    const pinned = { role: 'user', content: long, providerOptions: { precis: { protected: true } } } as const
    const messages = [pinned, { role: 'assistant', content: 'Yes.' } as const, { role: 'user', content: 'Hi.' } as const]
    await expect(generateText({ model: own, instructions: 'Be kind.', messages, maxRetries: 0 })).rejects.toThrow(/what is pinned needs .* pinned messages/)
  },
)

it('options that nobody awaited are no options', () => {
  const options = Promise.resolve({}) as never
  for (const make of [() => withCompaction(model, options), () => createCompaction(options)])
    expect(make).toThrow('options is a promise; write await loadConfig(…), say.')
})

it.each([
  [{ trigger: { hard: { fraction: 0.8 } } }, 'unknown option "trigger"; write policy: { trigger }.'],
  [{ limits: { contextWindow: 8_000, maxOutputTokens: 500 } }, 'unknown option "maxOutputTokens" of limits; write maxOutput.'],
  [{ limits: { contextWindow: 8_000, maxInputTokens: 500 } }, 'unknown option "maxInputTokens" of limits; write maxInput.'],
  [{ limits: { window: 8_000 } }, 'unknown option "window" of limits; write contextWindow.'],
  [{ limits: { contextwindow: 8_000 } }, 'unknown option "contextwindow" of limits; write contextWindow.'],
  [{ model: { contextWindow: 8_000 } }, 'unknown option "model"; write limits: { contextWindow }.'],
  [{ redaction: 'off' }, 'unknown option "redaction"; write redact: createRedactor() or false.'],
  [{ enabled: false }, 'unknown option "enabled"; write PRECIS_DISABLED=1'],
  [{ recal: 'off' }, 'unknown option "recal"; write recall.'],
  [{ sesion: 'a' }, 'unknown option "sesion"; write session.'],
  [{ session: '' }, 'session is ""; expected a text: String(id), say.'],
  [{ recall: 'of' }, 'recall is "of"; write "on", "asked", "tool" or "off".'],
])('%o stands at the wrong level, or under the name that others have for it', (options, said) => {
  for (const make of [() => withCompaction(model, options as never), () => createCompaction(options as never)]) expect(make).toThrow(said)
})

it('limits that have to be waited for are refused by name, also where nobody could be told of their failure', async () => {
  const asked = (async () => Promise.reject(new Error('no catalog'))) as never
  const call = generateText({ model: withCompaction(model, { limits: asked }) as LanguageModel, prompt: 'Hi.', maxRetries: 0 })
  await expect(call).rejects.toThrow('limits returned a promise; write limits: await load(…), or return at once.')
})

it.each([createRedactor, withEverySecret])('a redactor that nobody called is refused: %o', (redact) => {
  expect(() => withCompaction(model, { redact: redact as never })).toThrow('redact is a factory; call it: redact: createRedactor().')
})

it('what a host keeps beside its limits is let pass', () => {
  const limits = { contextWindow: 8_000, maxOutput: undefined, label: 'own' }
  expect(() => withCompaction(model, { limits })).not.toThrow()
})

it.each([{ version: '1.0' }, { mission: 'x' }])('what a host keeps beside its options is no misspelt one of ours: %o', (options) => {
  expect(() => withCompaction(model, options as never)).not.toThrow()
})

it.each([
  [Promise.resolve(model), 'model is a promise that nobody awaited; expected a model object'],
  [{ model, limits: {} }, 'model is an object with model, limits; write (model, options), not ({ model, … }).'],
  [() => model, 'model is a function; expected a model object'],
  [new Map(), 'model is an object of the class Map; expected a model object'],
  [undefined, 'model is undefined; expected a model object'],
])('what is no model is called what it is: %o', (given, said) => {
  expect(() => withCompaction(given as never)).toThrow(said)
})

it.each([
  [undefined, 'modelSummarizer was given undefined; write modelSummarizer({ model }).'],
  [model, 'modelSummarizer was given an object with specificationVersion, provider, modelId, doGenerate; write modelSummarizer({ model }).'],
  ['gpt-5-mini', 'modelSummarizer was given "gpt-5-mini"; write modelSummarizer({ model }).'],
  [{ model: 'gpt-5-mini' }, 'model is "gpt-5-mini"; expected a model object such as openai("gpt-5-mini").'],
  [{}, 'model is undefined; expected a model object'],
  [{ model, window: '200k' }, 'window is "200k"; expected tokens: 200_000, say.'],
  [{ model, windw: 8_000 }, 'unknown option "windw" of modelSummarizer; write window.'],
  [{ model, temperature: 0 }, 'unknown option "temperature" of modelSummarizer; write callOptions: { temperature }.'],
])('a summarizer without a model is refused when it is made: %o', (given, said) => {
  expect(() => modelSummarizer(given as never)).toThrow(InvalidConfigurationError)
  expect(() => modelSummarizer(given as never)).toThrow(said)
})

it('parts of a compaction are told nothing that is the whole’s, and called before they are handed over', () => {
  const compaction = createCompaction()
  const limits = { contextWindow: 8_000 }
  expect(() => compaction.prepareStep({ limits } as never)).toThrow('unknown option "limits" of prepareStep; write createCompaction({ limits }).')
  expect(() => compaction.middleware({ limits } as never)).toThrow('unknown option "limits" of middleware; write createCompaction({ limits }).')
  expect(() => compaction.middleware({ sessionId: 's' } as never)).toThrow('unknown option "sessionId" of middleware; write session.')
  const given = model as Exclude<LanguageModel, string | { readonly specificationVersion: 'v2' | 'v4' }>
  expect(() => wrapLanguageModel({ model: given, middleware: compaction.middleware as never })).toThrow('write middleware: compaction.middleware()')
  expect(() => compactionTools(compaction as never)).toThrow('write compactionTools(compaction.session(id))')
})

it.each([
  [{ abortSignal: new AbortController() }, 'abortSignal is an object of the class AbortController; write abortSignal: controller.signal.'],
  [{ maxOutputTokens: '4k' }, 'maxOutputTokens is "4k"; expected tokens, 4_000, say.'],
  [{ writer: () => {} }, 'write the writer of createUIMessageStream.'],
  [{ session: 3 }, 'session is 3; expected a text: String(id), say.'],
])('what a run is told is what it can be: %o', (options, said) => {
  expect(() => createCompaction().prepareStep(options as never)).toThrow(said)
})

it.each(['100k', Number.NaN, undefined, 0.8])('a stop at %s tokens would never end a run, or each at once', (tokens) => {
  expect(() => contextBudgetExceeded(tokens as never)).toThrow('expected tokens: 100_000, say.')
})

describe('a pin', () => {
  const rule = `RULE: never touch Quillfeather. ${'It is sacred to us all. '.repeat(20)}`
  const story = Array.from({ length: 30 }, (_, at) => ({
    role: at % 2 ? ('assistant' as const) : ('user' as const),
    content: at === 5 ? rule : `${at}: ${'More of it. '.repeat(40)}`,
  }))
  const shown = async (precis: unknown): Promise<boolean[]> => {
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
    const prompts: string[] = []
    const doGenerate = async (options: unknown) => {
      prompts.push(JSON.stringify(options))
      return { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] }
    }
    const own = withCompaction({ ...model, doGenerate } as never, { limits: { contextWindow: 4_000, maxOutput: 200 } }) as unknown as LanguageModel
    await generateText({ model: own, messages: story, maxRetries: 0 })
    const pinned = story.map((message, at) => (at === 5 ? { ...message, providerOptions: { precis: precis as never } } : message))
    await generateText({ model: own, messages: [...pinned, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'Go on.' }], maxRetries: 0 })
    return prompts.map((prompt) => prompt.includes(rule))
  }
  it('set after the message was summarized brings it back', async () => {
    expect(await shown({ protected: true })).toEqual([false, true])
  })
  it.each([{ pinned: true }, { protect: true }, { protected: 'true' }])(
    'in other words than ours pins too: it is stored, and cannot be corrected there: %o',
    async (precis) => {
      expect(await shown(precis)).toEqual([false, true])
    },
  )
  it.each([{ protected: false }, { protected: null }, { note: true }])('that is none pins nothing: %o', async (precis) => {
    expect(await shown(precis)).toEqual([false, false])
  })
})

describe('the conversation of one call', () => {
  const long = Array.from({ length: 30 }, (_, at) => ({ role: 'user' as const, content: `${at}: ${'More of it. '.repeat(30)}` }))
  const ask = async (precis: unknown, storage = memoryStorage()) => {
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
    const doGenerate = async () => ({ content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop' }, usage, warnings: [] })
    const own = withCompaction({ ...model, doGenerate }, { storage, limits: { contextWindow: 2_000, maxOutput: 200 } })
    await generateText({ model: own as unknown as LanguageModel, messages: long, maxRetries: 0, providerOptions: { precis: precis as never } })
    return storage
  }
  it.each([42, 42n])('a number is its name: %s', async (session) => {
    const storage = await ask({ session })
    const compaction = createCompaction({ storage })
    expect((await compaction.compactor.forget('42')).keys).not.toEqual([])
    for await (const key of storage.list('sessions/')) expect(key).toBe('sessions/42/state.json')
  })
  it.each([
    [{ session: {} }, 'providerOptions.precis.session is object; expected a text: String(id), say.'],
    [{ session: Number.NaN }, 'providerOptions.precis.session is NaN; expected a text'],
    [{ sessionId: 'a' }, 'unknown option "sessionId" of providerOptions.precis; write session.'],
    ['a', 'providerOptions.precis is "a"; expected an object with session, deadline, maxRetries.'],
  ])('what would be passed over is refused: %o', async (precis, said) => {
    await expect(ask(precis)).rejects.toThrow(said)
  })
})
