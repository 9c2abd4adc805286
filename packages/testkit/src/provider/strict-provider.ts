import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { builtInEstimator } from '@precis/core'
import type { Violation } from '../wire/violation.ts'
import { type Loopback, onLoopback } from './loopback.ts'
import type { PromptEntry } from './prompt.ts'
import type { Declared, ModelReply } from './recall-model.ts'
import { anthropic } from './shapes/anthropic.ts'
import { gemini } from './shapes/gemini.ts'
import { openaiChat } from './shapes/openai-chat.ts'
import { openaiResponses } from './shapes/openai-responses.ts'
import type { WireBody, WireHandler } from './shapes/shape.ts'

/** The provider’s window, tokenizer and model. */
export interface StrictProviderOptions {
  /** Tokens that fit into one request, reply included. Hidden: no client is told before it exceeds it. */
  readonly window: number
  /** What is answered to a prompt, by code. */
  readonly model: (prompt: readonly PromptEntry[], declared: Declared) => ModelReply
  /** The words in which a request with these tools is refused; undefined where it is not. */
  readonly refusesTools?: (names: readonly string[]) => string | undefined
  /** What this provider's tokenizer counts for each token of the built-in estimator. Default 1. */
  readonly skew?: number
  /** Reply tokens assumed where a request names none. Default 256. */
  readonly maxOutput?: number
  /** HTTP status that the n-th request (from 0) gets in place of an answer, such as `{ 3: 503 }`. */
  readonly hiccups?: Readonly<Record<number, number>>
}

/** One request as the provider took it. */
export interface RecordedRequest {
  readonly shape: WireHandler['name']
  readonly stream: boolean
  readonly prompt: readonly PromptEntry[]
  readonly declared: Declared
  /** Single values of the body as they were sent: model, temperature, seed, the greatest length of the reply. */
  readonly settings: Readonly<Record<string, string | number | boolean>>
  readonly inputTokens: number
  /** Of them, read from the prompt cache: the longest beginning shared with the request before. */
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly status: number
  readonly violations: readonly Violation[]
}

/** A provider on the loopback that refuses what real ones refuse. */
export interface StrictProvider extends Loopback {
  readonly requests: readonly RecordedRequest[]
}

/** Shortest beginning that a prompt cache holds (tokens). */
const smallestCached = 1_024
/** A server that outlives its test ends by itself (milliseconds). */
const longestLife = 15 * 60_000

/**
 * A provider on the loopback interface that speaks OpenAI Chat Completions and Responses, Anthropic Messages and Gemini's generateContent, streaming or not, and
 * forgives nothing: a request that the real one would refuse gets a 400 in its words, one that exceeds the window its overflow error.
 */
export async function strictProvider(options: StrictProviderOptions): Promise<StrictProvider> {
  const requests: RecordedRequest[] = []
  const handlers = [openaiChat(), openaiResponses(), anthropic(), gemini()]
  const skew = options.skew ?? 1
  const count = (text: string): number => Math.ceil(builtInEstimator.count(text) * skew)
  let arrived = 0
  let before = ''

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? ''
    const handler = handlers.find((one) => one.matches(path))
    if (request.method !== 'POST' || handler === undefined) return send(response, 404, { error: { message: `no such path: ${path}` } })
    const hiccup = options.hiccups?.[arrived++]
    if (hiccup !== undefined)
      return send(response, hiccup, {
        error: { message: hiccup === 429 ? 'Rate limit reached: too many tokens per minute' : 'The server had an error', type: 'server_error' },
      })
    const body = JSON.parse(await readBody(request)) as WireBody
    const incoming = handler.read(body, path)
    const { prompt, declared, stream } = incoming
    const refused = options.refusesTools?.(declared.tools)
    const violations = refused === undefined ? incoming.violations : [...incoming.violations, { rule: 'tools-refused', message: refused }]
    const inputTokens = incoming.serialized.reduce((sum, text) => sum + count(text), 0)
    const whole = incoming.serialized.join('\n')
    const shared = count(whole.slice(0, sharedLength(before, whole)))
    const cachedTokens = shared >= smallestCached ? Math.min(shared, inputTokens) : 0
    const maxOutput = incoming.maxOutput ?? options.maxOutput ?? 256
    const record = (status: number, outputTokens = 0): void => {
      const cached = status === 200 ? cachedTokens : 0
      requests.push({
        shape: handler.name,
        stream,
        prompt,
        declared,
        settings: settingsOf(body),
        inputTokens,
        cachedTokens: cached,
        outputTokens,
        status,
        violations,
      })
    }
    if (violations.length > 0) {
      record(400)
      return send(response, 400, handler.refusal(violations[0]?.message ?? '', false))
    }
    if (inputTokens + maxOutput > options.window) {
      record(400)
      return send(response, 400, handler.refusal(handler.overflow({ input: inputTokens, reply: maxOutput, window: options.window }), true))
    }
    before = whole
    const reply = options.model(prompt, declared)
    const outputTokens = count(reply.text + (reply.thinking ?? '')) + reply.calls.reduce((sum, call) => sum + count(call.input) + 8, 0)
    record(200, outputTokens)
    const usage = { inputTokens, cachedTokens, outputTokens }
    if (!stream) return send(response, 200, handler.whole(reply, usage, incoming))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of handler.events(reply, usage, incoming)) response.write(event)
    response.end()
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => send(response, 500, { error: { message: String(error) } }))
  })
  const { url, close } = await onLoopback(server)
  const end = setTimeout(() => server.close(), longestLife)
  end.unref()
  return {
    url,
    requests,
    close: () => {
      clearTimeout(end)
      return close()
    },
  }
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

/** Texts of a conversation that stand in a field by themselves. */
const words = new Set(['input', 'instructions', 'system'])

function settingsOf(body: WireBody): RecordedRequest['settings'] {
  const single = Object.entries(body).filter(([name, value]) => !words.has(name) && ['string', 'number', 'boolean'].includes(typeof value))
  return Object.fromEntries(single) as RecordedRequest['settings']
}
