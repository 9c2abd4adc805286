import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Message, MessageChanges, Part, ToolResultPart } from '@precis/core'
import type { AdapterCase, AdapterUnderTest, ResultField } from './adapter-case.ts'
import { assistant, calls, image, pinned, result, results, user } from './builders.ts'

type Lacking = Pick<AdapterUnderTest<never>, 'lacks'>

const resultsIn = ({ parts }: Message): readonly ToolResultPart[] => parts.flatMap((part) => (part.type === 'tool-result' ? [part] : []))
const inputsIn = ({ parts }: Message): readonly unknown[] =>
  parts.flatMap((part) => (part.type === 'tool-call' ? [[part.callId, part.tool, JSON.parse(part.input)]] : []))
const callIdsIn = (message: Message): readonly string[] => resultsIn(message).map(({ callId }) => callId)
const textsIn = ({ parts }: Message): readonly string[] => parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))

/** What a result says, as far as the framework has a place for it. */
function said({ callId, output, tool, isError = false, attachments = [] }: ToolResultPart, { lacks = [] }: Lacking): object {
  const has = (field: ResultField): boolean => !lacks.includes(field)
  return {
    callId,
    output,
    ...(has('tool') && { tool }),
    ...(has('isError') && { isError }),
    ...(has('attachments') && { attachments: attachments.length }),
  }
}

const outputs = (texts: Readonly<Record<string, string>>, keepAttachments = false): MessageChanges => ({
  outputs: new Map(Object.entries(texts).map(([callId, text]) => [callId, { text, keepAttachments }])),
  inputs: new Map(),
})
const inputs = (texts: Readonly<Record<string, string>>): MessageChanges => ({ outputs: new Map(), inputs: new Map(Object.entries(texts)) })

const picture: Part = { type: 'media', mediaType: 'image/png', bytes: 1_000 }
const withPicture: Message = {
  role: 'tool',
  parts: [{ type: 'tool-result', callId: 'shot', tool: 'screenshot', output: 'a window', attachments: [picture] }],
}
/** Blanks, that a reader could take away. */
const spaced = '\n  said  \n'

/** Results, and what an edit leaves as it is: each a place where a codec loses something without an error. */
export const resultCases: readonly AdapterCase[] = [
  {
    name: 'reads blanks at both ends, and of a result its tool, whether it failed, and its attachments',
    async run(adapter) {
      const { codec, make } = adapter
      for (const message of [user(spaced), assistant(spaced)]) deepEqual(textsIn(codec.read(make(message))), [spaced])
      const messages = [result('a', spaced, { tool: 'grep' }), result('b', 'no such file', { tool: 'read', isError: true })]
      for (const message of [...messages, ...(adapter.lacks?.includes('attachments') === true ? [] : [withPicture])]) {
        const read = codec.read(make(message))
        deepEqual(
          resultsIn(read).map((part) => said(part, adapter)),
          resultsIn(message).map((part) => said(part, adapter)),
        )
      }
    },
  },
  {
    name: 'results that are made say which call they answer, with what, and the tool',
    async run(adapter) {
      const wanted = [
        { callId: 'a', tool: 'grep', output: 'one' },
        { callId: 'b', tool: 'read', output: spaced },
      ]
      const made = adapter.codec.createToolResults(wanted).flatMap((message) => resultsIn(adapter.codec.read(message)))
      const tool = ({ callId, tool, output }: (typeof wanted)[number]): object => ({ callId, output, ...(!adapter.lacks?.includes('tool') && { tool }) })
      deepEqual(made.map(tool), wanted.map(tool))
    },
  },
  {
    name: 'of several results one is taken away, and the others stay',
    async run({ codec, make, splits }) {
      const alone = make(result('stays', 'PRECIOUS'))
      const same = codec.withoutToolResults(alone, new Set(['gone']))
      ok(same !== undefined, 'a result that is not named is gone')
      deepEqual(codec.read(same), codec.read(alone))
      if (splits !== undefined) return
      const both = [
        ['stays', 'PRECIOUS'],
        ['gone', 'of no call'],
      ] as const
      for (const order of [both, [...both].reverse()]) {
        const left = codec.withoutToolResults(make(results(order)), new Set(['gone']))
        ok(left !== undefined, 'the result that stays is gone too')
        deepEqual(
          resultsIn(codec.read(left)).map(({ callId, output }) => [callId, output]),
          [['stays', 'PRECIOUS']],
        )
        equal(codec.withoutToolResults(make(results(order)), new Set(['stays', 'gone'])), undefined)
      }
    },
  },
  {
    name: 'an edit changes all that it names, and nothing else',
    async run(adapter) {
      const { codec, make, splits } = adapter
      const both = { a: 'short a', b: 'short b' }
      for (const id of ['a', 'b'] as const) equal(resultsIn(codec.read(codec.edit(make(result(id, 'long')), outputs(both))))[0]?.output, both[id])
      const args = { a: '{"path":"x"}', b: '{"path":"y"}' }
      for (const id of ['a', 'b'] as const)
        deepEqual(inputsIn(codec.read(codec.edit(make(calls([['read', id, { path: 'long' }]])), inputs(args)))), [[id, 'read', JSON.parse(args[id])]])
      const failed = codec.edit(make(result('a', 'long', { tool: 'grep', isError: true })), outputs(both))
      const changed = { type: 'tool-result', callId: 'a', tool: 'grep', output: 'short a', isError: true } as const
      deepEqual(
        resultsIn(codec.read(failed)).map((part) => said(part, adapter)),
        [said(changed, adapter)],
      )
      if (splits === undefined) {
        const several = make(
          results([
            ['a', 'long a'],
            ['b', 'long b'],
            ['c', 'long c'],
          ]),
        )
        const edited = codec.read(codec.edit(several, outputs(both)))
        deepEqual(callIdsIn(edited), ['a', 'b', 'c'])
        deepEqual(
          resultsIn(edited).map(({ output }) => output),
          ['short a', 'short b', 'long c'],
        )
      }
      if (splits === 'parts') return
      const asked = make(calls(['a', 'b', 'c'].map((id) => ['read', id, { path: 'long' }] as const)))
      deepEqual(inputsIn(codec.read(codec.edit(asked, inputs(args)))), [
        ['a', 'read', { path: 'x' }],
        ['b', 'read', { path: 'y' }],
        inputsIn(codec.read(asked))[2],
      ])
    },
  },
  {
    name: 'an edit keeps the attachments of an output only where it is told to',
    async run({ codec, make, lacks }) {
      if (lacks?.includes('attachments') === true) return
      for (const keep of [true, false]) {
        const [part] = resultsIn(codec.read(codec.edit(make(withPicture), outputs({ shot: 'short' }, keep))))
        deepEqual([part?.output, part?.attachments?.length ?? 0], ['short', keep ? 1 : 0])
      }
    },
  },
  {
    name: 'an edited message keeps its id and its protection',
    async run({ codec, make }) {
      const edits: readonly (readonly [Message, MessageChanges])[] = [
        [image(), { outputs: new Map(), inputs: new Map(), media: '[attached: image]' }],
        [calls([['read', 'a', { path: 'long' }]]), inputs({ a: '{"path":"x"}' })],
        [result('a', 'long'), outputs({ a: 'short' })],
      ]
      for (const [message, changes] of edits) {
        const made = make(pinned({ ...message, id: 'own-id' }))
        const [before, after] = [codec.read(made), codec.read(codec.edit(made, changes))]
        deepEqual([after.role, after.id, after.protected], [before.role, before.id, before.protected])
      }
    },
  },
]
