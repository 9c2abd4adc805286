import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { scriptedServer } from '@precis/testkit'
import { createAgent } from 'langchain'
import { afterEach, describe, expect, it } from 'vitest'
import { compactionMiddleware } from '../../src/index.ts'
import { closeAll, closing, invoke, steps } from './setup.ts'

afterEach(closeAll)

describe('overflows, in the words of real clients', () => {
  const ok = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 9, output_tokens: 1 },
  }
  const chat = {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }],
    usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
  }
  const anthropicError = (type: string, message: string): object => ({ type: 'error', error: { type, message } })
  it.each([
    ['Anthropic, prompt is too long', 'anthropic', 400, anthropicError('invalid_request_error', 'prompt is too long: 9000 tokens > 6000 maximum')],
    [
      'Anthropic, max_tokens beyond the limit',
      'anthropic',
      400,
      anthropicError(
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 9000 + 500 > 6000, decrease input length or `max_tokens` and try again',
      ),
    ],
    ['Anthropic, 413', 'anthropic', 413, anthropicError('request_too_large', 'Request exceeds the maximum size')],
    [
      'OpenAI',
      'openai',
      400,
      {
        error: {
          message: "This model's maximum context length is 6000 tokens. However, your messages resulted in 9000 tokens.",
          code: 'context_length_exceeded',
          type: 'invalid_request_error',
        },
      },
    ],
    [
      'vLLM',
      'openai',
      400,
      { error: { message: "Input length (9000) exceeds the model's maximum context length (6000).", type: 'BadRequestError', code: 400 } },
    ],
  ] as const)('%s: recovered from, once', async (_, kind, status, body) => {
    const server = await scriptedServer([{ status, body }, { body: kind === 'anthropic' ? ok : chat }])
    closing.push(server.close)
    const model =
      kind === 'anthropic'
        ? new ChatAnthropic({ model: 'm', apiKey: 'none', anthropicApiUrl: server.url, maxTokens: 500, maxRetries: 0 })
        : new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: server.url }, maxRetries: 0 })
    const agent = createAgent({ model, tools: [], middleware: [compactionMiddleware()] })
    const { messages } = await invoke(agent, [new HumanMessage('go'), ...steps(30), new HumanMessage('on')])
    expect(messages.at(-1)?.text).toBe('ok')
    const sizes = server.requests.map((request) => JSON.stringify(request['messages']).length)
    expect(sizes).toHaveLength(2)
    expect(sizes[1]).toBeLessThan(sizes[0] as number)
  })
  it('a rate limit that speaks of tokens is none, unless this request alone is larger than it: waiting does not help then', async () => {
    const limited = (message: string) => ({ status: 429, body: { error: { message, code: 'rate_limit_exceeded', type: 'tokens' } } })
    const asked = async (message: string) => {
      const server = await scriptedServer([limited(message), { body: chat }])
      closing.push(server.close)
      const model = new ChatOpenAI({ model: 'm', apiKey: 'none', configuration: { baseURL: server.url }, maxRetries: 0 })
      const agent = createAgent({ model, tools: [], middleware: [compactionMiddleware()] })
      const answer = invoke(agent, [new HumanMessage('go'), ...steps(30), new HumanMessage('on')])
      return { server, answer }
    }
    const waiting = await asked('Rate limit reached for gpt on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.')
    await expect(waiting.answer).rejects.toThrow(/Rate limit reached/)
    expect(waiting.server.requests).toHaveLength(1)
    const alone = await asked('Request too large for gpt on tokens per min (TPM): Limit 3000, Requested 40000.')
    expect((await alone.answer).messages.at(-1)?.text).toBe('ok')
    expect(alone.server.requests).toHaveLength(2)
  })
})
