import { createToolOutputStore, memoryStorage, type StorageDriver } from '@precis/core'
import { fakeStorage } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { compactionTools, createCompaction } from '../src/index.ts'
import { majors, providers, sdkOf } from './majors.ts'

const open = providers()
afterEach(open.close)

const log = Array.from({ length: 6_000 }, (_, at) => `${at}: ${at === 4_321 ? 'E4711 ledger checksum mismatch' : 'all is well in the shard'}`).join('\n')
const compactionOver = (storage: StorageDriver) =>
  createCompaction({
    limits: { contextWindow: 16_000, maxOutput: 500 },
    outputs: createToolOutputStore(storage),
    policy: { prune: { view: { tokens: 800 } } },
    tools: { run: { shape: 'head-tail' } },
  })

const allOf = async (values: AsyncIterable<string>): Promise<readonly string[]> => {
  const all: string[] = []
  for await (const value of values) all.push(value)
  return all
}

describe.each(majors)('%s: tools whose outputs are cached', (name) => {
  it('the conversation holds a view, the store the whole, and the model finds what it needs in it', async () => {
    const { generateText, jsonSchema, modelAt, stopWhen } = await sdkOf(name)
    const compaction = compactionOver(memoryStorage())
    let calls = 0
    const provider = await open.start({
      window: 16_000,
      maxOutput: 500,
      model: (prompt) => {
        const seen = prompt.map((entry) => entry.text).join('\n')
        const ref = /ref=(out-[0-9a-f]{16})/.exec(seen)?.[1]
        const found = /E4711 ledger checksum mismatch/.exec(seen)?.[0]
        if (found !== undefined) return { text: found, calls: [] }
        calls++
        return ref === undefined
          ? { text: '', calls: [{ id: 'run', tool: 'run', input: '{}' }] }
          : { text: '', calls: [{ id: `grep${calls}`, tool: 'tool_output_cache_grep', input: JSON.stringify({ ref_id: ref, pattern: 'E\\d+' }) }] }
      },
    })
    const inputSchema = jsonSchema({ type: 'object' })
    const tools = compaction.cacheToolOutputs({
      run: { inputSchema, execute: async () => log },
      ...compactionTools(compaction.session('s')),
    })
    const prepareStep = compaction.prepareStep({ session: 's', tools })
    const run = await generateText({ model: modelAt('openai', provider.url), tools, prompt: 'Run it.', prepareStep, stopWhen, maxRetries: 0 })
    expect(run.text).toBe('E4711 ledger checksum mismatch')
    expect(calls).toBe(2)
    expect(JSON.stringify(run.responseMessages ?? run.response.messages).length).toBeLessThan(12_000)
    expect(provider.requests.flatMap((request) => request.violations)).toEqual([])
  })
})

describe('what is left as it is', () => {
  const compaction = compactionOver(memoryStorage())
  const options = { toolCallId: 'c', messages: [] as ModelMessage[] }
  it('small outputs, whatever they are; tools that run elsewhere; tools that say themselves what is shown; shapes of a provider; our own', async () => {
    const rows = [{ a: 1 }]
    const tools = {
      small: { execute: () => rows },
      nothing: { execute: () => undefined },
      elsewhere: { inputSchema: {} },
      shown: { execute: () => log, toModelOutput: () => ({ type: 'text', value: 'shown' }) },
      shell: { type: 'provider', execute: () => ({ output: log }), outputSchema: {} },
      precis_recall: { execute: async () => log },
      ...compactionTools(compaction.session('s')),
    }
    const cached = compaction.cacheToolOutputs(tools)
    const same = (name: string): boolean => (cached as Record<string, unknown>)[name] === (tools as Record<string, unknown>)[name]
    expect(await cached.small.execute()).toBe(rows)
    expect(await cached.nothing.execute()).toBeUndefined()
    const left = ['elsewhere', 'shown', 'shell', 'precis_recall', 'compact_context', 'tool_output_cache', 'tool_output_cache_grep']
    expect(left.filter((name) => !same(name))).toEqual([])
  })
  it('a long value that is no text stays what it is for the chat; the model is shown a view of its JSON, in the form of each major', async () => {
    const { rows } = compaction.cacheToolOutputs({ rows: { execute: async (): Promise<unknown> => log.split('\n') } })
    const output = await rows.execute()
    expect(output).toEqual(log.split('\n'))
    const { toModelOutput } = rows as unknown as { toModelOutput(given: unknown): { type: string; value: unknown } }
    for (const given of [output, { toolCallId: 'c', input: {}, output }]) {
      expect(toModelOutput(given)).toMatchObject({ type: 'text', value: expect.stringMatching(/ref=out-/) })
    }
    // A chat that was stored and loaded has other objects.
    const again = JSON.parse(JSON.stringify(output)) as unknown
    expect(await toModelOutput({ toolCallId: 'c', input: {}, output: again })).toMatchObject({ type: 'text', value: expect.stringMatching(/ref=out-/) })
    expect(await toModelOutput({ toolCallId: 'c', input: {}, output: { a: 1 } })).toEqual({ type: 'json', value: { a: 1 } })
    expect(toModelOutput({ a: 1 })).toEqual({ type: 'json', value: { a: 1 } })
    expect(toModelOutput(undefined)).toEqual({ type: 'json', value: null })
    expect(toModelOutput('text')).toEqual({ type: 'text', value: 'text' })
  })
  it('a tool that yields: progress passes as it comes, and what it yields last is its output, shown as a view', async () => {
    let finish = (_: string): void => {}
    const finished = new Promise<string>((resolve) => {
      finish = resolve
    })
    const { run, short } = compaction.cacheToolOutputs({
      run: {
        async *execute() {
          yield 'half'
          yield await finished
        },
      },
      short: {
        async *execute() {
          yield 'all'
        },
      },
    })
    const values = run.execute()
    expect((await values.next()).value).toBe('half')
    finish(log)
    expect(await allOf(values)).toEqual([log, expect.stringMatching(/ref=out-/)])
    expect(await allOf(short.execute())).toEqual(['all'])
  })
  it('a tool that fails, fails; a store that fails costs nothing; an abort is honored', async () => {
    const failing = compaction.cacheToolOutputs({ run: { execute: async () => Promise.reject(new Error('exit 1')) } })
    await expect(failing.run.execute()).rejects.toThrow('exit 1')
    const away = compactionOver(fakeStorage('put-throws')).cacheToolOutputs({ run: { execute: async () => log } })
    expect(await away.run.execute()).toBe(log)
    const aborted = compaction.cacheToolOutputs({ run: { execute: async (_input: unknown, _options: object) => `${log}!` } })
    await expect(aborted.run.execute({}, { ...options, abortSignal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped')
  })
  it('asks for a store', () => {
    expect(() => createCompaction().cacheToolOutputs({})).toThrow(/createToolOutputStore/)
  })
})
