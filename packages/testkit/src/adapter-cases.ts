import { deepEqual, equal, ok } from 'node:assert/strict'
import { createCompactor, type Message, type Part, type PolicyOverrides, presets, renderSummary } from '@precis/core'
import type { AdapterCase, AdapterUnderTest } from './adapter-case.ts'
import { freezeDeep, history, image, pinned, step, user } from './builders.ts'
import { fakeClock } from './fakes.ts'
import { generateHistory } from './generate.ts'
import { brokenLaws } from './laws.ts'
import { pastedCases } from './pasted-cases.ts'
import { recordedSession } from './recorded-session.ts'
import { resultCases } from './result-cases.ts'

const texts = (message: Message): string =>
  message.parts
    .map((part) => ('text' in part ? part.text : 'output' in part ? part.output : part.type === 'tool-call' ? `${part.tool} ${part.callId}` : ''))
    .join('\n')
/** What every framework can say: reasoning and unknown parts are their own. */
const plain = (messages: readonly Message[]): readonly Message[] =>
  messages
    .map((message) => ({ ...message, parts: message.parts.filter((part) => part.type !== 'reasoning' && part.type !== 'opaque') }))
    .filter((message) => message.parts.length > 0)

export const byPart = (message: Message): readonly Message[] => message.parts.map((part) => ({ ...message, parts: [part] }))

export type Splitting = Pick<AdapterUnderTest<never>, 'splits'>

const long = (seed: number, splitting: Splitting): readonly Message[] => {
  const messages = plain(generateHistory(seed, { turns: 24, system: true, output: 3_000 }))
  return messages.flatMap((message) => split(message, splitting))
}

const split = (message: Message, { splits }: Splitting): readonly Message[] =>
  splits === 'parts' || (splits === 'results' && message.role === 'tool') ? byPart(message) : [message]

/** As the framework's converter does: items of one step are one message again. */
export const joined = (messages: readonly Message[], { splits }: Splitting): readonly Message[] => {
  if (splits !== 'parts') return messages
  const whole: Message[] = []
  for (const message of messages) {
    const last = whole.at(-1)
    const together = last !== undefined && last.role === message.role && (message.role === 'assistant' || message.role === 'tool')
    if (together) whole[whole.length - 1] = { ...last, parts: [...last.parts, ...message.parts] }
    else whole.push(message)
  }
  return whole
}

const sessionOf = <M>({ codec }: AdapterUnderTest<M>, policy: PolicyOverrides = {}) =>
  createCompactor<M>({ codec, limits: { contextWindow: 12_000, maxOutput: 1_000 }, clock: fakeClock(), policy }).session('s')

/** Feeds a history step by step, as an agent does, and looks at everything that would be sent. */
async function grow<M>(adapter: AdapterUnderTest<M>, neutral: readonly Message[]): Promise<void> {
  const own = neutral.map((message) => adapter.make(message))
  const before = JSON.stringify(own)
  const session = sessionOf(adapter)
  for (let end = 2; end <= own.length; end++) {
    const next = neutral[end - 1]?.role
    if (next === 'assistant' || next === 'system' || neutral[end]?.role === 'tool') continue
    const source = own.slice(0, end)
    const { messages, report } = await session.beforeModelCall(source)
    const touched = new Set([...report.plan.edits, ...report.plan.repairs].map((change) => change.index))
    for (const index of report.plan.keep) if (!touched.has(index)) ok(messages.includes(source[index] as never), `message ${index} is not the caller's own`)
    const read = messages.map((message) => adapter.codec.read(message))
    const sources = source.map((message) => adapter.codec.read(message))
    const tokens = { after: report.tokens.after, budget: report.tokens.budget }
    // Identity is checked above, on the framework's objects; readings are made anew here.
    const broken = brokenLaws({ history: sources, context: joined(read, adapter), plan: report.plan, tokens }).filter(
      (law) => !law.startsWith('identity') && !law.startsWith('pins'),
    )
    deepEqual(broken, [])
    adapter.convert?.(messages)
  }
  equal(JSON.stringify(own), before)
}

/** A call id of its own for each round. */
function renamed(part: Part, round: number): Part {
  return 'callId' in part ? { ...part, callId: `${part.callId}-${round}` } : part
}

/** What every codec must do, one case each: `it.each(adapterCases)('$name', ({ run }) => run(adapter))`. */
export const adapterCases: readonly AdapterCase[] = [
  {
    name: 'reads one message for one message, roles, texts, calls and results as they are',
    async run({ codec, make, ...adapter }) {
      for (const message of long(1, adapter)) {
        const read = codec.read(make(message))
        equal(read.role, message.role)
        equal(texts(read), texts(message))
        equal(read.protected === true, message.protected === true)
      }
    },
  },
  {
    name: 'nothing to do: the very same array',
    async run(adapter) {
      const messages = freezeDeep([adapter.make(user('hi'))])
      equal((await sessionOf(adapter).beforeModelCall(messages)).messages, messages)
    },
  },
  {
    name: 'messages that are made anew for each call are read and counted once',
    async run(adapter) {
      let [reads, counted] = [0, 0]
      const { codec } = adapter
      const session = createCompactor({
        codec: {
          ...codec,
          read(message) {
            reads++
            return codec.read(message)
          },
        },
        limits: { contextWindow: 10_000_000 },
        estimator: {
          name: 'counting',
          count(text) {
            counted += text.length
            return text.length
          },
        },
      }).session('s')
      const neutral = long(1, adapter)
      for (let end = 10; end < neutral.length; end += 10) await session.beforeModelCall(neutral.slice(0, end).map((message) => adapter.make(message)))
      const most = neutral.reduce((sum, message) => sum + JSON.stringify(message).length, 0)
      ok(reads < neutral.length * 2, `${reads} readings of ${neutral.length} messages`)
      ok(counted < most * 1.5, `${counted} characters counted of ${most}`)
    },
  },
  {
    name: 'over many compactions: kept messages are the caller’s own, inputs untouched, every law holds, the framework converts the result',
    async run(adapter) {
      for (let seed = 1; seed <= 6; seed++) await grow(adapter, long(seed, adapter))
    },
  },
  {
    name: 'the same for a recorded session, and for one that goes on in the same way',
    async run(adapter) {
      const again = (round: number): readonly Message[] =>
        recordedSession.map((message) => ({ ...message, parts: message.parts.map((part) => renamed(part, round)) }))
      const session = Array.from({ length: 6 }, (_, round) => again(round)).flat()
      await grow(
        adapter,
        session.flatMap((message) => split(message, adapter)),
      )
    },
  },
  {
    name: 'a summary reads back as a summary, in every role',
    async run({ codec }) {
      const quality = { empty: [], unsupported: [], failedAttempts: { known: 0, kept: 0 } }
      const rendered = renderSummary({ version: 7, text: 'text of the summary', record: '', sections: {}, missing: [], quality })
      for (const role of ['user', 'assistant', 'system'] as const) {
        const read = codec.read(codec.createSummary(rendered, { version: 7, role }))
        deepEqual([read.summary, read.role], [{ version: 7 }, role])
        ok(texts(read).includes('text of the summary'))
      }
    },
  },
  {
    name: 'an edited output leaves ids and siblings as they are; edited arguments stay arguments',
    async run({ codec, make }) {
      const [call, result] = step('read', 'id-1', { path: 'x', content: 'y'.repeat(500) }, 'long output').map(make)
      const edited = codec.read(codec.edit(result as never, { outputs: new Map([['id-1', { text: 'short', keepAttachments: false }]]), inputs: new Map() }))
      deepEqual(
        edited.parts.map((part) => part.type === 'tool-result' && [part.callId, part.output]),
        [['id-1', 'short']],
      )
      const shorter = codec.read(codec.edit(call as never, { outputs: new Map(), inputs: new Map([['id-1', '{"path":"x","content":"…"}']]) }))
      const part = shorter.parts.find((one) => one.type === 'tool-call')
      deepEqual(part?.type === 'tool-call' && [part.callId, part.tool, JSON.parse(part.input)], ['id-1', 'read', { path: 'x', content: '…' }])
      const other = codec.read(codec.edit(result as never, { outputs: new Map([['another', { text: 'short', keepAttachments: false }]]), inputs: new Map() }))
      equal(texts(other), 'long output')
    },
  },
  {
    name: 'attachments become a line, their text stays',
    async run({ codec, make }) {
      const read = codec.read(codec.edit(make(image()), { outputs: new Map(), inputs: new Map(), media: '[attached: image]' }))
      ok(read.parts.every((part) => part.type !== 'media'))
      equal(texts(read), 'look\n[attached: image]')
    },
  },
  {
    name: 'missing results are made, results without calls are taken away',
    async run({ codec, make }) {
      const made = codec.createToolResults([
        { callId: 'a', tool: 't', output: 'x' },
        { callId: 'b', tool: 't', output: 'y' },
      ])
      const ids = made.flatMap((message) => codec.read(message).parts.map((part) => part.type === 'tool-result' && part.callId))
      deepEqual(ids, ['a', 'b'])
      const [, result] = step('t', 'gone', {}, 'x').map(make)
      equal(codec.withoutToolResults(result as never, new Set(['gone'])), undefined)
    },
  },
  {
    name: 'joined: in a compacted context no two user messages follow each other, and not a word of them is missing',
    async run(adapter) {
      const { codec, make } = adapter
      const requests = ['The goal: migrate the ledger.', 'And mind the tests.', 'What is left to do?']
      const source = history(user(requests[0] as string), long(2, adapter), user(requests[1] as string), user(requests[2] as string)).map(make)
      const session = sessionOf(adapter, { summary: { neighbors: 'joined' }, retain: { turns: 1, tokens: { tokens: 200 } } })
      const { messages, report } = await session.beforeModelCall(source)
      equal(report.outcome, 'summarized')
      const read = messages.map((message) => codec.read(message))
      ok(!read.some((message, at) => message.role === 'user' && read[at + 1]?.role === 'user'))
      ok(read.every((message) => message.summary === undefined))
      const text = read.map(texts).join('\n')
      for (const request of requests) ok(text.includes(request), request)
      ok(text.includes('context-summary'))
      deepEqual((await session.beforeModelCall(source)).messages, messages)
      adapter.convert?.(messages)
    },
  },
  {
    name: 'what is protected never leaves',
    async run(adapter) {
      const source = history(user('go'), pinned(user('The rule: never push on Fridays.')), long(3, adapter)).map((message) => adapter.make(message))
      const { messages } = await sessionOf(adapter).beforeModelCall(source)
      ok(messages.includes(source[1] as never))
    },
  },
  {
    name: 'every preset gives a valid context',
    async run(adapter) {
      for (const [name, policy] of Object.entries(presets)) {
        const source = long(5, adapter).map((message) => adapter.make(message))
        const { messages, report } = await sessionOf(adapter, policy).beforeModelCall(source)
        const read = messages.map((message) => adapter.codec.read(message))
        const tokens = { after: report.tokens.after, budget: report.tokens.budget }
        const broken = brokenLaws({ history: source.map((message) => adapter.codec.read(message)), context: joined(read, adapter), plan: report.plan, tokens })
        deepEqual(
          broken.filter((law) => law.startsWith('validity') || law.startsWith('budget')),
          [],
          name,
        )
        adapter.convert?.(messages)
      }
    },
  },
  ...resultCases,
  ...pastedCases,
]
