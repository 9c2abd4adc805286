import { describe, expect, it } from 'vitest'
import {
  generateHistory,
  toAnthropic,
  toGemini,
  toOpenAIChat,
  toOpenAIResponses,
  validateAnthropic,
  validateGemini,
  validateOpenAIChat,
  validateOpenAIResponses,
} from '../src/index.ts'

const rules = (found: readonly { readonly rule: string }[]): readonly string[] => found.map(({ rule }) => rule)

describe('valid histories', () => {
  it('are accepted by all four', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const history = generateHistory(seed)
      expect([
        ...validateOpenAIChat(toOpenAIChat(history)),
        ...validateOpenAIResponses(toOpenAIResponses(history)),
        ...validateAnthropic(toAnthropic(history)),
        ...validateGemini(toGemini(history)),
      ]).toEqual([])
    }
  })
  it('broken ones are refused, most of them', () => {
    let refused = 0
    for (let seed = 1; seed <= 100; seed++) if (validateOpenAIChat(toOpenAIChat(generateHistory(seed, { broken: true }))).length > 0) refused++
    expect(refused).toBeGreaterThan(60)
  })
})

const strictly = (properties: object, required: readonly string[], additionalProperties = false) => ({
  type: 'function',
  function: { name: 'f', strict: true, parameters: { type: 'object', properties, required, additionalProperties } },
})

describe('OpenAI Chat', () => {
  const call = { role: 'assistant', content: '', tool_calls: [{ id: '1', function: { name: 't', arguments: '{}' } }] }
  const answer = { role: 'tool', tool_call_id: '1', content: 'x' }
  const ask = { role: 'user', content: 'hi' }
  it.each([
    ['accepts a step', [ask, call, answer], []],
    ['not-empty', [], ['not-empty']],
    ['calls-answered, before a user', [ask, call, ask], ['calls-answered']],
    ['calls-answered, at the end', [ask, call], ['calls-answered']],
    ['result-follows-call', [ask, answer], ['result-follows-call']],
    ['one-result', [ask, call, answer, answer], ['one-result']],
    ['call-ids-unique', [ask, { ...call, tool_calls: [...call.tool_calls, ...call.tool_calls] }, answer], ['call-ids-unique']],
    ['content', [{ role: 'user', content: null }], ['content']],
  ])('%s', (_, messages, expected) => {
    expect(rules(validateOpenAIChat(messages))).toEqual(expected)
  })
  it.each([
    ['tools-not-empty', { tools: [] }, ['tools-not-empty']],
    ['choice-needs-tools', { toolChoice: 'auto' }, ['choice-needs-tools']],
    ['a choice with tools', { tools: [{}], toolChoice: 'auto' }, []],
    ['strict-function: an argument that may be left out', { tools: [strictly({ a: {} }, [])] }, ['strict-function']],
    ['strict-function: others allowed', { tools: [strictly({ a: {} }, ['a'], true)] }, ['strict-function']],
    ['a strict function', { tools: [strictly({ a: {} }, ['a'])] }, []],
  ])('%s', (_, request, expected) => {
    expect(rules(validateOpenAIChat([ask], request))).toEqual(expected)
  })
})

describe('Anthropic', () => {
  const ask = { role: 'user', content: 'hi' }
  const use = { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 't', input: {} }] }
  const answer = { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: 'x' }] }
  it.each([
    ['accepts a step', [ask, use, answer], []],
    ['not-empty', [], ['not-empty']],
    ['first-user', [{ role: 'assistant', content: 'x' }, ask], ['first-user']],
    ['no-prefill', [ask, { role: 'assistant', content: 'x' }], ['no-prefill']],
    ['calls-answered', [ask, use, ask], ['calls-answered']],
    ['result-follows-call', [ask, { role: 'assistant', content: 'x' }, answer], ['result-follows-call']],
    ['one-result', [ask, use, { role: 'user', content: [...answer.content, ...answer.content] }], ['one-result']],
    ['ids-unique', [ask, use, answer, use, answer], ['ids-unique']],
    ['text', [{ role: 'user', content: [{ type: 'text', text: '' }] }], ['text']],
    ['content', [ask, { role: 'assistant', content: [] }, ask], ['content']],
    ['roles', [ask, { role: 'system', content: 'x' }, ask], ['roles']],
  ])('%s', (_, messages, expected) => {
    expect(rules(validateAnthropic(messages))).toEqual(expected)
  })
  it.each([
    ['tools-declared: a history with calls needs them', [], ['tools-declared']],
    ['any will do', [{ name: 'other' }], []],
    ['nobody says', undefined, []],
  ])('%s', (_, tools, expected) => {
    expect(rules(validateAnthropic([ask, use, answer], tools === undefined ? {} : { tools }))).toEqual(expected)
    expect(rules(validateAnthropic([ask], { tools: [] }))).toEqual([])
  })
  it('results-first: what else is said comes behind the results', () => {
    const text = { type: 'text', text: 'and' }
    expect(rules(validateAnthropic([ask, use, { role: 'user', content: [text, ...answer.content] }]))).toEqual(['results-first'])
    expect(rules(validateAnthropic([ask, use, { role: 'user', content: [...answer.content, text] }]))).toEqual([])
  })
  it('all results of one message are in the next', () => {
    const both = { role: 'assistant', content: [...use.content, { type: 'tool_use', id: '2', name: 't', input: {} }] }
    const second = { role: 'user', content: [{ type: 'tool_result', tool_use_id: '2', content: 'x' }] }
    expect(rules(validateAnthropic([ask, both, answer, second]))).toEqual(['calls-answered', 'result-follows-call'])
  })
  it('thinking-first, where thinking is on', () => {
    expect(rules(validateAnthropic([ask, use, answer], { thinking: true }))).toEqual(['thinking-first'])
    const thought = { role: 'assistant', content: [{ type: 'thinking', text: 'hm' }, ...use.content] }
    expect(rules(validateAnthropic([ask, thought, answer], { thinking: true }))).toEqual([])
  })
})

describe('OpenAI Responses', () => {
  const ask = { type: 'message', role: 'user', content: 'hi' }
  const call = { type: 'function_call', call_id: '1', name: 't', arguments: '{}' }
  const answer = { type: 'function_call_output', call_id: '1', output: 'x' }
  const reasoning = { type: 'reasoning', id: 'rs_1' }
  it.each([
    ['accepts a step', [ask, reasoning, call, answer], []],
    ['not-empty', [], ['not-empty']],
    ['calls-answered', [ask, call], ['calls-answered']],
    ['result-follows-call', [ask, answer], ['result-follows-call']],
    ['reasoning-followed', [ask, reasoning, ask], ['reasoning-followed']],
  ])('%s', (_, items, expected) => {
    expect(rules(validateOpenAIResponses(items))).toEqual(expected)
  })
  it('a reasoning item and what came with it live and die together', () => {
    const issued = new Map([['rs_1', new Set(['fc_1', '1'])]])
    const own = { ...call, id: 'fc_1' }
    const other = { type: 'function_call', id: 'fc_2', call_id: '2', name: 't', arguments: '{}' }
    const found = (items: Parameters<typeof validateOpenAIResponses>[0]) => rules(validateOpenAIResponses(items, issued))
    expect(found([ask, reasoning, own, answer])).toEqual([])
    expect(found([ask, reasoning, { ...own, id: 'fc_new' }, answer])).toEqual([])
    expect(found([ask, own, answer])).toEqual(['item-with-reasoning'])
    expect(found([ask, reasoning, other, { ...answer, call_id: '2' }])).toEqual(['reasoning-followed'])
  })
})

describe('Gemini', () => {
  const ask = { role: 'user', parts: [{ text: 'hi' }] }
  const call = { role: 'model', parts: [{ functionCall: { name: 't' } }] }
  const answer = { role: 'user', parts: [{ functionResponse: { name: 't' } }] }
  it.each([
    ['accepts a step', [ask, call, answer], []],
    ['not-empty', [], ['not-empty']],
    ['roles', [{ role: 'assistant', parts: [{ text: 'x' }] }], ['roles']],
    ['content', [{ role: 'user', parts: [] }], ['content']],
    ['calls-answered', [ask, call, ask], ['calls-answered']],
    ['call-after-user', [ask, { role: 'model', parts: [{ text: 'x' }] }, call, answer], ['call-after-user']],
    ['result-follows-call', [ask, answer], ['result-follows-call']],
  ])('%s', (_, contents, expected) => {
    expect(rules(validateGemini(contents))).toEqual(expected)
  })
  it('thought-signature, on the first call of each step of the newest turn, where the model signs', () => {
    const signed = { role: 'model', parts: [{ functionCall: { name: 't' }, thoughtSignature: 's' }, { functionCall: { name: 't' } }] }
    const both = { role: 'user', parts: [...answer.parts, ...answer.parts] }
    expect(rules(validateGemini([ask, call, answer, ask, signed, both], { signed: true }))).toEqual([])
    expect(rules(validateGemini([ask, call, answer], { signed: true }))).toEqual(['thought-signature'])
    expect(rules(validateGemini([ask, call, answer]))).toEqual([])
  })
})
