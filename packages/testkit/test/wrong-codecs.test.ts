import { type Message, type MessageCodec, neutralCodec, type Part } from '@precis/core'
import { expect, it } from 'vitest'
import { adapterCases } from '../src/index.ts'

type Codec = MessageCodec<Message>
const base: Codec = { ...neutralCodec, read: (message) => ({ ...neutralCodec.read(message) }) }
const reading = (change: (part: Part) => Part): Partial<Codec> => ({
  read: (message) => {
    const read = neutralCodec.read(message)
    return { ...read, parts: read.parts.map(change) }
  },
})
const results = (change: (part: Extract<Part, { type: 'tool-result' }>) => Part): Partial<Codec> =>
  reading((part) => (part.type === 'tool-result' ? change(part) : part))
const making = (change: object): Partial<Codec> => ({
  createToolResults: (list) => neutralCodec.createToolResults(list.map((one) => ({ ...one, ...change }))),
})
const first = <V>(map: ReadonlyMap<string, V>): ReadonlyMap<string, V> => new Map([...map].slice(0, 1))
const without = (field: 'id' | 'protected'): Partial<Codec> => ({
  edit: (message, changes) => {
    const { [field]: _lost, ...rest } = neutralCodec.edit(message, changes)
    return rest
  },
})

/** A codec that is sound but for one thing, and the case that it must fail. */
const wrong: Readonly<Record<string, readonly [RegExp, Partial<Codec>]>> = {
  'takes every message with results away': [/others stay/, { withoutToolResults: () => undefined }],
  'takes all results of a message away': [
    /others stay/,
    { withoutToolResults: (message, ids) => (message.parts.some((part) => 'callId' in part && ids.has(part.callId)) ? undefined : message) },
  ],
  'takes none away': [/others stay/, { withoutToolResults: (message) => message }],
  'edits the first output only': [
    /all that it names/,
    { edit: (message, changes) => neutralCodec.edit(message, { ...changes, outputs: first(changes.outputs) }) },
  ],
  'edits the first arguments only': [
    /all that it names/,
    { edit: (message, changes) => neutralCodec.edit(message, { ...changes, inputs: first(changes.inputs) }) },
  ],
  'makes results without their output': [/results that are made/, making({ output: '' })],
  'makes results without their tool': [/results that are made/, making({ tool: '' })],
  'trims texts': [/blanks at both ends/, reading((part) => (part.type === 'text' ? { ...part, text: part.text.trim() } : part))],
  'trims outputs': [/blanks at both ends/, results((part) => ({ ...part, output: part.output.trim() }))],
  'loses that a call failed': [/blanks at both ends/, results(({ isError: _lost, ...part }) => part)],
  'loses the attachments of results': [/blanks at both ends/, results(({ attachments: _lost, ...part }) => part)],
  'gives results another tool': [/blanks at both ends/, results((part) => ({ ...part, tool: 'tool' }))],
  'keeps attachments that are to go': [
    /attachments of an output/,
    {
      edit: (message, changes) =>
        neutralCodec.edit(message, { ...changes, outputs: new Map([...changes.outputs].map(([id, output]) => [id, { ...output, keepAttachments: true }])) }),
    },
  ],
  'drops ids in an edit': [/its id and its protection/, without('id')],
  'drops protection in an edit': [/its id and its protection/, without('protected')],
}

const run = async (name: RegExp, change: Partial<Codec>): Promise<void> =>
  adapterCases.find((one) => name.test(one.name))?.run({ codec: { ...base, ...change }, make: (message: Message) => message })

it.each(Object.entries(wrong))('a codec that %s does not pass', async (_, [name, change]) => {
  await run(name, {})
  await expect(run(name, change)).rejects.toThrow()
})
it('what a framework has no place for is not looked for', async () => {
  const codec = { ...base, ...results(({ isError: _lost, attachments: _too, ...part }) => part) }
  const adapter = { codec, make: (message: Message) => message, lacks: ['isError', 'attachments'] as const }
  for (const { name, run: passes } of adapterCases) if (/blanks|an edit/.test(name)) await passes(adapter)
})
