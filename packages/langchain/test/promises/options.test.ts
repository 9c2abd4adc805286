import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { createCompactor as createCoreCompactor, InvalidConfigurationError, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { compaction, compactionTools, createCompactionNode, createCompactor, modelSummarizer, withCompaction } from '@precis/langchain'
import { createAgent } from 'langchain'
import { describe, expect, it } from 'vitest'
import { Recorder } from '../../bench/histories.ts'
import { Caller, invoke, limits, read, steps } from '../traps/setup.ts'
import { modelAt } from '../vaults.ts'

it.each([null, 'gpt-5.2', 200_000])('options that are %s are refused, with what to write', (given) => {
  const options = given as never
  for (const make of [
    () => withCompaction(modelAt('openai', 'http://127.0.0.1'), options),
    () => compaction(options),
    () => createCompactor(options),
    () => createCompactionNode(options),
  ]) {
    expect(make).toThrow(InvalidConfigurationError)
    expect(make).toThrow(/options is .*; write \{ limits/)
  }
})

describe('a thread whose id is a number is found by it', () => {
  const history = [new HumanMessage('go'), ...steps(30), new HumanMessage('go on')]
  const ways: readonly (readonly [string, (storage: StorageDriver, config: object) => Promise<unknown>])[] = [
    ['withCompaction', async (storage, config) => withCompaction(new Recorder('done'), { limits, storage }).invoke(history, config)],
    ['createCompactor', async (storage, config) => createCompactor({ limits, storage }).invoke(history, config)],
    [
      'compaction',
      async (storage, config) => {
        const agent = createAgent({ model: new Caller(20), tools: [read], middleware: [compaction({ limits, storage })] })
        return (agent as unknown as { invoke(input: object, config: object): Promise<unknown> }).invoke(
          { messages: history },
          { recursionLimit: 200, ...config },
        )
      },
    ],
  ]
  it.each(ways)('%s', async (_, run) => {
    for (const name of ['thread_id', 'session_id', 'sessionId']) {
      const storage = memoryStorage()
      await run(storage, { configurable: { [name]: 42 } })
      expect((await createCoreCompactor({ codec: neutralCodec, storage }).forget('42')).keys).toContain('sessions/42/state.json')
    }
  })
  it('one that is neither a number nor a text is refused', async () => {
    const fit = createCompactor({ limits }).invoke(history, { configurable: { thread_id: { id: 42 } } })
    await expect(fit).rejects.toThrow('configurable.thread_id is object; expected a text: String(id), say.')
  })
})

it.each([
  [{ trigger: { fraction: 0.8 } }, 'unknown option "trigger"; write policy: { trigger:'],
  [{ keep: { messages: 20 } }, 'unknown option "keep"; write policy: { retain:'],
  [{ model: 'openai:gpt-5-mini' }, 'unknown option "model"; write summarizer: modelSummarizer({ model }).'],
  [{ maxTokensBeforeSummary: 4_000 }, 'unknown option "maxTokensBeforeSummary"; write policy: { trigger: { hard: { tokens:'],
  [{ limits: { ...limits, maxOutputTokens: 500 } }, 'unknown option "maxOutputTokens" of limits; write maxOutput.'],
])('what LangChain’s own summarization calls otherwise is named: %o', (options, said) => {
  expect(() => compaction(options as never)).toThrow(said)
})

it.each([
  [() => createCompactor(), 'write compaction(options)'],
  [() => withCompaction(new Caller(2), { limits }), 'write middleware: [compaction(options)], with the model itself'],
])('what is no middleware says so in the first call, and not nothing: %s', async (make, said) => {
  const agent = createAgent({ model: new Caller(2), tools: [read], middleware: [make() as never] })
  await expect(invoke(agent, [new HumanMessage('go')])).rejects.toThrow(said)
})

it.each([
  [undefined, 'modelSummarizer was given undefined; write modelSummarizer({ model }).'],
  ['gpt-5-mini', 'modelSummarizer was given "gpt-5-mini"; write modelSummarizer({ model }).'],
  [modelAt('openai', 'http://127.0.0.1'), 'modelSummarizer was given an object of the class ChatOpenAI; write modelSummarizer({ model }).'],
  [{ model: 'gpt-5-mini' }, 'model is "gpt-5-mini"; expected a chat model'],
])('a summarizer without a model is refused when it is made: %#', (given, said) => {
  expect(() => modelSummarizer(given as never)).toThrow(said)
})

it('what is no model, and no session, is called what it is', () => {
  expect(() => withCompaction(Promise.resolve() as never)).toThrow('model is a promise that nobody awaited; expected a chat model')
  expect(() => withCompaction({ model: {}, limits } as never)).toThrow('model is an object with model, limits; write (model, options)')
  expect(() => compactionTools(compaction() as never)).toThrow('write compactionTools(middleware.session(thread))')
})

describe('a pin', () => {
  const rule = `RULE: never touch Quillfeather. ${'It is sacred to us all. '.repeat(20)}`
  const story = (precis?: object) =>
    Array.from({ length: 30 }, (_, at) => {
      const content = at === 5 ? rule : `${at}: ${'More of it. '.repeat(40)}`
      const marks = at === 5 && precis !== undefined ? { additional_kwargs: { precis } } : {}
      return at % 2 ? new AIMessage({ content, ...marks }) : new HumanMessage(content)
    })
  const shown = async (precis: object): Promise<boolean[]> => {
    const recorder = new Recorder('done')
    const model = withCompaction(recorder, { limits: { contextWindow: 4_000, maxOutput: 200 } })
    await model.invoke(story())
    await model.invoke([...story(precis), new AIMessage('ok'), new HumanMessage('Go on.')])
    return recorder.seen.map((messages) => JSON.stringify(messages).includes(rule))
  }
  it('set after the message was summarized brings it back', async () => {
    expect(await shown({ protected: true })).toEqual([false, true])
  })
  it('in other words than ours pins too: a thread keeps it', async () => {
    expect(await shown({ pinned: true })).toEqual([false, true])
  })
})
