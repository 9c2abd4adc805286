import { createArchive, createCompactor, createToolOutputStore, type Message, memoryStorage, neutralCodec } from '@precis/core'
import { withSharedStorage } from '@precis/core/adapters'
import { fakeSummarizer, generateHistory } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const limits = { contextWindow: 12_000 }
const kept = async (storage: ReturnType<typeof memoryStorage> | undefined): Promise<string[]> => {
  const keys: string[] = []
  for await (const key of storage?.list('') ?? []) keys.push(key)
  return keys
}

describe('options without a storage', () => {
  it('share one where they say the same, whatever objects they are made of', async () => {
    const [one, same] = [0, 1].map(() =>
      withSharedStorage({ limits: { ...limits }, summarizer: fakeSummarizer(), policy: { prune: { ladder: [] } } }, 'a model'),
    )
    await one?.storage?.put('state.json', '{}')
    expect((await same?.storage?.get('state.json'))?.body).toBe('{}')
    expect(await kept(same?.storage)).toEqual(['state.json'])
    await same?.storage?.delete('state.json')
    expect(await one?.storage?.get('state.json')).toBeUndefined()
  })
  it('have one of their own where they differ', async () => {
    const others = [
      withSharedStorage({ limits }, 'one model'),
      withSharedStorage({ limits }, 'another model'),
      withSharedStorage({ limits: { contextWindow: 16_000 } }, 'one model'),
      withSharedStorage({ limits, redact: false }, 'one model'),
      withSharedStorage({ limits, redact: (text: string) => text.replaceAll('a', '') }, 'one model'),
      withSharedStorage({ limits, redact: (text: string) => text.replaceAll('b', '') }, 'one model'),
      withSharedStorage({ limits, tools: { read_file: {} } } as never, 'one model'),
      withSharedStorage({ limits, personalData: 'keep' }, 'one model'),
      withSharedStorage({ limits, policy: { preset: 'balanced' } } as never, 'one model'),
      withSharedStorage({ limits, summarizer: fakeSummarizer() }, 'one model'),
      withSharedStorage({ limits, archive: createArchive(memoryStorage()) } as never, 'one model'),
      withSharedStorage({ limits, outputs: createToolOutputStore(memoryStorage()) } as never, 'one model'),
      withSharedStorage({ limits, estimator: { name: 'letters', count: (text: string) => text.length } }, 'one model'),
    ] as readonly { readonly storage?: ReturnType<typeof memoryStorage> }[]
    for (const [at, { storage }] of others.entries()) await storage?.put(`${at}`, '')
    for (const [at, { storage }] of others.entries()) expect(await kept(storage)).toEqual([`${at}`])
  })
})

it('a redactor is like itself alone', async () => {
  const redact = (text: string): string => text
  await withSharedStorage({ redact }, 'redacted').storage?.put('state.json', '{}')
  expect(await kept(withSharedStorage({ redact }, 'redacted').storage)).toEqual(['state.json'])
})

it('a storage that was given stays, and who says how much memory to use shares none', () => {
  const storage = memoryStorage()
  expect(withSharedStorage({ storage }).storage).toBe(storage)
  expect(withSharedStorage({ maxMemory: 1_000 })).toEqual({ maxMemory: 1_000 })
})

it('a summarizer that fails is left alone by whatever is wrapped alike, and by nothing else', async () => {
  const summarizer = fakeSummarizer('throws')
  const history = generateHistory(101, { turns: 25 })
  const asked = async (name: string, session: string): Promise<number> => {
    const options = withSharedStorage({ limits: { contextWindow: 6_000, maxOutput: 500 }, summarizer: { ...summarizer } }, name)
    const before = summarizer.requests.length
    await createCompactor<Message>({ codec: neutralCodec, ...options })
      .session(session)
      .beforeModelCall(history)
    return summarizer.requests.length - before
  }
  for (const session of ['a', 'b', 'c']) expect(await asked('fails', session)).toBeGreaterThan(0)
  expect(await asked('fails', 'd')).toBe(0)
  expect(await asked('of another place', 'd')).toBeGreaterThan(0)
})
