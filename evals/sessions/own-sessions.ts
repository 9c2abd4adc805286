import type { Transcript } from '@precis/cli'
import type { Message, MessageCodec } from '@precis/core'
import type { Recorded, RecordedMessage } from './transcripts.ts'

/** A message in the recorded form: results one by one, reasoning and pictures left out. */
function recordedOf({ role, parts }: Message): readonly RecordedMessage[] {
  const content = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n')
  const toolCalls = parts.flatMap((part) => (part.type === 'tool-call' ? { id: part.callId, name: part.tool, arguments: argumentsOf(part.input) } : []))
  const results = parts.flatMap((part): readonly RecordedMessage[] =>
    part.type === 'tool-result' ? [{ role: 'tool', content: part.output, toolCallId: part.callId, ...(part.isError === true && { isError: true }) }] : [],
  )
  const said = content.trim() === '' && toolCalls.length === 0 ? [] : [{ role, content: content.trim(), ...(toolCalls.length > 0 && { toolCalls }) }]
  return role === 'system' ? [] : [...results, ...said]
}

function argumentsOf(input: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(input)) as Readonly<Record<string, unknown>>
  } catch {
    return { input }
  }
}

/** The session with each result right behind the message that called, under its tool's name; calls without an answer and answers without a call are left out. */
export function sessionOf({ name, messages, codec, since }: Pick<Transcript, 'name' | 'messages' | 'codec' | 'since'>): Omit<Recorded, 'set'> {
  const read = messages.map((message) => recordedOf((codec as MessageCodec<unknown>).read(message)))
  const answers = new Map(read.flat().flatMap((message) => (message.toolCallId === undefined ? [] : [[message.toolCallId, message] as const])))
  let before = 0
  const whole = read.flatMap((own, at) => {
    const placed = own.flatMap(({ toolCalls, ...message }): readonly RecordedMessage[] => {
      if (message.toolCallId !== undefined) return []
      const calls = (toolCalls ?? []).filter(({ id }) => answers.has(id))
      if (calls.length === 0) return message.content === '' ? [] : [message]
      return [{ ...message, toolCalls: calls }, ...calls.map((call) => ({ ...(answers.get(call.id) as RecordedMessage), toolName: call.name }))]
    })
    if (since !== undefined && at < since) before += placed.length
    return placed
  })
  return { id: name, domain: 'coding', messages: whole, ...(since !== undefined && { compactions: [{ beforeMessage: before, summary: '' }] }) }
}
