import { neutralCodec, presets } from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { evaluate, parseTranscripts } from '../src/index.ts'
import {
  contains,
  conversationSaid,
  entitiesOf,
  everything,
  fromRecorded,
  newestThatFit,
  type RecordedMessage,
  recallOf,
  replay,
  replayFigures,
  type Said,
  saidBy,
  sessionReplayer,
  textOf,
  tokensOf,
} from '../src/replay/index.ts'

const filler = (tokens: number): string => 'word '.repeat(Math.ceil((tokens * 4) / 5))
const says = (role: string, text: string): Said => ({ role, text })

describe('a call', () => {
  const history = [says('user', 'a'.repeat(8_000)), says('assistant', 'b'.repeat(400)), says('user', 'c'.repeat(40)), says('assistant', 'd')]
  it('costs what is new at 1.25, what the prompt cache has at a tenth, the reply at 5', async () => {
    const [first, second] = await replay(history, 100_000, everything)
    expect(first).toMatchObject({ index: 1, tokens: 2_004, cached: 0, rewritten: false })
    expect(first?.cost).toBeCloseTo(2_004 * 1.25 + 104 * 5)
    // The first prompt whole: 8,000 characters are 2,000 tokens.
    expect(second).toMatchObject({ index: 3, tokens: 2_004 + 104 + 14, cached: 2_000, rewritten: false })
    expect(second?.cost).toBeCloseTo(2_000 * 0.1 + 122 * 1.25 + 5 * 5)
  })
  it('has nothing from the cache where the prompts share less than 1,024 tokens', async () => {
    const short = history.map(({ role, text }) => says(role, text.slice(0, 4_000)))
    expect((await replay(short, 100_000, everything)).map(({ cached }) => cached)).toEqual([0, 0])
  })
  it('is a rewrite when the prompt does not begin with the one before', async () => {
    const calls = await replay(history, 100_000, (given) => ({ texts: given.slice(-1).map(({ text }) => text) }))
    expect(calls.map(({ rewritten }) => rewritten)).toEqual([false, true])
  })
  it('is over, invalid or stopped as what was sent says', async () => {
    const calls = await replay(history, 2_000, ({ length }) => (length > 2 ? { texts: [], stopped: 'too long' } : { texts: ['a'.repeat(8_000)], unpaired: 1 }))
    expect(calls.map(({ over, invalid, stopped }) => [over, invalid, stopped])).toEqual([
      [true, true, undefined],
      [false, false, 'too long'],
    ])
    const free = await replay(history, 2_000, everything)
    expect(replayFigures([{ own: calls, free }])).toMatchObject({ calls: 2, over: 1, invalid: 1, stopped: 1, recall: null })
  })
})

describe('recall', () => {
  const history = [
    says('user', 'the port is in src/server/listen.ts'),
    says('assistant', 'I look.'),
    says('tool', filler(3_000)),
    says('user', 'and now?'),
    says('assistant', 'It is src/server/listen.ts, near nothing_new.'),
  ]
  it('counts names of a reply that were last seen more than a quarter of the window ago: there or not', async () => {
    const [, last] = await replay(history, 10_000, everything)
    expect(last).toMatchObject({ far: ['src/server/listen.ts'], recalled: 1 })
    expect((await replay(history, 20_000, everything)).map(({ far }) => far.length)).toEqual([0, 0])
    expect(recallOf(await replay(history, 2_000, newestThatFit()))).toBe(0)
    expect(recallOf(await replay(history, 10_000, everything))).toBe(1)
  })
  it('is the mean over the sessions that have any', async () => {
    const free = await replay(history, 2_000, everything)
    const own = await replay(history, 2_000, newestThatFit())
    const silent = await replay(history.slice(0, 2), 2_000, everything)
    expect(
      replayFigures([
        { own, free },
        { own: free, free },
        { own: silent, free: silent },
      ]).recall,
    ).toBe(0.5)
  })
  it('takes a name as a word of its own', () => {
    expect(contains('see listen.ts.', 'listen.ts')).toBe(true)
    expect(contains('see relisten.ts', 'listen.ts')).toBe(false)
    expect([...entitiesOf('Error: cannot open src/a/b.ts at 12345').entries()]).toContainEqual(['src/a/b.ts', 'path'])
  })
})

it('the newest that fit never part a call from its answer, and are never none', async () => {
  const history = [says('user', 'go'), says('assistant', 'call'), says('tool', 'x'.repeat(400)), says('tool', 'y'.repeat(400)), says('assistant', 'done')]
  const sent = async (window: number) => (await newestThatFit()(history.slice(0, 4), window)).texts.length
  expect(await Promise.all([sent(1_000), sent(250), sent(217), sent(10)])).toEqual([4, 4, 3, 3])
})

const recorded: readonly RecordedMessage[] = [
  { role: 'user', content: `look at src/server/listen.ts, ticket PRE-205\n${filler(300)}` },
  ...Array.from({ length: 40 }, (_, at): readonly RecordedMessage[] => [
    {
      role: 'assistant',
      content: at % 2 === 0 ? '' : 'next',
      toolCalls: [{ id: `c${at}`, name: 'read', arguments: { path: `src/file-${at}.ts`, lines: [1, 2], note: 'a\nb' } }],
    },
    { role: 'tool', content: `${filler(200)} value_${at} = ${10_000 + at}`, toolCallId: `c${at}`, toolName: 'read' },
  ]).flat(),
  { role: 'assistant', content: 'PRE-205 is in src/server/listen.ts; src/file-3.ts has value_3 = 10003.' },
]

it('what a recorded message says is what its reading says', () => {
  expect(textOf(recorded[1] as RecordedMessage)).toBe('\nread path: src/file-0.ts\nlines: [1,2]\nnote: a\nb')
  for (const message of recorded) expect(textOf(message)).toBe(saidBy(fromRecorded(message)))
})

it('eval, and whoever measures by the same definition, say the same of the same session', async () => {
  const [transcript] = parseTranscripts(recorded.map((message) => JSON.stringify(message)).join('\n'), 'recorded')
  if (transcript === undefined) throw new Error('no transcript')
  expect(transcript.format).toBe('recorded')
  const [eight, fits] = await evaluate([transcript], [8_000, 1_000_000], presets.balanced)
  expect(fits).toMatchObject({ conversations: 0, recall: null })

  const said = recorded.map((message) => ({ role: message.role, text: textOf(message) }))
  expect(said.reduce((sum, { text }) => sum + tokensOf(text), 0)).toBeGreaterThan(8_000)
  const { replayer } = sessionReplayer({ messages: recorded.map(fromRecorded), codec: neutralCodec }, { policy: presets.balanced })
  const free = await replay(said, 8_000, everything)
  const { meanCost: _, ...figures } = replayFigures([{ own: await replay(said, 8_000, replayer), free }])
  expect(eight).toMatchObject({ window: 8_000, conversations: 1, ...figures })
  expect(eight?.recall).toBe(1)
  expect(eight?.recallOfNewest).toBeLessThan(1)
  expect(eight?.compactions).toBeGreaterThan(0)
})

it('every call of every preset is sent whole, fits and is valid', async () => {
  const messages = generateHistory(7, { turns: 20, steps: 3, output: 2_000 })
  const said = conversationSaid({ messages, codec: neutralCodec })
  for (const policy of Object.values(presets)) {
    const { replayer, prepared } = sessionReplayer({ messages, codec: neutralCodec }, { policy })
    const calls = await replay(said, 6_000, replayer)
    expect(calls.filter(({ invalid, over, stopped }) => invalid || over || stopped !== undefined)).toEqual([])
    expect(calls.every(({ index }) => prepared.has(index))).toBe(true)
  }
})
