import { type Message, mergePolicy, type PolicyOverrides, presets, type Rung, shortenArguments } from '@precis/core'
import { assistant, call, generateHistory, history, image, result, step, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileText, sessionWith, textsOf } from '../systems/setup.ts'

const limits = { contextWindow: 12_000, maxOutput: 2_000 }
const onlyRung = (rung: Rung, prune: PolicyOverrides['prune'] = {}): PolicyOverrides =>
  mergePolicy(presets.balanced, {
    trigger: { hard: { fraction: 0.6 }, target: { fraction: 0.55 }, minimumGain: 0.01 },
    retain: { tokens: { fraction: 0.15 } },
    prune: { ...prune, ladder: [rung] },
  })
const run = (rung: Rung, source: readonly Message[], prune: PolicyOverrides['prune'] = {}) =>
  sessionWith(onlyRung(rung, prune), { limits }).beforeModelCall(source)
/** The rung as maintenance: it takes all that it finds, whatever the size of the context. */
const maintain = (rung: Rung, source: readonly Message[], prune: PolicyOverrides['prune'] = {}) =>
  sessionWith(mergePolicy(presets.balanced, { prune: { ...prune, ladder: [], maintain: [rung] }, cost: { warmGain: 0 } }), {
    limits: { contextWindow: 200_000 },
  }).beforeModelCall(source)
const filler = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, at) => step('list', `fill${at}`, { at }, fileText(`fill${at}`, 40))).flat()

describe('the rung "superseded"', () => {
  const read = (id: string, input: object) => step('read_file', id, input, fileText(id, 60))
  it.each([
    ['the same call again', read('a', { path: 'x.ts' }), read('b', { path: 'x.ts' }), ['a']],
    ['the file read whole again', read('a', { path: 'x.ts', offset: 1, limit: 9 }), read('b', { path: 'x.ts' }), ['a']],
    ['the file written whole', read('a', { path: 'x.ts' }), step('write_file', 'b', { path: 'x.ts', content: 'new' }, 'ok'), ['a']],
    ['another file', read('a', { path: 'x.ts' }), read('b', { path: 'y.ts' }), []],
    ['a part of the file', read('a', { path: 'x.ts' }), read('b', { path: 'x.ts', offset: 5 }), []],
    ['an edit, as long as the policy is patient', read('a', { path: 'x.ts' }), step('edit_file', 'b', { path: 'x.ts', old: 'a', new: 'b' }, 'ok'), []],
    ['a failed write', read('a', { path: 'x.ts' }), [call('write_file', 'b', { path: 'x.ts', content: 'n' }), result('b', 'EACCES', { isError: true })], []],
  ] as const)('%s', async (_, older, newer, expected) => {
    const source = history(user('go'), older, newer, filler(10), user('on'))
    const { report } = await maintain('superseded', source)
    expect(report.plan.edits.filter((edit) => edit.kind === 'superseded' || edit.kind === 'duplicate').map((edit) => edit.callId)).toEqual(expected)
  })
  it('an edit makes a read stale where the policy says so', async () => {
    const source = history(user('go'), read('a', { path: 'x.ts' }), step('edit_file', 'b', { path: 'x.ts', old: 'a', new: 'b' }, 'ok'), filler(10), user('on'))
    const { report } = await maintain('superseded', source, { staleReads: 'edited' })
    expect(report.plan.edits.map((edit) => edit.callId)).toEqual(['a'])
  })
})

describe('the rungs "arguments" and "errors"', () => {
  const big = 'const line = 1\n'.repeat(400)
  it('cut long texts in old calls: JSON with the same fields, short ones whole, the newest steps untouched', async () => {
    const source = history(
      user('go'),
      step('write_file', 'w', { path: 'src/a.ts', content: big }, 'ok'),
      filler(6),
      step('write_file', 'new', { path: 'b.ts', content: big }, 'ok'),
      assistant('Written.'),
      user('on'),
    )
    const { messages, report } = await run('arguments', source, { arguments: { tokens: 100, steps: 2 } })
    expect(report.plan.edits.map((edit) => [edit.callId, edit.kind])).toEqual([['w', 'arguments']])
    const part = messages[1]?.parts[0]
    const input = JSON.parse(part?.type === 'tool-call' ? part.input : '{}') as { path: string; content: string }
    expect(input.path).toBe('src/a.ts')
    expect(input.content).toMatch(/^const line = 1\n[\s\S]*\[… \d+ characters\]$/)
    expect(textsOf(source)).toContain(JSON.stringify(big))
  })
  it('cut the arguments of failed calls, and leave their error', async () => {
    const failed = [call('patch', 'f', { path: 'x.ts', diff: big }), result('f', 'Error: hunk 3 does not apply', { tool: 'patch', isError: true })]
    const source = history(user('go'), failed, step('write_file', 'w', { path: 'y', content: big }, 'ok'), filler(6), user('on'))
    const { messages, report } = await run('errors', source, { errors: { steps: 2 } })
    expect(report.plan.edits.map((edit) => edit.callId)).toEqual(['f'])
    expect(textsOf(messages)).toContain('Error: hunk 3 does not apply')
  })
  it('whatever the arguments, what comes out is JSON and smaller, or nothing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 0, max: 500 }), (fields, room) => {
        const input = JSON.stringify(fields)
        const cut = shortenArguments(input, room)
        if (cut === undefined) return
        expect(cut.length).toBeLessThan(input.length)
        expect(Object.keys(JSON.parse(cut) as object)).toEqual(Object.keys(JSON.parse(input) as object))
      }),
    )
    expect(shortenArguments('not json', 10)).toBeUndefined()
  })
  it('leave what has a number that would change when it is read', () => {
    const text = JSON.stringify('long '.repeat(200))
    expect(shortenArguments(`{"channel_id":118765432,"text":${text}}`, 100)).toContain('"channel_id":118765432')
    expect(shortenArguments(`{"channel_id":1187654321098765433,"text":${text}}`, 100)).toBeUndefined()
  })
})

describe('the rung "media"', () => {
  it('old attachments become a line, those of tools too; the newest stay', async () => {
    const shot: Message = {
      role: 'tool',
      parts: [
        {
          type: 'tool-result',
          callId: 's',
          tool: 'screenshot',
          output: 'taken',
          attachments: [
            { type: 'media', mediaType: 'image/png' },
            { type: 'media', mediaType: 'image/png' },
          ],
        },
      ],
    }
    const source = history(
      user('go'),
      call('screenshot', 's', {}),
      shot,
      image('application/pdf'),
      assistant('seen'),
      image(),
      assistant('seen'),
      filler(1),
      user('on'),
    )
    const { messages, report } = await run('media', source, { media: { keep: 1 } })
    expect(report.plan.edits.map((edit) => [edit.index, edit.kind])).toEqual([
      [2, 'media'],
      [3, 'media'],
    ])
    expect(textsOf(messages)).toContain('taken\n[attached, not shown any more: attachment of screenshot, attachment of screenshot]')
    expect(textsOf(messages)).toContain('[attached, not shown any more: application/pdf]')
    expect(messages[5]).toBe(source[5])
  })
})

describe('the rung "condensed"', () => {
  it('shrinks old outputs to their most telling passages', async () => {
    const output = [
      ...Array.from({ length: 150 }, () => 'all is well and nothing happens here'),
      'ERROR E4711 in src/ledger.ts: checksum mismatch',
      ...Array.from({ length: 150 }, () => 'all is well and nothing happens here'),
    ].join('\n')
    const source = history(user('go'), step('run', 'r', { command: 'x' }, output), step('run', 'q', { command: 'y' }, output), filler(3), user('on'))
    const { report } = await run('condensed', source, { condense: { tokens: 120, steps: 2 } })
    const edit = report.plan.edits.find((one) => one.callId === 'r')
    expect(edit?.kind).toBe('condensed')
    expect(edit?.text).toContain('ERROR E4711 in src/ledger.ts: checksum mismatch')
  })
})

describe('a ladder', () => {
  it('ends as soon as the target is met, and nothing ever grows', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const source = generateHistory(seed, { turns: 14, output: 3_000 })
      const ladder: readonly Rung[] = ['superseded', 'errors', 'arguments', 'media', 'view', 'condensed', 'aged']
      const policy = mergePolicy(presets.balanced, { prune: { ladder, age: { protect: { tokens: 500 }, minimum: { tokens: 0 } } } })
      const { report } = await sessionWith(policy, { limits: { contextWindow: 20_000, maxOutput: 2_000 } }).beforeModelCall(source)
      expect(report.tokens.after).toBeLessThanOrEqual(report.tokens.before)
      for (const edit of report.plan.edits) expect(edit.freed).toBeGreaterThan(0)
    }
  })
})
