import { InMemoryCache } from '@langchain/core/caches'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { RunnableLambda } from '@langchain/core/runnables'
import { AzureChatOpenAI, ChatOpenAI } from '@langchain/openai'
import { withCompaction } from '@precis/langchain'
import { type StrictProvider, strictProvider } from '@precis/testkit'
import { afterEach, describe, expect, it, vi } from 'vitest'

// Models that people write themselves, and settings that few use: each does what it does without us.

let provider: StrictProvider | undefined
afterEach(async () => {
  await provider?.close()
  provider = undefined
})

/** Keeps its tools in fields of its own, and reports while it streams. */
class Own extends BaseChatModel {
  readonly #key = 'k'
  kept = 0
  #tools = 0
  _llmType(): string {
    return 'own'
  }
  override bindTools(tools: readonly unknown[]): this {
    this.kept = tools.length
    this.#tools = tools.length
    return this
  }
  async _generate(): Promise<ChatResult> {
    const text = `${this.#key}: ${this.kept} and ${this.#tools}`
    return { generations: [{ text, message: new AIMessage(text) }] }
  }
  override async *_streamResponseChunks(_messages: BaseMessage[], _options: unknown, run?: CallbackManagerForLLMRun): AsyncGenerator<ChatGenerationChunk> {
    await run?.handleCustomEvent?.('progress', { run: run.runId })
    yield new ChatGenerationChunk({ text: 'hi', message: new AIMessageChunk('hi') })
  }
}

it('tools that a model keeps in itself are there', async () => {
  const bound = withCompaction(new Own({})).bindTools([{ name: 'a' }])
  expect((await bound.invoke('hi')).text).toBe('k: 1 and 1')
})

it('what a model says of itself it may know from private fields', async () => {
  class Named extends Own {
    readonly #name = 'mine'
    override getLsParams(options: this['ParsedCallOptions']): ReturnType<BaseChatModel['getLsParams']> {
      return { ...super.getLsParams(options), ls_model_name: this.#name }
    }
    override invocationParams(): object {
      return { model: this.#name }
    }
    override _identifyingParams(): Record<string, unknown> {
      return { model: this.#name }
    }
  }
  const told: unknown[] = []
  const callbacks = [{ handleChatModelStart: (...[, , , , extra, , metadata]: unknown[]) => void told.push(extra, metadata) }]
  await withCompaction(new Named({})).invoke('hi', { callbacks: callbacks as never })
  expect(told).toMatchObject([{ invocation_params: { model: 'mine' } }, { ls_model_name: 'mine' }])
})

it('a model that makes a chain of itself and its tools stays inside its window', async () => {
  const seen: number[] = []
  class Chain extends Own {
    override bindTools(): never {
      return RunnableLambda.from((input: BaseMessage[]) => this.invoke(input)) as never
    }
    override async _generate(...[messages]: [] | [BaseMessage[]]): Promise<ChatResult> {
      seen.push(messages?.length ?? 0)
      return { generations: [{ text: 'ok', message: new AIMessage('ok') }] }
    }
  }
  const history = Array.from({ length: 40 }, (_, at) => [new HumanMessage(`Question ${at}: ${'words '.repeat(300)}`), new AIMessage('Yes.')]).flat()
  const bound = withCompaction(new Chain({}) as unknown as BaseChatModel, { limits: { contextWindow: 6_000, maxOutput: 500 } }).bindTools?.([])
  await bound?.invoke([...history, new HumanMessage('And now?')])
  expect(seen[0]).toBeLessThan(40)
})

it('a model that reports while it streams is heard', async () => {
  const heard: string[] = []
  for (const model of [new Own({}), withCompaction(new Own({}))]) {
    for await (const { event, name } of model.streamEvents('hi', { version: 'v2' })) if (event === 'on_custom_event') heard.push(name)
  }
  expect(heard).toEqual(['progress', 'progress'])
})

it('two replies of one streamed request stay two', async () => {
  provider = await strictProvider({ window: 20_000, model: () => ({ text: 'ok', calls: [] }) })
  const chunks = ['A', 'b', 'A', 'b'].map(
    (text, at) => new ChatGenerationChunk({ text, message: new AIMessageChunk(text), generationInfo: { completion: at % 2 } }),
  )
  class Two extends ChatOpenAI {
    override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
      yield* chunks
    }
  }
  const told: number[] = []
  const model = withCompaction(new Two({ model: 'm', apiKey: 'k', streaming: true, n: 2, configuration: { baseURL: provider.url } }))
  const callbacks = [{ handleLLMNewToken: (_: string, { completion }: { completion: number }) => void told.push(completion) }]
  const { generations } = await model.generate([[new HumanMessage('hi')]], { callbacks: callbacks as never })
  expect([generations[0]?.map(({ text }) => text), told]).toEqual([
    ['AA', 'bb'],
    [0, 1, 0, 1],
  ])
})

describe('Azure', () => {
  it('a deployment is not taken for the model that LangChain assumes where nobody says which one it is', async () => {
    const history = Array.from({ length: 150 }, (_, at) => [new HumanMessage(`Question ${at}: ${'words '.repeat(80)}`), new AIMessage('Yes.')]).flat()
    const seen: number[] = []
    const send = async (_: unknown, { body }: { readonly body: string }): Promise<Response> => {
      seen.push(JSON.parse(body).messages.length)
      const choices = [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }]
      return new Response(JSON.stringify({ id: 'x', choices, usage: {} }), { headers: { 'content-type': 'application/json' } })
    }
    const given = { azureOpenAIApiKey: 'k', azureOpenAIApiInstanceName: 'x', azureOpenAIApiVersion: '2024-10-21', configuration: { fetch: send as never } }
    for (const more of [{ azureOpenAIApiDeploymentName: 'prod-chat' }, { azureOpenAIApiDeploymentName: 'prod-chat', model: 'gpt-3.5-turbo' }])
      await withCompaction(new AzureChatOpenAI({ ...given, ...more })).invoke([...history, new HumanMessage('And now?')])
    expect([seen[0], (seen[1] ?? 0) < 301]).toEqual([301, true])
  })
})

describe('a class with an invoke of its own', () => {
  const said: string[] = []
  const listen = (): void => {
    said.length = 0
    vi.spyOn(console, 'warn').mockImplementation((...words: unknown[]) => void said.push(words.join(' ')))
  }
  afterEach(() => vi.restoreAllMocks())

  it('that asks other models is said to go around us, once', async () => {
    class Fallback extends Own {
      override async invoke(...[input]: Parameters<BaseChatModel['invoke']>): Promise<AIMessageChunk> {
        return new Own({}).invoke(input)
      }
    }
    listen()
    for (const model of [withCompaction(new Fallback({})), withCompaction(new Fallback({}))]) expect((await model.invoke('hi')).text).toBe('k: 0 and 0')
    expect(said).toEqual([expect.stringContaining('Fallback answers by an invoke of its own, which goes around withCompaction; wrap the models that it calls')])
  })
  it('that ends in LangChain’s own is none', async () => {
    class Logged extends Own {
      override async invoke(...given: Parameters<BaseChatModel['invoke']>): Promise<AIMessageChunk> {
        return super.invoke(...given)
      }
    }
    listen()
    for (const model of [withCompaction(new Logged({})), withCompaction(withCompaction(new Logged({})))])
      expect((await model.invoke('hi')).text).toBe('k: 0 and 0')
    expect(said).toEqual([])
  })
  it('nor is a reply from a cache', async () => {
    provider = await strictProvider({ window: 8_000, model: () => ({ text: 'fine', calls: [] }) })
    listen()
    const cache = new InMemoryCache()
    for (const _ of [1, 2]) {
      const model = withCompaction(new ChatOpenAI({ model: 'gpt-x', apiKey: 'none', cache, configuration: { baseURL: provider.url } }))
      expect((await model.invoke('hi')).text).toBe('fine')
    }
    expect(provider.requests).toHaveLength(1)
    expect(said).toEqual([])
  })
})
