import { fakeExporter, fakeStorage } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { createCompactor, createToolOutputStore, memoryStorage, neutralCodec, type StorageDriver } from '../../../src/index.ts'

const lines = (from: number, count: number): string => Array.from({ length: count }, (_, at) => `line ${from + at} of the log, with words`).join('\n')
const whole = lines(1, 4_000)
const setUp = (storage: StorageDriver = memoryStorage()) => {
  const outputs = createToolOutputStore(storage)
  const exporter = fakeExporter()
  const compactor = createCompactor({
    codec: neutralCodec,
    outputs,
    exporters: [exporter],
    policy: { prune: { view: { tokens: 1_000 } } },
    tools: { verbatim: { keep: 'always' } },
  })
  return { outputs, exporter, compactor }
}
const refIn = (text: string): string => /ref=(out-[0-9a-f]{16})/.exec(text)?.[1] ?? ''
const stored = async (outputs: ReturnType<typeof createToolOutputStore>, id: string): Promise<string> => {
  const texts: string[] = []
  for await (const { text } of outputs.lines(id)) texts.push(text)
  return texts.join('\n')
}
async function* stream(pieces: number, fail?: Error) {
  for (let at = 0; at < pieces; at++) yield `${lines(at * 1_000 + 1, 1_000)}\n`
  if (fail !== undefined) throw fail
}

describe('receiving an output', () => {
  it('a small one stays what it is, and nothing is stored', async () => {
    const { compactor, outputs } = setUp()
    expect(await compactor.receiveOutput('read', 'short')).toBe('short')
    expect(await outputs.gc([])).toEqual([])
  })
  it('a long one becomes a view, and the whole is one call away', async () => {
    const { compactor, outputs } = setUp()
    const view = await compactor.receiveOutput('read', whole)
    expect(view.length).toBeLessThan(8_000)
    expect(await stored(outputs, refIn(view))).toBe(whole)
    expect(await compactor.receiveOutput('read', view)).toBe(view)
  })
  it('what a tool declares as never to be touched is not', async () => {
    expect(await setUp().compactor.receiveOutput('verbatim', whole)).toBe(whole)
  })
  it('a stream is written as it comes; the view shows its beginning and its end', async () => {
    const { compactor, outputs } = setUp()
    const view = await compactor.receiveOutput('run', stream(60))
    expect(view).toContain('line 1 of the log')
    expect(view).toContain('line 60000 of the log')
    expect(view.length).toBeLessThan(8_000)
    expect((await outputs.find(refIn(view)))?.lineCount).toBe(60_001)
  })
  it('a tool that fails in mid-stream fails', async () => {
    await expect(setUp().compactor.receiveOutput('run', stream(3, new Error('exit 1')))).rejects.toThrow('exit 1')
  })
  it('a store that fails costs nothing: a text stays whole, a stream is drained and says so; both are reported', async () => {
    const { compactor, exporter } = setUp(fakeStorage('put-throws'))
    expect(await compactor.receiveOutput('read', whole)).toBe(whole)
    const view = await compactor.receiveOutput('run', stream(60))
    expect(view).toContain('line 60000 of the log')
    expect(view).toMatch(/could not be stored\.\]$/)
    expect(view).not.toContain('ref=')
    await compactor.flush()
    expect(exporter.events.map((event) => event.event)).toEqual(['compact.output_store_failed', 'compact.output_store_failed'])
  })
  it('secrets stay out of the store', async () => {
    const { compactor, outputs } = setUp()
    const view = await compactor.receiveOutput('read', `${whole}\nAKIAABCDEFGHIJKLMNOP`)
    expect(await stored(outputs, refIn(view))).not.toContain('AKIAABCDEFGHIJKLMNOP')
  })
  it('honors an abort, and asks for a store', async () => {
    const abort = AbortSignal.abort(new Error('stopped'))
    await expect(setUp().compactor.receiveOutput('read', whole, { signal: abort })).rejects.toThrow('stopped')
    await expect(createCompactor({ codec: neutralCodec }).receiveOutput('read', 'x')).rejects.toThrow(/createToolOutputStore/)
  })
})
