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

describe('what a model thought comes back as it was', () => {
  const reply = { thinking: 'hm', text: '', calls: [{ id: 'c', tool: 't', input: '{}' }] }
  const json = async (path: string, body: object): Promise<Record<string, never>> => JSON.parse((await post(path, body)).text) as Record<string, never>
  const broken = () => provider?.requests.at(-1)?.violations.map(({ rule }) => rule)
  it('Anthropic: the thinking block, signed, beside its call', async () => {
    provider = await strictProvider({ window: 50_000, model: () => reply })
    const base = { max_tokens: 50, thinking: { type: 'enabled' }, tools: [{ name: 't' }] }
    const ask = { role: 'user', content: 'hi' }
    const answer = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] }
    const { content } = (await json('/messages', { ...base, messages: [ask] })) as unknown as { content: { type: string }[] }
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'tool_use'])
    const send = (blocks: readonly object[], more = {}) =>
      post('/messages', { ...base, ...more, messages: [ask, { role: 'assistant', content: blocks }, answer] })
    expect((await send(content)).status).toBe(200)
    await send([{ ...content[0], signature: 'other' }, ...content.slice(1)])
    expect(broken()).toEqual(['thinking-signed'])
    await send([{ type: 'redacted_thinking' }, ...content.slice(1)])
    expect(broken()).toEqual(['thinking-kept'])
    await send(content, { tools: [] })
    expect(broken()).toEqual(['tools-declared'])
    expect((await post('/messages', { ...base, stream: true, messages: [ask] })).text).toContain('signature_delta')
  })
  it('OpenAI Responses: the reasoning item with what came behind it', async () => {
    provider = await strictProvider({ window: 50_000, model: () => reply })
    const ask = { type: 'message', role: 'user', content: 'hi' }
    const { output } = (await json('/responses', { input: [ask] })) as unknown as { output: { type: string; id: string }[] }
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
    const answer = { type: 'function_call_output', call_id: 'c', output: 'x' }
    const references = output.map(({ id }) => ({ type: 'item_reference', id }))
    expect((await post('/responses', { input: [ask, ...references, answer] })).status).toBe(200)
    await post('/responses', { input: [ask, references[1], answer] })
    expect(broken()).toEqual(['item-with-reasoning'])
    await post('/responses', { input: [ask, references[0], ask] })
    expect(broken()).toEqual(['reasoning-followed'])
    expect((await post('/responses', { stream: true, input: [ask] })).text).toContain('response.reasoning_summary_text.delta')
  })
  it('Gemini: the signature on the call', async () => {
    provider = await strictProvider({ window: 50_000, model: () => reply })
    const path = '/models/strict:generateContent'
    const ask = { role: 'user', parts: [{ text: 'hi' }] }
    const answer = { role: 'user', parts: [{ functionResponse: { name: 't', response: {} } }] }
    const { candidates } = (await json(path, { contents: [ask] })) as unknown as { candidates: { content: { parts: { thoughtSignature?: string }[] } }[] }
    const parts = candidates[0]?.content.parts ?? []
    expect((await post(path, { contents: [ask, { role: 'model', parts }, answer] })).status).toBe(200)
    await post(path, { contents: [ask, { role: 'model', parts: parts.map(({ thoughtSignature: _, ...part }) => part) }, answer] })
    expect(broken()).toEqual(['thought-signature'])
  })
})

describe('tools of a request', () => {
  const bodies: readonly (readonly [string, object])[] = [
    ['/chat/completions', { messages: [{ role: 'user', content: 'hi' }], tools: [{ type: 'function', function: { name: 'a' } }], tool_choice: 'auto' }],
    ['/responses', { input: 'hi', tools: [{ type: 'function', name: 'a' }], tool_choice: 'auto' }],
    ['/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], tools: [{ name: 'a' }], tool_choice: 'auto' }],
    [
      '/models/strict:generateContent',
      {
        contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
        tools: [{ functionDeclarations: [{ name: 'a' }] }],
        toolConfig: { functionCallingConfig: 'auto' },
      },
    ],
  ]
  it.each(bodies)('%s: the model is told of them, and a provider may refuse them', async (path, body) => {
    provider = await strictProvider({
      window: 5_000,
      model: (_, declared) => ({ text: JSON.stringify(declared).replaceAll('"', "'"), calls: [] }),
    })
    expect((await post(path, body)).text).toContain("{'tools':['a'],'toolChoice':'auto'}")
    expect(provider.requests[0]?.declared.tools).toEqual(['a'])
    await provider.close()
    provider = await strictProvider({
      window: 5_000,
      model: echo,
      refusesTools: (names) => (names.includes('a') ? 'strict does not support tools' : undefined),
    })
    const { status, text } = await post(path, body)
    expect([status, provider.requests[0]?.violations[0]?.rule]).toEqual([400, 'tools-refused'])
    expect(text).toContain('strict does not support tools')
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
