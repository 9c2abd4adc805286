import { CompactionError, createToolOutputStore, lexicalEmbedder, type Message, memoryStorage, type StorageDriver } from '@precis/core'
import { fakeStorage, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { fingerprint } from '../../../../src/history/fingerprint.ts'
import { decide } from '../../../../src/runtime/session/deciding/decide.ts'
import type { Memory } from '../../../../src/runtime/session/memory.ts'
import { forgottenState } from '../../../../src/state/forgotten.ts'
import { keysIn, memory, stepping, turns } from './setup.ts'

// decide: what is remembered, what is said and what is asked go in; a plan comes out, with all that it was made of.

const short = turns(2)
const long = turns(14)

describe('the decision', () => {
  it.each([
    ['room left', short, {}, {}, 'none', undefined],
    ['too long', long, {}, {}, 'compact', 'hard'],
    ['asked by a person', short, {}, { asked: 'manual' }, undefined, 'manual'],
    ['asked by the agent', short, {}, { asked: 'agent' }, undefined, 'agent'],
    ['too long for the next model', long, { nextModel: 'next' }, {}, 'compact', 'downshift'],
    ['short enough for the next model', short, { nextModel: 'next' }, {}, 'none', undefined],
    ['a next model, and a person who asked', long, { nextModel: 'next' }, { asked: 'manual' }, undefined, 'manual'],
  ] as const)('%s', async (_, messages, call, request, action, reason) => {
    const { plan } = await decide(stepping().parts, memory, messages, call, request)
    if (action !== undefined) expect(plan.decision.action).toBe(action)
    if (reason !== undefined) expect(plan.decision.reason).toBe(reason)
  })

  it('is the same one for the same question, and another one for another', async () => {
    const { parts } = stepping()
    const first = await decide(parts, memory, long, {}, {})
    expect((await decide(parts, memory, long, {}, {})).plan).toBe(first.plan)
    expect((await decide(parts, memory, long, {}, { focus: 'the parser', asked: 'manual' })).plan).not.toBe(first.plan)
  })

  it('each message is kept, summarized or dropped, once', async () => {
    const { plan } = await decide(stepping().parts, memory, long, {}, {})
    expect([...plan.keep, ...plan.summarize, ...plan.drop].sort((a, b) => a - b)).toEqual([...long.keys()])
  })
})

describe('what is related', () => {
  const policy = { retain: { turns: 1, tokens: { tokens: 400 }, semantic: { clusters: 1, tokens: { tokens: 1_500 } } } }
  const asking = history(long, user('Once more: load the settings of module3 lazily.'))
  const embedded: string[] = []
  const lexical = lexicalEmbedder()
  const embedder = {
    ...lexical,
    embed: (texts: readonly string[], signal: AbortSignal | undefined) => {
      embedded.push(...texts)
      return lexical.embed(texts, signal)
    },
  }
  const redact = (text: string): string => text.replaceAll('module3', '[name]')

  it('is kept, by vectors of what may leave the process; nobody asks for those where nothing is summarized', async () => {
    const { parts } = stepping({ policy, embedder, redact })
    expect((await decide(parts, memory, short, {}, {})).plan.summary).toBeUndefined()
    expect(embedded).toEqual([])
    const { input } = await decide(parts, memory, asking, {}, {})
    expect(input.related?.size).toBeGreaterThan(0)
    expect(embedded.join('\n')).toContain('[name]')
    expect(embedded.join('\n')).not.toContain('module3')
  })
  it('is nothing where the embedder fails', async () => {
    const failing = { name: 'away', embed: () => Promise.reject(new Error('away')) }
    const { plan, input } = await decide(stepping({ policy, embedder: failing }).parts, memory, asking, {}, {})
    expect([input.related, plan.decision.action]).toEqual([undefined, 'compact'])
  })
})

describe('whole outputs', () => {
  const policy = { prune: { store: 'all' as const } }
  const storedIn = async (storage: StorageDriver): Promise<number> => (await keysIn(storage, 'outputs/')).length
  const deleted: Memory<Message> = { ...memory, state: forgottenState(0, [fingerprint(long)]) }

  it('are stored before a plan may show less of them', async () => {
    const storage = memoryStorage()
    const { parts } = stepping({ policy, outputs: createToolOutputStore(storage) })
    const { input } = await decide(parts, memory, long, {}, {})
    expect(input.reference).toBeDefined()
    expect(await storedIn(storage)).toBeGreaterThanOrEqual(14)
  })
  it('a store that is away: no reference leads there, and the call goes on', async () => {
    const { parts, events } = stepping({ policy, outputs: createToolOutputStore(fakeStorage('put-throws')) })
    const { input, plan } = await decide(parts, memory, long, {}, {})
    expect([input.reference, plan.decision.action, events]).toEqual([undefined, 'compact', ['compact.output_store_failed']])
  })
  it('but not where the context takes the place of the history', async () => {
    const { parts } = stepping({ policy, outputs: createToolOutputStore(fakeStorage('put-throws')) })
    await expect(decide(parts, memory, long, { replaces: true }, {})).rejects.toThrow(CompactionError)
  })
  it('nor where the caller has given up', async () => {
    const stop = new AbortController()
    const given = createToolOutputStore(memoryStorage())
    const save = async (): Promise<never> => {
      stop.abort(new Error('enough'))
      throw new Error('put failed')
    }
    const { parts, events } = stepping({ policy, outputs: { ...given, save } })
    await expect(decide(parts, memory, long, { signal: stop.signal }, {})).rejects.toThrow('enough')
    expect(events).toEqual([])
  })
  it('of a conversation that was deleted stay nowhere', async () => {
    const storage = memoryStorage()
    const { parts } = stepping({ policy, outputs: createToolOutputStore(storage) })
    expect((await decide(parts, deleted, long, {}, {})).input.reference).toBeUndefined()
    expect(await storedIn(storage)).toBe(0)
  })
})
