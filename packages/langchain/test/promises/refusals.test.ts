import { ContextOverflowError } from '@langchain/core/errors'
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { compaction, createCompactor, withCompaction } from '@precis/langchain'
import { scriptedServer, strictProvider } from '@precis/testkit'
import { createAgent, createMiddleware, modelRetryMiddleware } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { modelAt, readFile } from '../vaults.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
const talk = (turns: number): BaseMessage[] =>
  Array.from({ length: turns }, (_, at) => [
    new HumanMessage(`Question ${at}: ${'words '.repeat(80)}`),
    new AIMessage(`Answer ${at}: ${'words '.repeat(80)}`),
  ]).flat()
const long = [...talk(60), new HumanMessage('What now?')]
const limits = { contextWindow: 12_000, maxOutput: 500 }

describe('a refusal is known', () => {
  it.each([
    ['by LangChain’s class, whatever it says', () => new ContextOverflowError('Der Kontext ist voll.')],
    ['by its code behind a wrapper', () => new Error('failed', { cause: Object.assign(new Error('voll'), { lc_error_code: 'CONTEXT_OVERFLOW' }) })],
    [
      'in Together’s words, HTTP 422',
      () =>
        Object.assign(
          new Error('422 Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 12000 `inputs` tokens and 500 `max_new_tokens`'),
          {
            status: 422,
          },
        ),
    ],
    ['in watsonx’s words', () => new Error('the number of input tokens 12000 cannot exceed the total tokens limit 8192 for this model')],
  ])('%s', async (_, errorOf) => {
    const provider = await strictProvider({ window: 200_000, model: () => ({ text: 'done', calls: [] }) })
    closing.push(provider.close)
    const sizes: number[] = []
    const refusing = createMiddleware({
      name: 'Refusing',
      wrapModelCall: (request, handler) => {
        if (sizes.push(request.messages.length) === 1) throw errorOf()
        return handler(request)
      },
    })
    const agent = createAgent({ model: modelAt('openai', provider.url), tools: [], middleware: [compaction(), refusing] })
    const { messages } = await agent.invoke({ messages: long })
    expect([messages.at(-1)?.text, sizes.length]).toEqual(['done', 2])
    expect(sizes[1]).toBeLessThan(sizes[0] as number)
  })
  it('by withCompaction() as the provider package throws it, and a rate limit is none', async () => {
    const ok = {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }],
    }
    const refusal = {
      error: { message: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 12000 `inputs` tokens and 500 `max_new_tokens`' },
    }
    const server = await scriptedServer([
      { status: 422, body: refusal },
      { status: 200, body: ok },
      { status: 429, body: { error: { message: 'Rate limit reached: too many tokens per minute' } } },
    ] as never)
    closing.push(server.close)
    const model = withCompaction(new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: server.url }, maxRetries: 0 }))
    expect((await model.invoke(long)).text).toBe('ok')
    await expect(model.invoke(long)).rejects.toThrow(/Rate limit/)
  })
})

describe('a response that fails in the stream', () => {
  const tooLong = { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model. Please adjust your input and try again.' }
  /** A gateway that accepts the first stream and says in it what is wrong. */
  const failing = async (error: object) => {
    const provider = await strictProvider({ window: 200_000, model: () => ({ text: 'done', calls: [] }) })
    closing.push(provider.close)
    const sizes: number[] = []
    const gateway = async (url: string, init: { readonly body: string }): Promise<Response> => {
      if (sizes.push(init.body.length) > 1) return fetch(url, init)
      const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
      const failed = { id: 'resp_x', object: 'response', status: 'failed', output: [], error, usage: null }
      const body = event('response.created', { response: { ...failed, status: 'in_progress', error: null } }) + event('response.failed', { response: failed })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    }
    const configuration = { baseURL: provider.url, fetch: gateway as never }
    return { sizes, model: new ChatOpenAI({ model: 'm', apiKey: 'none', configuration, maxRetries: 0, useResponsesApi: true, streaming: true }) }
  }
  it.each(['middleware', 'model'] as const)('for its size is sent again smaller (%s)', async (place) => {
    const { model, sizes } = await failing(tooLong)
    const answer =
      place === 'model'
        ? await withCompaction(model).invoke(long)
        : (await createAgent({ model, tools: [], middleware: [compaction()] }).invoke({ messages: long })).messages.at(-1)
    expect([answer?.text, sizes.length]).toEqual(['done', 2])
    expect(sizes[1]).toBeLessThan(sizes[0] as number)
  })
  it('for anything else is what LangChain makes of it', async () => {
    const { model, sizes } = await failing({ code: 'server_error', message: 'The server had an error.' })
    expect([(await withCompaction(model).invoke(long)).text, sizes.length]).toEqual(['', 1])
  })
})

describe('beside other middleware', () => {
  it.each(['before', 'behind'] as const)('modelRetryMiddleware %s us: a server that fails once is asked again, a refusal is answered', async (place) => {
    const provider = await strictProvider({ window: 8_000, maxOutput: 500, hiccups: { 1: 503 }, model: () => ({ text: 'done', calls: [] }) })
    closing.push(provider.close)
    // Its type knows no `undefined` of its own options.
    const retry = modelRetryMiddleware({
      maxRetries: 3,
      initialDelayMs: 1,
      retryOn: (error) => /503|server had an error/i.test(String(error)) || (error as { status?: number }).status === 503,
      onFailure: 'error',
    }) as unknown as ReturnType<typeof createMiddleware>
    const own = compaction()
    const agent = createAgent({
      model: modelAt('openai', provider.url),
      tools: [readFile],
      middleware: place === 'before' ? [retry, own] : [own, retry],
    })
    const { messages } = await agent.invoke({ messages: long })
    expect(messages.at(-1)?.text).toBe('done')
    expect(provider.requests.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('behind a middleware that makes a reply of an error', () => {
  const agentAt = (url: string, options: object) =>
    createAgent({
      model: modelAt('openai', url),
      tools: [readFile],
      middleware: [compaction(), modelRetryMiddleware({ maxRetries: 0, ...options }) as unknown as ReturnType<typeof createMiddleware>],
    })
  const serverWith = async (options: object) => {
    const provider = await strictProvider({ window: 8_000, maxOutput: 500, model: () => ({ text: 'done', calls: [] }), ...options })
    closing.push(provider.close)
    return provider
  }
  it.each([
    ['as it comes', {}],
    ['in words of its own', { onFailure: (error: Error) => `Sorry: ${error.message}` }],
  ])('modelRetryMiddleware, %s: a refusal is answered all the same', async (words, options) => {
    const provider = await serverWith({})
    // A conversation of its own: of one that went on before, it is known what fits.
    const { messages } = await agentAt(provider.url, options).invoke({ messages: [new HumanMessage(words), ...long] })
    expect(messages.at(-1)?.text).toBe('done')
    expect(provider.requests.map(({ status }) => status)).toEqual([400, 200])
  })
  it('what is no refusal is the reply that it made', async () => {
    const provider = await serverWith({ hiccups: { 0: 403, 1: 403 } })
    const { messages } = await agentAt(provider.url, {}).invoke({ messages: [new HumanMessage('Hello.')] })
    expect(messages.at(-1)?.text).toMatch(/^Model call failed after 1 attempt/)
  })
})

describe('in front of a model', () => {
  it('prompt values, texts and messages go through a Runnable', async () => {
    const { ChatPromptTemplate, MessagesPlaceholder } = await import('@langchain/core/prompts')
    const provider = await strictProvider({ window: 12_000, maxOutput: 500, model: () => ({ text: 'done', calls: [] }) })
    closing.push(provider.close)
    const prompt = ChatPromptTemplate.fromMessages([['system', 'Be brief.'], new MessagesPlaceholder('history')])
    const chain = prompt.pipe(createCompactor({ limits })).pipe(modelAt('openai', provider.url))
    expect((await chain.invoke({ history: long })).text).toBe('done')
    const compactor = createCompactor({ limits })
    expect((await compactor.invoke('Hello')).map((message) => [message.getType(), message.text])).toEqual([['human', 'Hello']])
    expect((await compactor.invoke(new HumanMessage('Hello') as never)).map(({ text }) => text)).toEqual(['Hello'])
    expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([])
  })
})
