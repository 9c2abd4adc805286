import { createCompaction } from '@precis/ai-sdk'
import { type ModelMessage, streamText, wrapLanguageModel } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, it } from 'vitest'

const messages: ModelMessage[] = Array.from({ length: 41 }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `${at} ${'word '.repeat(200)}` }))
const said = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'done' },
  { type: 'text-end', id: '1' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: { total: 9 }, outputTokens: { total: 1 } } },
]

describe('a refusal in a stream is answered, whatever said nothing before it', () => {
  it.each([
    ['a ping', [{ type: 'ping' }]],
    ['several', [{ type: 'ping' }, { type: 'raw', rawValue: {} }, { type: 'ping' }]],
    [
      'a text that has not begun',
      [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: '' },
      ],
    ],
    ['a part of a later version', [{ type: 'queue-position', position: 4 }]],
  ])('%s', async (_, before) => {
    let calls = 0
    const model = new MockLanguageModelV4({
      doStream: async () => {
        const refusal = { type: 'error', error: new Error('Your input exceeds the context window of this model') }
        const parts = ++calls < 3 ? [...before, refusal] : said
        return { stream: convertArrayToReadableStream([{ type: 'stream-start', warnings: [] }, ...parts] as never[]) }
      },
    })
    const guarded = wrapLanguageModel({ model, middleware: createCompaction().middleware() })
    expect(await streamText({ model: guarded, messages }).text).toBe('done')
    expect(calls).toBe(3)
  })
  it('one that nothing helps is the caller’s, in the stream', async () => {
    const refusal = new Error('Your input exceeds the context window of this model')
    const model = new MockLanguageModelV4({
      doStream: async () => ({ stream: convertArrayToReadableStream([{ type: 'ping' }, { type: 'error', error: refusal }] as never[]) }),
    })
    const errors: unknown[] = []
    const guarded = wrapLanguageModel({ model, middleware: createCompaction().middleware() })
    await streamText({ model: guarded, messages, maxRetries: 0, onError: ({ error }) => errors.push(error) }).consumeStream()
    expect(errors).toEqual([refusal])
    // Each try is smaller than the one before, as long as there is something to leave out.
    const sizes = model.doStreamCalls.map(({ prompt }) => JSON.stringify(prompt).length)
    expect(sizes.length).toBeGreaterThan(2)
    expect(sizes.slice(1).every((size, at) => size < (sizes[at] ?? 0))).toBe(true)
  })
})
