import { createCompaction, withCompaction } from '@precis/ai-sdk'
import type { ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { majors, providers, sdkOf } from '../majors.ts'

// OpenAI's Responses API may accept a request, begin a stream and say there that it failed. The package of AI SDK 5 does not know that event.

const { start, close } = providers()
afterEach(close)

type Failure = { readonly code: string; readonly message: string } | null
const tooLong = { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model. Please adjust your input and try again.' }
const history = Array.from(
  { length: 40 },
  (_, at): ModelMessage => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `${at}: ${'words about it '.repeat(80)}` }),
)

const limits = { contextWindow: 60_000, maxOutput: 500 }
type Door = (model: unknown, sdk: Awaited<ReturnType<typeof sdkOf>>) => unknown
const doors: Readonly<Record<string, Door>> = {
  model: (model) => withCompaction(model as Parameters<typeof withCompaction>[0], { limits }),
  middleware: (model, { wrapLanguageModel }) => wrapLanguageModel({ model, middleware: createCompaction({ limits }).middleware() }),
}
interface Case {
  readonly error: Failure
  readonly times: number
  readonly door?: Door | undefined
  readonly more?: object
}

/** A conversation whose first stream fails so many times; what was read, and the sizes of the requests. */
async function streamed(name: string, { error, times, door = doors.model, more = {} }: Case) {
  const provider = await start({ window: 60_000, model: () => ({ text: 'Here I am.', calls: [] }) })
  const sdk = await sdkOf(name)
  const sizes: number[] = []
  const whole = globalThis.fetch
  globalThis.fetch = (async (url: string, init: { readonly body: string }) => {
    if (sizes.push(init.body.length) > times) return whole(url, init)
    const failed = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'failed',
      model: 'strict',
      output: [],
      error,
      incomplete_details: null,
      usage: null,
    }
    const events = [
      { type: 'response.created', sequence_number: 0, response: { ...failed, status: 'in_progress', error: null } },
      { type: 'response.failed', sequence_number: 1, response: failed },
    ]
    return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), { headers: { 'content-type': 'text/event-stream' } })
  }) as typeof fetch
  try {
    const inner = sdk.modelAt('openai-responses', provider.url)
    const kinds: string[] = []
    const { fullStream } = sdk.streamText({
      model: door?.(inner, sdk),
      messages: [...history, { role: 'user', content: 'Are you there?' }],
      maxRetries: 0,
      onError: () => {},
      ...more,
    }) as unknown as { readonly fullStream: AsyncIterable<{ readonly type: string; readonly text?: string }> }
    let text = ''
    for await (const part of fullStream) {
      kinds.push(part.type)
      if (part.type === 'text-delta') text += part.text ?? ''
    }
    return { text, kinds, sizes }
  } finally {
    globalThis.fetch = whole
  }
}

describe.each(majors)('%s: a stream of the Responses API that says it failed', (name) => {
  it.each(Object.keys(doors))('is sent again smaller where it was too long, through the %s', async (door) => {
    const { text, kinds, sizes } = await streamed(name, { error: tooLong, times: 1, door: doors[door] })
    expect(text).toBe('Here I am.')
    expect(sizes).toHaveLength(2)
    expect(sizes[1]).toBeLessThan(sizes[0] as number)
    expect(kinds).not.toContain('raw')
  })

  it('ends with that error where no smaller one helps', async () => {
    const { text, kinds } = await streamed(name, { error: tooLong, times: 100 })
    expect([text, kinds.includes('error')]).toEqual(['', true])
  })

  it('is as it is without us where nothing says why', async () => {
    const ours = await streamed(name, { error: null, times: 1 })
    expect(ours).toEqual({ ...(await streamed(name, { error: null, times: 1, door: (model) => model })), sizes: ours.sizes })
    expect(ours.sizes).toHaveLength(1)
  })

  it('is shown raw to who asks for that', async () => {
    const { kinds } = await streamed(name, { error: null, times: 1, more: { includeRawChunks: true, include: { rawChunks: true } } })
    expect(kinds.filter((kind) => kind === 'raw')).toHaveLength(2)
  })
})
