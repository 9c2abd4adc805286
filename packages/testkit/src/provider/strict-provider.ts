import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { builtInEstimator } from '@precis/core'
import { type AnthropicMessage, validateAnthropic } from '../wire/anthropic.ts'
import { type ChatMessage, validateOpenAIChat } from '../wire/openai-chat.ts'
import type { Violation } from '../wire/violation.ts'
import { type PromptEntry, readAnthropicPrompt, readChatPrompt } from './prompt.ts'
import type { ModelReply } from './recall-model.ts'

export interface StrictProviderOptions {
  /** Tokens that fit into one request, reply included. Hidden: no client is told before it exceeds it. */
  readonly window: number
  readonly model: (prompt: readonly PromptEntry[]) => ModelReply
  /** What this provider's tokenizer counts for each token of the built-in estimator. Default 1. */
  readonly skew?: number
  /** Reply tokens assumed where a request names none. Default 256. */
  readonly maxOutput?: number
  /** HTTP status that the n-th request (from 0) gets in place of an answer, such as `{ 3: 503 }`. */
  readonly hiccups?: Readonly<Record<number, number>>
}

export interface RecordedRequest {
  readonly shape: 'openai-chat' | 'anthropic'
  readonly stream: boolean
  readonly prompt: readonly PromptEntry[]
  readonly inputTokens: number
  /** Of them, read from the prompt cache: the longest beginning shared with the request before. */
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly status: number
  readonly violations: readonly Violation[]
}

export interface StrictProvider {
  /** Base address for OpenAI-shaped clients; Anthropic-shaped ones take the same. */
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  close(): Promise<void>
}

let replies = 0
/** Every answer has an id of its own: frameworks keep messages by them. */
const replyId = (): string => `reply_${++replies}`

/** Shortest beginning that a prompt cache holds (tokens). */
const smallestCached = 1_024
/** A server that outlives its test ends by itself (milliseconds). */
const longestLife = 15 * 60_000

/**
 * A provider on the loopback interface that speaks OpenAI Chat Completions and Anthropic Messages, streaming or not, and forgives nothing:
 * a request that the real one would refuse gets a 400 in its words, one that exceeds the window its overflow error.
 */
export async function strictProvider(options: StrictProviderOptions): Promise<StrictProvider> {
  const requests: RecordedRequest[] = []
  const skew = options.skew ?? 1
  let arrived = 0
  let before = ''

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const shape = request.url?.endsWith('/chat/completions') === true ? 'openai-chat' : request.url?.endsWith('/messages') === true ? 'anthropic' : undefined
    if (request.method !== 'POST' || shape === undefined) return send(response, 404, { error: { message: `no such path: ${request.url}` } })
    const hiccup = options.hiccups?.[arrived++]
    if (hiccup !== undefined)
      return send(response, hiccup, {
        error: { message: hiccup === 429 ? 'Rate limit reached: too many tokens per minute' : 'The server had an error', type: 'server_error' },
      })
    const body = JSON.parse(await readBody(request)) as Body
    const prompt =
      shape === 'openai-chat'
        ? readChatPrompt(body.messages as readonly ChatMessage[])
        : readAnthropicPrompt(body.system, body.messages as readonly AnthropicMessage[])
    const violations =
      shape === 'openai-chat'
        ? validateOpenAIChat(body.messages as readonly ChatMessage[])
        : validateAnthropic(body.messages as readonly AnthropicMessage[], { thinking: body.thinking?.type === 'enabled' })
    const serialised = [JSON.stringify(body.tools ?? []), JSON.stringify(body.system ?? ''), ...body.messages.map((message) => JSON.stringify(message))]
    const count = (text: string): number => Math.ceil(builtInEstimator.count(text) * skew)
    const inputTokens = serialised.reduce((sum, text) => sum + count(text), 0)
    const whole = serialised.join('\n')
    const shared = count(whole.slice(0, sharedLength(before, whole)))
    const cachedTokens = shared >= smallestCached ? Math.min(shared, inputTokens) : 0
    const maxOutput = body.max_tokens ?? body.max_completion_tokens ?? options.maxOutput ?? 256
    const record = (status: number, outputTokens = 0): void => {
      requests.push({
        shape,
        stream: body.stream === true,
        prompt,
        inputTokens,
        cachedTokens: status === 200 ? cachedTokens : 0,
        outputTokens,
        status,
        violations,
      })
    }
    if (violations.length > 0) {
      record(400)
      return send(response, 400, errorBody(shape, violations[0]?.message ?? '', 'invalid_request_error'))
    }
    if (inputTokens + maxOutput > options.window) {
      record(400)
      const message =
        shape === 'openai-chat'
          ? `This model's maximum context length is ${options.window} tokens. However, you requested ${inputTokens + maxOutput} tokens (${inputTokens} in the messages, ${maxOutput} in the completion). Please reduce the length of the messages or completion.`
          : `prompt is too long: ${inputTokens} tokens > ${options.window - maxOutput} maximum`
      return send(response, 400, errorBody(shape, message, 'invalid_request_error', 'context_length_exceeded'))
    }
    before = whole
    const reply = options.model(prompt)
    const outputTokens = count(reply.text) + reply.calls.reduce((sum, call) => sum + count(call.input) + 8, 0)
    record(200, outputTokens)
    const usage = { inputTokens, cachedTokens, outputTokens }
    if (shape === 'openai-chat') return body.stream === true ? streamChat(response, reply, usage) : send(response, 200, chatBody(reply, usage))
    return body.stream === true ? streamAnthropic(response, reply, usage) : send(response, 200, anthropicBody(reply, usage))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => send(response, 500, { error: { message: String(error) } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const end = setTimeout(() => server.close(), longestLife)
  end.unref()
  server.unref() // a program that has nothing else to do may end
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        clearTimeout(end)
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

interface Body {
  readonly messages: readonly unknown[]
  readonly system?: unknown
  readonly tools?: unknown
  readonly stream?: boolean
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly thinking?: { readonly type?: string }
}

interface Usage {
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
}

function errorBody(shape: RecordedRequest['shape'], message: string, type: string, code?: string): object {
  return shape === 'openai-chat'
    ? { error: { message, type, param: 'messages', code: code ?? null } }
    : { type: 'error', error: { type, message }, request_id: 'req_strict' }
}

function chatUsage({ inputTokens, cachedTokens, outputTokens }: Usage): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  }
}

function chatCalls(reply: ModelReply): readonly object[] {
  return reply.calls.map((call, index) => ({ index, id: call.id, type: 'function', function: { name: call.tool, arguments: call.input } }))
}

function chatBody(reply: ModelReply, usage: Usage): object {
  const message = { role: 'assistant', content: reply.text, ...(reply.calls.length > 0 && { tool_calls: chatCalls(reply) }) }
  return {
    id: replyId(),
    object: 'chat.completion',
    created: 0,
    model: 'strict',
    choices: [{ index: 0, message, finish_reason: reply.calls.length > 0 ? 'tool_calls' : 'stop' }],
    usage: chatUsage(usage),
  }
}

function streamChat(response: ServerResponse, reply: ModelReply, usage: Usage): void {
  const id = replyId()
  const chunk = (delta: object, finish: string | null = null): string =>
    JSON.stringify({ id, object: 'chat.completion.chunk', created: 0, model: 'strict', choices: [{ index: 0, delta, finish_reason: finish }] })
  const events = [chunk({ role: 'assistant', content: '' })]
  for (const piece of reply.text.match(/[\s\S]{1,40}/g) ?? []) events.push(chunk({ content: piece }))
  for (const call of chatCalls(reply)) events.push(chunk({ tool_calls: [call] }))
  events.push(chunk({}, reply.calls.length > 0 ? 'tool_calls' : 'stop'))
  events.push(JSON.stringify({ id, object: 'chat.completion.chunk', created: 0, model: 'strict', choices: [], usage: chatUsage(usage) }), '[DONE]')
  stream(
    response,
    events.map((data) => `data: ${data}\n\n`),
  )
}

function anthropicUsage({ inputTokens, cachedTokens, outputTokens }: Usage): object {
  return { input_tokens: inputTokens - cachedTokens, cache_read_input_tokens: cachedTokens, cache_creation_input_tokens: 0, output_tokens: outputTokens }
}

function anthropicBlocks(reply: ModelReply): readonly object[] {
  const calls = reply.calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.tool, input: JSON.parse(call.input) as unknown }))
  return reply.text === '' ? calls : [{ type: 'text', text: reply.text }, ...calls]
}

function anthropicBody(reply: ModelReply, usage: Usage): object {
  return {
    id: replyId(),
    type: 'message',
    role: 'assistant',
    model: 'strict',
    content: anthropicBlocks(reply),
    stop_reason: reply.calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: anthropicUsage(usage),
  }
}

function streamAnthropic(response: ServerResponse, reply: ModelReply, usage: Usage): void {
  const events: (readonly [string, object])[] = [
    [
      'message_start',
      {
        message: {
          id: replyId(),
          type: 'message',
          role: 'assistant',
          model: 'strict',
          content: [],
          stop_reason: null,
          usage: { ...anthropicUsage(usage), output_tokens: 0 },
        },
      },
    ],
  ]
  let index = 0
  if (reply.text !== '') {
    events.push(
      ['content_block_start', { index, content_block: { type: 'text', text: '' } }],
      ['content_block_delta', { index, delta: { type: 'text_delta', text: reply.text } }],
      ['content_block_stop', { index }],
    )
    index++
  }
  for (const call of reply.calls) {
    events.push(['content_block_start', { index, content_block: { type: 'tool_use', id: call.id, name: call.tool, input: {} } }])
    events.push(['content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: call.input } }], ['content_block_stop', { index }])
    index++
  }
  events.push(
    [
      'message_delta',
      { delta: { stop_reason: reply.calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: usage.outputTokens } },
    ],
    ['message_stop', {}],
  )
  stream(
    response,
    events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`),
  )
}

function stream(response: ServerResponse, chunks: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const chunk of chunks) response.write(chunk)
  response.end()
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function sharedLength(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let at = 0
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at
}
