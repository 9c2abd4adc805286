import { memoryStorage } from '@precis/core'
import { sharedStorage } from '@precis/core/adapters'
import { fakeSummarizer } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const limits = { contextWindow: 12_000 }
const kept = async (storage: ReturnType<typeof memoryStorage> | undefined): Promise<string[]> => {
  const keys: string[] = []
  for await (const key of storage?.list('') ?? []) keys.push(key)
  return keys
}

describe('options without a storage', () => {
  it('share one where they say the same, whatever objects they are made of', async () => {
    const [one, same] = [0, 1].map(() => sharedStorage({ limits: { ...limits }, summarizer: fakeSummarizer(), policy: { prune: { ladder: [] } } }, 'a model'))
    await one?.storage?.put('state.json', '{}')
    expect((await same?.storage?.get('state.json'))?.body).toBe('{}')
    expect(await kept(same?.storage)).toEqual(['state.json'])
    await same?.storage?.delete('state.json')
    expect(await one?.storage?.get('state.json')).toBeUndefined()
  })
  it('have one of their own where they differ', async () => {
    const others = [
      sharedStorage({ limits }, 'one model'),
      sharedStorage({ limits }, 'another model'),
      sharedStorage({ limits: { contextWindow: 16_000 } }, 'one model'),
      sharedStorage({ limits, redact: false }, 'one model'),
      sharedStorage({ limits, personalData: 'keep' }, 'one model'),
      sharedStorage({ limits, policy: { preset: 'balanced' } } as never, 'one model'),
      sharedStorage({ limits, summarizer: fakeSummarizer() }, 'one model'),
      sharedStorage({ limits, estimator: { name: 'letters', count: (text: string) => text.length } }, 'one model'),
    ] as readonly { readonly storage?: ReturnType<typeof memoryStorage> }[]
    for (const [at, { storage }] of others.entries()) await storage?.put(`${at}`, '')
    for (const [at, { storage }] of others.entries()) expect(await kept(storage)).toEqual([`${at}`])
  })
})

it('a storage that was given stays, and who says how much memory to use shares none', () => {
  const storage = memoryStorage()
  expect(sharedStorage({ storage }).storage).toBe(storage)
  expect(sharedStorage({ maxMemory: 1_000 })).toEqual({ maxMemory: 1_000 })
})
