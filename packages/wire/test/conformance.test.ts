import { ok } from 'node:assert/strict'
import type { Message, ToolResultPart } from '@precis/core'
import { adapterCases, type ResultField, toAnthropic, toGemini, toOpenAIChat, toOpenAIResponses } from '@precis/testkit'
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
  const [only] = message.parts
  const isPlain = only?.type !== 'tool-result' || message.parts.length > 1 || (only.isError === undefined && only.attachments === undefined)
  const [value] = !isPlain
    ? [resultOf(name, only)]
    : message.role === 'system'
      ? [systemOf(name, message)]
      : hasMedia(message)
        ? [pictureOf(name, message)]
        : writers[name]([message])
  const [own] = wires[name].reader()(value)
  if (own === undefined) throw new Error(`${name} made nothing of ${JSON.stringify(message)}`)
  return message.protected === true ? { ...own, message: { ...own.message, protected: true } } : own
}

/** The type of a text, where it has one, and a picture. */
const pictures: Readonly<Record<WireName, readonly [string | undefined, object]>> = {
  'openai-chat': ['text', { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
  'openai-responses': ['input_text', { type: 'input_image', image_url: 'data:image/png;base64,AA==' }],
  anthropic: ['text', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }],
  gemini: [undefined, { inlineData: { mimeType: 'image/png', data: 'AA==' } }],
}

/** What an API has no place for in a result. */
const lacks: Readonly<Record<WireName, readonly ResultField[]>> = {
  'openai-chat': ['tool', 'isError'],
  'openai-responses': ['tool', 'isError'],
  anthropic: ['tool'],
  gemini: [],
}

/** Testkit's writers leave out that a call failed, and pictures. */
function resultOf(name: WireName, { callId, tool, output, isError, attachments = [] }: ToolResultPart): object {
  const picture = pictures[name][1]
  const content = attachments.length === 0 ? output : [{ type: pictures[name][0], text: output }, ...attachments.map(() => picture)]
  if (name === 'openai-chat') return { role: 'tool', tool_call_id: callId, content }
  if (name === 'openai-responses') return { type: 'function_call_output', call_id: callId, output: content }
  if (name === 'anthropic')
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: callId, content, ...(isError === true && { is_error: true }) }] }
  const response = { [isError === true ? 'error' : 'output']: output }
  const parts = attachments.length === 0 ? {} : { parts: attachments.map(() => picture) }
  return { role: 'user', parts: [{ functionResponse: { id: callId, name: tool, response, ...parts } }] }
}

const hasMedia = ({ parts }: Message): boolean => parts.some(({ type }) => type === 'media')

/** Testkit's writers leave pictures out of OpenAI's shapes. */
function pictureOf(name: WireName, { role, parts }: Message): object {
  const [said, picture] = pictures[name]
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
      lacks: lacks[name],
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
