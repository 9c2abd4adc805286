import { builtInEstimator } from '@precis/core'
import { afterEach, describe, expect, it } from 'vitest'
import { recallModel, type StrictProvider, strictProvider, unknownAnswer } from '../src/index.ts'

let provider: StrictProvider | undefined
afterEach(() => provider?.close())

const post = async (path: string, body: object): Promise<{ status: number; text: string }> => {
  const response = await fetch(`${provider?.url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}
const echo = () => ({ text: 'hello', calls: [] })

describe('strictProvider', () => {
  it.each([
    ['/chat/completions', /maximum context length is 500 tokens/],
    ['/messages', /prompt is too long: \d+ tokens > \d+ maximum/],
  ])('%s: overflow in the provider’s words', async (path, expected) => {
    provider = await strictProvider({ window: 500, model: echo })
    const { status, text } = await post(path, { max_tokens: 100, messages: [{ role: 'user', content: 'word '.repeat(900) }] })
    expect(status).toBe(400)
    expect(JSON.parse(text).error.message).toMatch(expected)
  })
  it('refuses what is invalid, and records it', async () => {
    provider = await strictProvider({ window: 5_000, model: echo })
    expect((await post('/chat/completions', { messages: [{ role: 'tool', tool_call_id: '1', content: 'x' }] })).status).toBe(400)
    expect(provider.requests[0]?.violations[0]?.rule).toBe('result-follows-call')
    expect((await post('/elsewhere', {})).status).toBe(404)
  })
  it('counts what the prompt cache would hold', async () => {
    provider = await strictProvider({ window: 50_000, model: echo })
    const messages = [{ role: 'user', content: 'word '.repeat(3_000) }]
    await post('/chat/completions', { messages })
    await post('/chat/completions', { messages: [...messages, { role: 'user', content: 'more' }] })
    await post('/chat/completions', { messages: [{ role: 'user', content: 'other' }, ...messages] })
    const shares = provider.requests.map((request) => request.cachedTokens / request.inputTokens)
    expect(shares[0]).toBe(0)
    expect(shares[1]).toBeGreaterThan(0.95)
    expect(shares[2]).toBe(0)
  })
  it('counts with the skew it is given, and fails when it is told to', async () => {
    provider = await strictProvider({ window: 50_000, model: echo, skew: 2, hiccups: { 1: 429 } })
    const body = { messages: [{ role: 'user', content: 'word '.repeat(1_000) }] }
    await post('/chat/completions', body)
    const [skewed] = provider.requests
    const text = JSON.stringify([]) + JSON.stringify('') + JSON.stringify(body.messages[0])
    expect(skewed?.inputTokens).toBeGreaterThan(builtInEstimator.count(text) * 1.9)
    expect((await post('/chat/completions', body)).status).toBe(429)
  })
})

describe('recallModel', () => {
  const model = recallModel({
    steps: [
      { tool: 'read', input: () => ({ path: 'a' }) },
      { tool: 'read', input: (recall) => ({ path: recall(/token=(\w+)/) ?? 'unknown' }) },
    ],
    questions: [{ asks: 'which token', pattern: /token=(\w+)/ }],
    final: 'done',
  })
  const user = (text: string) => ({ role: 'user', text, callIds: [], isResult: false })
  const called = (id: string) => ({ role: 'assistant', text: 'read', callIds: [id], isResult: false })
  const result = (text: string) => ({ role: 'tool', text, callIds: [], isResult: true })
  it('knows where it stands from the request alone', () => {
    expect(model([user('go')]).calls[0]?.id).toBe('step_0')
    expect(model([user('go'), called('step_0'), result('token=abc')]).calls[0]).toEqual({ id: 'step_1', tool: 'read', input: '{"path":"abc"}' })
    expect(model([user('go'), called('step_1'), result('x')]).text).toBe('done')
  })
  it('does not know what the request does not say', () => {
    expect(model([user('go'), called('step_0'), result('x')]).calls[0]?.input).toBe('{"path":"unknown"}')
    expect(model([user('go'), user('which token? token=no')]).text).toBe(unknownAnswer)
    expect(model([result('token=abc'), user('which token?')]).text).toBe('abc')
  })
})
