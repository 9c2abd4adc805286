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
  [
    'a proxy that throws',
    new Proxy(new Error('failed'), {
      get() {
        throw new Error('no')
      },
      getPrototypeOf() {
        throw new Error('no')
      },
    }),
  ],
  ['nothing', undefined],
]

it.each(thrown)('a model’s error comes out as it is, also where it cannot be read: %s', async (_, error) => {
  const model = {
    specificationVersion: 'v3' as const,
    provider: 'acme',
    modelId: 'acme-1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(error),
    doStream: () => Promise.reject(error),
  }
  const wrapped = withCompaction(model as never) as unknown as typeof model
  const request = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] }
  for (const send of [wrapped.doGenerate, wrapped.doStream] as readonly ((request: unknown) => Promise<unknown>)[]) {
    const [caught] = await send(request).then(
      () => ['no error'],
      (reason: unknown) => [reason],
    )
    expect(Object.is(caught, error)).toBe(true)
  }
})
