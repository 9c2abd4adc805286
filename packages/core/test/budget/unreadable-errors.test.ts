import { classifyError } from '@precis/core'
import { describe, expect, it } from 'vitest'

describe('errors that are hard to read', () => {
  const gone = Proxy.revocable({}, {})
  gone.revoke()
  const endless = (): object => new Proxy({}, { get: (_, key) => (typeof key === 'string' ? endless() : undefined) })
  const itself: Record<string, unknown> = {}
  itself['generationConfig'] = itself
  it.each([
    ['a revoked proxy', gone.proxy],
    ['a new object for each look', endless()],
    ['a body inside itself', { message: 'failed', requestBodyValues: itself }],
    [
      'a body that throws',
      {
        message: 'failed',
        requestBodyValues: {
          get max_tokens() {
            throw new Error('no')
          },
        },
      },
    ],
    ['texts that are none', { status: 400, message: Object.create(null), code: Symbol('x') }],
  ])('are none of ours: %s', (_, error) => {
    expect(classifyError(error)).toEqual({ kind: 'other' })
  })
})
