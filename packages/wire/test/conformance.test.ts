import { ok } from 'node:assert/strict'
import type { Message } from '@precis/core'
import { adapterCases, toAnthropic, toGemini, toOpenAIChat, toOpenAIResponses } from '@precis/testkit'
import { describe, it } from 'vitest'
import { type WireMessage, type WireName, wires } from '../src/index.ts'
import { provider } from './bodies.ts'

/** The laws of adapters, for each wire: its messages are made by testkit's writers, which know nothing of ours. */
const writers: Readonly<Record<WireName, (messages: readonly Message[]) => readonly unknown[]>> = {
  'openai-chat': toOpenAIChat,
  'openai-responses': toOpenAIResponses,
  anthropic: toAnthropic,
  gemini: toGemini,
}
const splits = { 'openai-chat': 'results', 'openai-responses': 'parts', anthropic: undefined, gemini: undefined } as const

function made(name: WireName, message: Message): WireMessage {
  const [value] = message.role === 'system' ? [systemOf(name, message)] : hasMedia(message) ? [pictureOf(name, message)] : writers[name]([message])
  const [own] = wires[name].reader()(value)
  if (own === undefined) throw new Error(`${name} made nothing of ${JSON.stringify(message)}`)
  return message.protected === true ? { ...own, message: { ...own.message, protected: true } } : own
}

const hasMedia = ({ parts }: Message): boolean => parts.some(({ type }) => type === 'media')

/** Testkit's writers leave pictures out of OpenAI's shapes. */
function pictureOf(name: WireName, { role, parts }: Message): object {
  const [said, picture] = {
    'openai-chat': ['text', { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
    'openai-responses': ['input_text', { type: 'input_image', image_url: 'data:image/png;base64,AA==' }],
    anthropic: ['text', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }],
    gemini: [undefined, { inlineData: { mimeType: 'image/png', data: 'AA==' } }],
  }[name] as [string | undefined, object]
  const blocks = parts.map((part) => ('text' in part ? { ...(said !== undefined && { type: said }), text: part.text } : picture))
  return name === 'gemini' ? { role, parts: blocks } : { role, content: blocks, ...(name === 'openai-responses' && { type: 'message' }) }
}

function systemOf(name: WireName, { parts }: Message): object {
  const text = parts.map((part) => ('text' in part ? part.text : '')).join('\n')
  return name === 'gemini' ? { role: 'system', parts: [{ text }] } : { role: 'system', content: text }
}

describe.each(Object.keys(wires) as WireName[])('%s', (name) => {
  const splitting = splits[name]
  it.each(adapterCases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    await one.run<WireMessage>({
      codec: wires[name].codec,
      make: (message) => made(name, message),
      ...(splitting !== undefined && { splits: splitting }),
      convert(messages) {
        const values = wires[name].write(messages).filter((value) => (value as { role?: string }).role !== 'system')
        // A step is under way in some of these histories: its calls are answered later, and a reply may be the last word.
        const found = provider[name].refuses(values as never).filter(({ rule }) => rule !== 'calls-answered' && rule !== 'no-prefill' && rule !== 'not-empty')
        ok(found.length === 0, JSON.stringify(found[0]))
      },
    })
  })
})
