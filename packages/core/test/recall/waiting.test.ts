import { describe, expect, it } from 'vitest'
import { awaitLookUp, lookUpOf } from '../../src/recall/adapters.ts'

const from = (history: string) => async (): Promise<string> => history

describe('a look-up that the agent’s own tool answers', () => {
  it('is answered once, from the history behind its request', async () => {
    const model = {}
    awaitLookUp(model, 'call_0', from('anna'))
    expect(lookUpOf({}, 'call_0')).toBeUndefined()
    expect(await lookUpOf(model, 'call_0')?.({})).toBe('anna')
    expect(lookUpOf(model, 'call_0')).toBeUndefined()
    awaitLookUp(model, 'call_0', from('bert'))
    expect(await lookUpOf(model, 'call_0')?.({})).toBe('bert')
  })
  it('is answered from no history where calls of two requests have the same id', () => {
    const model = {}
    awaitLookUp(model, 'call_0', from('anna'))
    awaitLookUp(model, 'call_0', from('bert'))
    expect(lookUpOf(model, 'call_0')).toBeUndefined()
    expect(lookUpOf(model, 'call_0')).toBeUndefined()
  })
})
