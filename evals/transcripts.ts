import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Message, Part } from '@precis/core'

export interface RecordedMessage {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: string
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[]
  readonly toolCallId?: string
  readonly toolName?: string
  readonly isError?: boolean
}

export interface Recorded {
  readonly id: string
  readonly set: string
  readonly domain: string
  readonly system?: string
  readonly messages: readonly RecordedMessage[]
  readonly compactions?: readonly { readonly beforeMessage: number; readonly summary: string }[]
}

/** Recorded sessions from `$PRECIS_TRANSCRIPTS`, by default beside the project. Never part of it. */
export function readTranscripts(): readonly Recorded[] {
  const folder = resolve(process.env['PRECIS_TRANSCRIPTS'] ?? join(import.meta.dirname, '../../shared/data/transcripts'))
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .sort()
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => ({ ...(JSON.parse(line) as Omit<Recorded, 'set'>), set: file.replace('.jsonl', '') })),
    )
}

/** A recorded message as the library sees it. */
export function neutral(message: RecordedMessage): Message {
  if (message.role === 'tool') {
    return {
      role: 'tool',
      parts: [
        {
          type: 'tool-result',
          callId: message.toolCallId ?? '',
          tool: message.toolName ?? '',
          output: message.content,
          ...(message.isError === true && { isError: true }),
        },
      ],
    }
  }
  const parts: Part[] = message.content === '' ? [] : [{ type: 'text', text: message.content }]
  for (const call of message.toolCalls ?? []) parts.push({ type: 'tool-call', callId: call.id, tool: call.name, input: JSON.stringify(call.arguments) })
  return { role: message.role, parts }
}

/** Everything a message says, escapes in arguments undone. */
export function textOf(message: RecordedMessage): string {
  const calls = (message.toolCalls ?? []).map(
    (call) =>
      `${call.name} ${Object.entries(call.arguments)
        .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join('\n')}`,
  )
  return [message.content, ...calls].join('\n')
}

/** The same of a neutral message, for what comes out. */
export function neutralText(message: Message): string {
  return message.parts
    .map((part) => {
      if (part.type === 'text' || part.type === 'reasoning') return part.text
      if (part.type === 'tool-result') return part.output
      if (part.type !== 'tool-call') return ''
      return `${part.tool} ${unescaped(part.input)}`
    })
    .join('\n')
}

function unescaped(input: string): string {
  try {
    return Object.entries(JSON.parse(input) as Record<string, unknown>)
      .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join('\n')
  } catch {
    return input
  }
}

/** The ruler of the metric: characters ÷ 4, plus 4 a message. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4) + 4
}
