import { expect, it } from 'vitest'
import { withCompaction } from '../../src/index.ts'

const thrown: readonly (readonly [name: string, error: unknown])[] = [
  ['a message that is no text', { status: 400, message: Object.create(null) }],
  [
    'a message that throws',
    {
      get message() {
        throw new Error('no')
      },
    },
  ],
  ['nothing', undefined],
]

it.each(thrown)('a model’s error comes out as it is, also where it cannot be read: %s', async (_, error) => {
  const model = {
    getResponse: () => Promise.reject(error),
    getStreamedResponse: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }),
  }
  const wrapped = withCompaction(model as never) as {
    getResponse(request: unknown): Promise<unknown>
    getStreamedResponse(request: unknown): AsyncIterable<unknown>
  }
  const request = {
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] }],
    modelSettings: {},
    tools: [],
    outputType: 'text',
    handoffs: [],
    tracing: false,
  }
  const streamed = async (): Promise<void> => {
    for await (const _event of wrapped.getStreamedResponse(request));
  }
  for (const send of [() => wrapped.getResponse(request), streamed]) {
    const [caught] = await send().then(
      () => ['no error'],
      (reason: unknown) => [reason],
    )
    expect(Object.is(caught, error)).toBe(true)
  }
})
