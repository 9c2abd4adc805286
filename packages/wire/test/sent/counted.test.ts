import { describe, expect, it } from 'vitest'
import type { WireName } from '../../src/index.ts'
import { picture, tokensOf, words } from './setup.ts'

// What is sent is counted: texts as texts wherever they stand, pictures and documents by their kind, seals by their length.

const long = words(10_000)
const base64 = btoa(long)
const pdf = `JVBERi0${'A1b2C3d4'.repeat(50_000)}`
const pictureUrl = `data:image/png;base64,${picture}`
const ofUser = (content: unknown) => ({ role: 'user', content })
const item = (block: object) => ({ type: 'message', role: 'user', content: [block] })
const document = (source: object) => ofUser([{ type: 'document', source }])
const inResult = (...content: readonly object[]) => [
  { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 't', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content }] },
]
const inResponse = (response: object, parts?: unknown) => [
  { role: 'model', parts: [{ functionCall: { name: 't', args: {} } }] },
  { role: 'user', parts: [{ functionResponse: { name: 't', response, ...(parts !== undefined && { parts }) } }] },
]
const found = { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: long }] }
const chatFile = (file: object) => ofUser([{ type: 'file', file }])

type Row = readonly [string, WireName, readonly object[]]

describe('texts', () => {
  const rows: readonly Row[] = [
    ['anthropic: a document of text', 'anthropic', [document({ type: 'text', media_type: 'text/plain', data: long })]],
    ['anthropic: a document of blocks', 'anthropic', [document({ type: 'content', content: [{ type: 'text', text: long }] })]],
    ['anthropic: a document without brackets', 'anthropic', [ofUser({ type: 'document', source: { type: 'content', content: long } })]],
    ['anthropic: a document in a result', 'anthropic', inResult({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: long } })],
    ['anthropic: a search result in a result', 'anthropic', inResult(found)],
    ['anthropic: a search result of the user', 'anthropic', [ofUser([found])]],
    ['gemini: a text file', 'gemini', [{ role: 'user', parts: [{ inlineData: { mimeType: 'text/plain', data: base64 } }] }]],
    ['gemini: a text file in a result', 'gemini', inResponse({ output: 'see' }, [{ inlineData: { mimeType: 'text/csv', data: base64 } }])],
    ['gemini: what stands beside an output', 'gemini', inResponse({ output: 'ok', stderr: long })],
    ['gemini: what stands beside an empty error', 'gemini', inResponse({ error: null, rows: [long] })],
    ['responses: a text file', 'openai-responses', [item({ type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;base64,${base64}` })]],
    ['chat: a text file', 'openai-chat', [chatFile({ filename: 'a.txt', file_data: `data:text/plain;base64,${base64}` })]],
    ['chat: reasoning that is sent back', 'openai-chat', [{ role: 'assistant', content: 'x', reasoning: long }]],
    ['chat: its details', 'openai-chat', [{ role: 'assistant', content: 'x', reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: long }] }]],
  ]
  it.each(rows)('%s', async (_, name, values) => {
    const plain = await tokensOf('openai-chat', ofUser(long))
    const tokens = await tokensOf(name, ...values)
    expect(tokens).toBeGreaterThan(plain * 0.95)
    expect(tokens).toBeLessThan(plain * 1.05)
  })
})

describe('attachments, by their kind', () => {
  const audio = { type: 'input_audio', input_audio: { data: picture, format: 'wav' } }
  const rows: readonly (readonly [...Row, number])[] = [
    ['anthropic: a document by its address', 'anthropic', [document({ type: 'url', url: 'https://x.org/a' })], 6_000],
    ['anthropic: a document by its id', 'anthropic', [document({ type: 'file', file_id: 'file_1' })], 6_000],
    ['anthropic: a PDF in a result', 'anthropic', inResult({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } }), 6_000],
    [
      'anthropic: pictures in a document',
      'anthropic',
      [document({ type: 'content', content: [{ type: 'image', source: { type: 'base64', data: picture } }] })],
      1_600,
    ],
    ['gemini: a document by its address', 'gemini', [{ role: 'user', parts: [{ fileData: { fileUri: 'https://x.org/a' } }] }], 6_000],
    ['gemini: a video', 'gemini', [{ role: 'user', parts: [{ fileData: { fileUri: 'https://x.org/a', mimeType: 'video/mp4' } }] }], 4_000],
    ['responses: a PDF', 'openai-responses', [item({ type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` })], 6_000],
    ['responses: a file by its id', 'openai-responses', [item({ type: 'input_file', file_id: 'file-1' })], 6_000],
    ['responses: a recording', 'openai-responses', [item(audio)], 4_000],
    [
      'responses: a picture that was made',
      'openai-responses',
      [{ type: 'image_generation_call', id: 'g', status: 'completed', result: picture.slice(11) }],
      1_600,
    ],
    [
      'responses: what code drew',
      'openai-responses',
      [{ type: 'code_interpreter_call', id: 'g', container_id: 'x', code: 'plot()', status: 'completed', outputs: [{ type: 'image', url: pictureUrl }] }],
      1_600,
    ],
    ['chat: a PDF', 'openai-chat', [chatFile({ file_data: pdf })], 6_000],
    ['chat: a file by its id', 'openai-chat', [chatFile({ file_id: 'file-1' })], 6_000],
    ['chat: a video', 'openai-chat', [ofUser([{ type: 'video_url', video_url: { url: `data:video/mp4;base64,${picture}` } }])], 4_000],
    ['chat: a block of another server', 'openai-chat', [ofUser([{ type: 'image', image: pictureUrl }])], 1_600],
    ['chat: a spoken reply', 'openai-chat', [{ role: 'assistant', content: null, audio: { id: 'audio_1' } }], 4_000],
  ]
  it.each(rows)('%s', async (_, name, values, expected) => {
    const tokens = await tokensOf(name, ...values)
    expect(tokens).toBeGreaterThanOrEqual(expected)
    expect(tokens).toBeLessThan(expected + 100)
  })
})

describe('seals of reasoning, by their length', () => {
  const seal = 'A1b2C3d4'.repeat(5_000)
  it.each<Row>([
    [
      'responses',
      'openai-responses',
      [
        { type: 'reasoning', id: 'r', summary: [], encrypted_content: seal },
        { role: 'assistant', content: 'x' },
      ],
    ],
    ['anthropic', 'anthropic', [{ role: 'assistant', content: [{ type: 'thinking', thinking: '', signature: seal }] }]],
    ['gemini', 'gemini', [{ role: 'model', parts: [{ text: 'hm', thought: true, thoughtSignature: seal }] }]],
    ['chat', 'openai-chat', [{ role: 'assistant', content: 'x', reasoning_details: [{ type: 'reasoning.encrypted', data: seal }] }]],
  ])('%s', async (_, name, values) => {
    expect(await tokensOf(name, ...values)).toBeGreaterThan(7_000)
  })
})
