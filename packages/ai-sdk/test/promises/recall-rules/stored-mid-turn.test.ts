import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { type WrappableModel, withCompaction } from '@precis/ai-sdk'
import { memoryStorage } from '@precis/core'
import type { ModelReply } from '@precis/testkit'
import type { ModelMessage } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { majors, sdkOf } from '../../majors.ts'
import { close, history, limits, look, refusals, start } from './setup.ts'

// A tool that the browser answers, or a person approves: what is stored ends in the middle of a turn, behind look-ups.

afterEach(async () => {
  delete process.env['PRECIS_DISABLED']
  await close()
})

const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } }
const wires = {
  anthropic: { options: thinking },
  'anthropic, redacted': { options: thinking, redacted: true },
  'responses, stored': { options: { openai: { store: true } } },
  'responses, sealed': { options: { openai: { store: false, include: ['reasoning.encrypted_content'] } } },
  google: { options: {} },
} as const
type WireName = keyof typeof wires

const newest = 'AI SDK 7'
const ways = majors.flatMap((major) =>
  (Object.keys(wires) as WireName[]).flatMap((wire) =>
    wire === 'google' && major !== newest ? [] : (['generate', 'stream'] as const).map((mode) => [major, wire, mode] as const),
  ),
)
const hosts = ['the bare model', 'PRECIS_DISABLED=1', 'another process', 'the same process'] as const
/** What is said before each look-up of the turn. */
const turns = [['Let me see.'], [''], ['Let me see.', ''], ['', 'Once more.'], ['Let me see.', 'Once more.']]

describe.each(ways)('a turn that is stored behind its look-ups, before a call is answered: %s, %s, %s', (major, wire, mode) => {
  const { options, redacted = false } = wires[wire] as { readonly options: object; readonly redacted?: boolean }
  it.each(major === newest ? hosts : hosts.slice(0, 1))('goes on with %s', async (host) => {
    const sdk = await sdkOf(major)
    const ask_browser = { description: 'Asks the browser.', inputSchema: sdk.jsonSchema({ type: 'object', properties: {} }) }
    const refused: unknown[] = []
    for (const words of turns) {
      let thoughts = 0
      const rounds: Partial<ModelReply>[] = words.map((text) => ({ text, calls: [look()] }))
      const script = [...rounds, { calls: [{ id: `b${words.join('')}`, tool: 'ask_browser', input: '{}' }] }]
      const provider = await start({
        window: 200_000,
        model: () => ({ calls: [], redacted, thinking: `Thought ${++thoughts}.`, text: '', ...(script.shift() ?? { text: 'Done.' }) }),
      })
      const inner = (
        wire === 'google'
          ? createGoogleGenerativeAI({ baseURL: provider.url, apiKey: 'none' })('strict')
          : sdk.modelAt(wire.startsWith('anthropic') ? 'anthropic' : 'openai-responses', provider.url)
      ) as WrappableModel
      const call = (model: unknown, messages: readonly ModelMessage[]) => ({
        model,
        messages,
        tools: { ...sdk.tools, ask_browser },
        stopWhen: sdk.stopWhen,
        maxRetries: 0,
        maxOutputTokens: 500,
        providerOptions: options,
      })
      const model = withCompaction(inner, { limits })
      const chat: ModelMessage[] = [...history, { role: 'user', content: 'What do I type?' }]
      chat.push(...(await said(sdk, mode, call(model, chat))))
      expect(provider.requests).toHaveLength(words.length + 1)
      const { content = [] } = chat.at(-1) ?? {}
      const [last] = (content as readonly { readonly type: string; readonly toolCallId?: string }[]).filter(({ type }) => type === 'tool-call')
      chat.push({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: last?.toolCallId ?? '', toolName: 'ask_browser', output: { type: 'text', value: 'Yes.' } }],
      })
      if (host === hosts[1]) process.env['PRECIS_DISABLED'] = '1'
      const then = host === 'the bare model' ? inner : host === 'another process' ? withCompaction(inner, { limits, storage: memoryStorage() }) : model
      const { text } = await sdk.generateText(call(then, chat)).catch(() => ({ text: '' }))
      if (text !== 'Done.' || refusals(provider).length > 0) refused.push([words, ...refusals(provider)])
      delete process.env['PRECIS_DISABLED']
    }
    expect(refused).toEqual([])
  })
})

type Sdk = Awaited<ReturnType<typeof sdkOf>>

async function said(sdk: Sdk, mode: 'generate' | 'stream', call: object): Promise<readonly ModelMessage[]> {
  if (mode === 'generate') {
    const result = await sdk.generateText(call)
    return result.responseMessages ?? result.response.messages
  }
  const result = sdk.streamText(call) as unknown as {
    consumeStream(): Promise<void>
    readonly responseMessages?: PromiseLike<readonly ModelMessage[]>
    readonly response: PromiseLike<{ readonly messages: readonly ModelMessage[] }>
  }
  await result.consumeStream()
  return (await result.responseMessages) ?? (await result.response).messages
}
