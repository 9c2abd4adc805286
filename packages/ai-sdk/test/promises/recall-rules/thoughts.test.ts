import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import type { ModelReply } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { majors, sdkOf } from '../../majors.ts'
import { close, history, limits, look, name, read, refusals, start } from './setup.ts'

afterEach(close)

type Call = ModelReply['calls'][number]
interface Round {
  /** What the model calls behind its thought, each a look-up or a call of the agent. */
  readonly calls: readonly ('look' | 'own')[]
  readonly text?: string
  readonly callsFirst?: number
}
const text = 'Let me see.'
const rounds: readonly Round[] = [
  { calls: ['look', 'own'] },
  { calls: ['look', 'own'], text },
  { calls: ['look', 'own'], text, callsFirst: 1 },
  { calls: ['look', 'own'], text, callsFirst: 2 },
  { calls: ['own', 'look'] },
  { calls: ['own', 'look'], text, callsFirst: 1 },
  { calls: ['look', 'look', 'own'], text, callsFirst: 1 },
  { calls: ['look', 'own', 'look', 'own'] },
]

const made = { look: (): Call => look(), own: (): Call => read() }
const wires = {
  anthropic: { options: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } } },
  'anthropic, redacted': { options: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } }, redacted: true },
  'responses, stored': { options: { openai: { store: true } } },
  'responses, sealed': { options: { openai: { store: false, include: ['reasoning.encrypted_content'] } } },
  google: { options: {} },
} as const
type WireName = keyof typeof wires

/** A thought, then calls of both kinds, thrice in one turn; then two turns more, of which the last only looks up. */
const replies = (round: Round): readonly Round[] => [
  round,
  round,
  round,
  { calls: [], text: 'Done.' },
  { calls: ['own'] },
  round,
  { calls: [], text: 'Done.' },
  { calls: ['look'] },
  { calls: [], text: 'Done.' },
]

const newest = 'AI SDK 7'
const ways = majors.flatMap((major) =>
  (Object.keys(wires) as WireName[]).flatMap((wire) =>
    wire === 'google' && major !== newest ? [] : (['generate', 'stream'] as const).map((mode) => [major, wire, mode] as const),
  ),
)
const hosts = ['one process', 'a process for every turn', 'without us from the second turn on'] as const

describe.each(ways)('a thought before a look-up and a call of the agent: %s, %s, %s', (major, wire, mode) => {
  const { options, redacted = false } = wires[wire] as { readonly options: object; readonly redacted?: boolean }
  it.each(major === newest ? hosts : hosts.slice(0, 1))('%s', async (host) => {
    const sdk = await sdkOf(major)
    const refused: unknown[] = []
    for (const round of rounds) {
      let [at, thoughts] = [0, 0]
      const script = replies(round)
      const provider = await start({
        window: 200_000,
        model: (_, declared) => {
          const { calls, text = '', callsFirst = 0 } = script[at++] ?? { calls: [], text: 'Done.' }
          const kinds = declared.tools.includes(name) ? calls : calls.filter((kind) => kind === 'own')
          return { text, callsFirst, redacted, thinking: `Thought ${++thoughts}.`, calls: kinds.map((kind) => made[kind]()) }
        },
      })
      const inner = (): unknown => modelOf(sdk, wire, provider.url)
      const wrapped = (): unknown => withCompaction(inner() as never, { limits, storage: memoryStorage() })
      const model = wrapped()
      const chat = begun()
      for (const turn of [0, 1, 2]) {
        if (turn > 0) chat.push({ role: 'user', content: 'Go on.' })
        const current = turn === 0 || host === 'one process' ? model : host === 'a process for every turn' ? wrapped() : inner()
        const said = await turnOf(sdk, mode, { ...callOf(sdk, chat), model: current, providerOptions: options })
        if (said === undefined) break
        chat.push(...said)
      }
      refused.push(...refusals(provider).map((message) => [JSON.stringify(round), message]))
      expect(provider.requests.some(({ declared }) => declared.tools.includes(name))).toBe(true)
    }
    expect(refused).toEqual([])
  })
})

it.each(ways)('a turn that ends with look-ups alone: %s, %s, %s', async (major, wire, mode) => {
  const { options, redacted = false } = wires[wire] as { readonly options: object; readonly redacted?: boolean }
  const sdk = await sdkOf(major)
  for (const text of ['', 'Hm.']) {
    let asked = 0
    const model = (): ModelReply => ({ text: asked > 4 ? 'Done.' : text, redacted, thinking: `Thought ${++asked}.`, calls: asked > 4 ? [] : [look()] })
    const provider = await start({ window: 200_000, model })
    const inner = modelOf(sdk, wire, provider.url)
    const wrapped = () => withCompaction(inner as never, { limits, storage: memoryStorage() })
    const chat = begun()
    // What was streamed cannot be taken back: older clients of Anthropic send thoughts that are no longer signed as an empty message.
    for (const current of [wrapped(), mode === 'stream' ? wrapped() : inner]) {
      const said = await turnOf(sdk, mode, { ...callOf(sdk, chat), model: current, providerOptions: options })
      chat.push(...(said ?? []), { role: 'user', content: 'Go on.' })
    }
    expect(refusals(provider)).toEqual([])
    expect(provider.requests).toHaveLength(5)
  }
})

type Sdk = Awaited<ReturnType<typeof sdkOf>>

function begun(): ModelMessage[] {
  return [...history.slice(0, 17), ...history.slice(-1), { role: 'user', content: 'What do I type?' }]
}

function modelOf(sdk: Sdk, wire: WireName, url: string): unknown {
  if (wire === 'google') return createGoogleGenerativeAI({ baseURL: url, apiKey: 'none' })('strict')
  return sdk.modelAt(wire.startsWith('anthropic') ? 'anthropic' : 'openai-responses', url)
}

const callOf = ({ tools, stopWhen }: Sdk, messages: readonly ModelMessage[]) => ({ tools, stopWhen, messages, maxRetries: 0, maxOutputTokens: 500 })

/** What a turn adds to the conversation; undefined where a request was refused. */
async function turnOf(sdk: Sdk, mode: 'generate' | 'stream', call: object): Promise<readonly ModelMessage[] | undefined> {
  if (mode === 'generate') {
    const said = await sdk.generateText(call).catch(() => undefined)
    return said?.responseMessages ?? said?.response.messages
  }
  let failed = false
  const onError = (): void => {
    failed = true
  }
  const result = sdk.streamText({ ...call, onError }) as unknown as {
    consumeStream(): Promise<void>
    readonly responseMessages?: PromiseLike<readonly ModelMessage[]>
    readonly response: PromiseLike<{ readonly messages: readonly ModelMessage[] }>
  }
  await result.consumeStream()
  return failed ? undefined : ((await result.responseMessages) ?? (await result.response).messages)
}
