import {
  createArchive,
  createCompactor,
  createToolOutputStore,
  jsonText,
  type Message,
  memoryStorage,
  neutralCodec,
  type PresetName,
  presets,
  shortenArguments,
} from '@precis/core'
import { call, fakeExporter, fakeSummarizer, history, result, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

const deep = (levels: number, inner = '1'): string => `${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`
const deepList = (levels: number): string => `{"list":${'['.repeat(levels)}"x"${']'.repeat(levels)}}`
const secret = `"sk-proj-${'a1B2c3D4'.repeat(6)}"`

describe('arguments and outputs ten thousand levels deep', () => {
  it.each(Object.keys(presets) as PresetName[])('are compacted under %s like any other', async (name) => {
    const storage = memoryStorage()
    const events = fakeExporter()
    const source: readonly Message[] = history(
      codingSession({ turns: 2, steps: 3, lines: 35 }),
      ...[deep(10_000), deepList(10_000), deep(10_000, secret)].flatMap((input, at) => [
        { role: 'assistant' as const, parts: [{ type: 'tool-call' as const, callId: `d${at}`, tool: 'write_file', input }] },
        result(`d${at}`, input, { tool: 'write_file', isError: at === 1 }),
      ]),
      codingSession({ turns: 6, steps: 3, lines: 35 }).slice(1),
      user('Go on.'),
    )
    const compactor = createCompactor<Message>({
      codec: neutralCodec,
      limits: { contextWindow: 14_000, maxOutput: 1_500 },
      policy: presets[name],
      tools: { write_file: { shape: 'json' } },
      summarizer: fakeSummarizer(),
      storage,
      archive: createArchive<Message>(storage),
      outputs: createToolOutputStore(storage),
      exporters: [events],
      // On a busy machine ten thousand levels take their time.
      effectDeadline: Infinity,
    })
    const { report } = await compactor.session('s').beforeModelCall(source)
    await compactor.flush()
    expect(report.outcome).not.toBe('unchanged')
    expect(report.tokens.after).toBeLessThanOrEqual(12_500)
    expect(events.events.filter((event) => event.event === 'compact.fault' || event.event === 'compact.archive_failed')).toEqual([])
    for await (const key of storage.list('')) expect((await storage.get(key))?.body, key).not.toContain('sk-proj-')
  })
  it('as objects of the framework they are archived, redacted', async () => {
    const storage = memoryStorage()
    const archive = createArchive<unknown>(storage)
    const message = { role: 'assistant', content: [{ type: 'tool-call', input: JSON.parse(deep(10_000, secret)) as unknown }] }
    await archive.saveTranscript('s', [message], [call('write_file', 'c', {})])
    const { messages } = await archive.read('s')
    expect(messages).toHaveLength(1)
    expect(jsonText(messages)).toContain('"role":"assistant"')
    expect(jsonText(messages)).not.toContain('sk-proj-')
  })
  it('are shortened to JSON that is not deep', () => {
    const text = shortenArguments(deep(10_000), 400)
    expect(text?.length).toBeLessThan(2_000)
    expect(() => JSON.stringify(JSON.parse(text ?? ''))).not.toThrow()
  })
})

describe('jsonText', () => {
  it('is JSON.stringify wherever that answers', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withSparseArray: true, withNullPrototype: true }), (value) => {
        let expected: string | undefined
        try {
          expected = JSON.stringify(value) ?? 'null'
        } catch {
          return
        }
        expect(jsonText(value)).toBe(expected)
      }),
    )
  })
  it.each([
    ['ten thousand levels', JSON.parse(deep(10_000)) as unknown, deep(10_000)],
    ['lists as deep', JSON.parse(deepList(10_000)) as unknown, deepList(10_000)],
    ['a big integer', { n: 5n, left: undefined, out: () => 1 }, '{"n":"5"}'],
    [
      'what throws',
      {
        get x() {
          return {
            toJSON: () => {
              throw new Error('no')
            },
          }
        },
      },
      '{"x":null}',
    ],
  ])('writes %s', (_name, value, expected) => expect(jsonText(value)).toBe(expected))
  it('names what is inside itself', () => {
    const loop: Record<string, unknown> = { a: 1 }
    loop['self'] = [loop]
    expect(jsonText(loop)).toBe('{"a":1,"self":["[circular]"]}')
  })
  it('ends, whatever aliases stand for', () => {
    let bomb: unknown = ['x']
    for (let at = 0; at < 60; at++) bomb = [bomb, bomb]
    expect(jsonText({ n: 1n, bomb }).length).toBeLessThan(10_001_000)
  })
})
