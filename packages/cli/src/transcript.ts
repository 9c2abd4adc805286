import { readFile } from 'node:fs/promises'
import { createCodec, type SdkMessage } from '@precis/ai-sdk'
import { type Message, type MessageCodec, neutralCodec } from '@precis/core'
import { type AgentItem, createCodec as createAgentsCodec } from '@precis/openai-agents'
import { type ForeignFormat, foreignFormats } from './foreign.ts'
import { type ChatMessage, chatCodec } from './openai-chat.ts'
import { fromRecorded, type RecordedMessage } from './recorded.ts'

export type TranscriptFormat = 'neutral' | 'recorded' | 'openai-chat' | 'ai-sdk' | 'openai-agents' | ForeignFormat['format']

/** One conversation, with the codec that reads its messages. */
export interface Transcript {
  readonly name: string
  readonly format: TranscriptFormat
  // The message type depends on the format; the codec is the one that goes with it.
  readonly messages: readonly unknown[]
  readonly codec: MessageCodec<unknown>
}

/** A file that is no transcript. The text says where, what was expected, and what to do. */
export class TranscriptError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'TranscriptError'
  }
}

/**
 * Reads the conversations of a file: JSON Lines or one JSON value; messages, or objects that hold `messages`.
 * The shape of the messages is found by looking at them.
 *
 * @throws TranscriptError naming the line and what was expected.
 */
export async function readTranscripts(path: string): Promise<readonly Transcript[]> {
  let text: string
  try {
    text = path === '-' ? await readInput() : await readFile(path, 'utf8')
  } catch (error) {
    throw new TranscriptError(
      `Cannot read ${path}: ${(error as { code?: string }).code === 'ENOENT' ? 'there is no such file' : String((error as Error).message)}.`,
      { cause: error },
    )
  }
  return parseTranscripts(text, path === '-' ? 'standard input' : path)
}

async function readInput(): Promise<string> {
  let text = ''
  process.stdin.setEncoding('utf8')
  for await (const chunk of process.stdin) text += chunk
  return text
}

/** @throws TranscriptError */
export function parseTranscripts(text: string, name: string): readonly Transcript[] {
  const values = parseValues(text, name)
  const holders = values.flatMap((value) => {
    const held = heldBy(value)
    return held === undefined ? [] : [{ id: (value as { readonly id?: unknown }).id, messages: held }]
  })
  if (holders.length > 0) return holders.map((holder, at) => transcriptOf(holder.messages, typeof holder.id === 'string' ? holder.id : `${name}#${at + 1}`))
  return [transcriptOf(values, name)]
}

/** The messages of a conversation, or of a request's body, that one value holds. */
function heldBy(value: unknown): readonly unknown[] | undefined {
  const { messages, contents, input } = value as { readonly messages?: unknown; readonly contents?: unknown; readonly input?: unknown }
  return [messages, contents, input].find((one): one is readonly unknown[] => Array.isArray(one))
}

function parseValues(text: string, name: string): readonly unknown[] {
  const trimmed = text.trim()
  if (trimmed === '') throw new TranscriptError(`${name} is empty. Expected messages as JSON Lines or a JSON array.`)
  if (trimmed.startsWith('[')) {
    const value = parseJson(trimmed)
    if (Array.isArray(value)) return value
    throw new TranscriptError(`${name} begins like a JSON array but is not valid JSON. Was it cut off?`)
  }
  const whole = parseJson(trimmed)
  if (typeof whole === 'object' && whole !== null) return [whole]
  return trimmed.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    const value = parseJson(line)
    if (typeof value === 'object' && value !== null) return [value]
    throw new TranscriptError(
      `${name}, line ${at + 1}: expected a JSON object, found ${JSON.stringify(line.slice(0, 40))}. Each line of a JSON Lines file holds one message.`,
    )
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const known =
  'neutral, OpenAI Chat, OpenAI Responses, OpenAI Agents items, Anthropic Messages, Gemini contents, AI SDK ModelMessages and UIMessages, stored LangChain messages, session logs of Claude Code, Codex, pi, Gemini CLI and OpenCode'

function transcriptOf(messages: readonly unknown[], name: string): Transcript {
  const values = messages.map((message) => (typeof message === 'object' && message !== null ? (message as Readonly<Record<string, unknown>>) : {}))
  if (values.some((value) => typeof value['callId'] === 'string' && typeof value['type'] === 'string'))
    return { name, format: 'openai-agents', messages: messages as readonly AgentItem[], codec: createAgentsCodec<unknown>() }
  const foreign = foreignFormats.find((one) => one.matches(values))
  if (foreign !== undefined) {
    const read = foreign.read(values)
    if (read.length === 0) throw new TranscriptError(`${name} looks like ${foreign.format}, but no message was found in it.`)
    return { name, format: foreign.format, messages: read, codec: neutralCodec as MessageCodec<unknown> }
  }
  messages.forEach((message, at) => {
    if (typeof (message as { role?: unknown } | null)?.role === 'string') return
    throw new TranscriptError(`${name}, message ${at + 1}: expected an object with a "role". Known shapes: ${known}.`)
  })
  const format = detectFormat(messages as readonly Readonly<Record<string, unknown>>[], name)
  switch (format) {
    case 'recorded':
      return { name, format, messages: (messages as readonly RecordedMessage[]).map(fromRecorded), codec: neutralCodec as MessageCodec<unknown> }
    case 'neutral':
      return { name, format, messages: messages as readonly Message[], codec: neutralCodec as MessageCodec<unknown> }
    case 'openai-chat':
      return { name, format, messages: messages as readonly ChatMessage[], codec: chatCodec as MessageCodec<unknown> }
    case 'ai-sdk':
      return { name, format, messages: messages as readonly SdkMessage[], codec: createCodec<unknown>() }
  }
}

function detectFormat(messages: readonly Readonly<Record<string, unknown>>[], name: string): 'neutral' | 'recorded' | 'openai-chat' | 'ai-sdk' {
  const has = (test: (message: Readonly<Record<string, unknown>>) => boolean): boolean => messages.some(test)
  if (has((message) => Array.isArray(message['parts']))) {
    const odd = messages.findIndex((message) => !Array.isArray(message['parts']))
    if (odd < 0) return 'neutral'
    throw new TranscriptError(`${name}, message ${odd + 1}: expected "parts", as the other messages have. Known shapes: ${known}.`)
  }
  if (has((message) => Array.isArray(message['toolCalls']) || typeof message['toolCallId'] === 'string')) return 'recorded'
  if (
    has(
      (message) =>
        Array.isArray(message['content']) &&
        (message['content'] as readonly { type?: unknown }[]).some(
          (part) => part?.type === 'tool-call' || part?.type === 'tool-result' || part?.type === 'reasoning',
        ),
    )
  )
    return 'ai-sdk'
  const odd = messages.findIndex(
    (message) =>
      typeof message['content'] !== 'string' && !Array.isArray(message['content']) && message['tool_calls'] === undefined && message['content'] !== null,
  )
  if (odd < 0) return 'openai-chat'
  throw new TranscriptError(`${name}, message ${odd + 1}: it has a role but neither "parts" nor "content". Known shapes: ${known}.`)
}
