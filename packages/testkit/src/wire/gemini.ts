import type { Message } from '@precis/core'
import type { Violation } from './violation.ts'

interface GeminiPart {
  readonly text?: string
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown }
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response?: unknown }
  readonly inlineData?: unknown
  readonly thoughtSignature?: string
}

export interface GeminiContent {
  readonly role: string
  readonly parts: readonly GeminiPart[]
}

/** Neutral messages as Gemini's generateContent takes them: neighbors of one role merged. */
export function toGemini(messages: readonly Message[]): readonly GeminiContent[] {
  const wire: { role: string; kind: string; parts: GeminiPart[] }[] = []
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'developer') continue
    const role = message.role === 'assistant' ? 'model' : 'user'
    const kind = message.role
    const parts: GeminiPart[] = []
    for (const part of message.parts) {
      if (part.type === 'text') parts.push({ text: part.text })
      else if (part.type === 'media') parts.push({ inlineData: {} })
      else if (part.type === 'tool-call') parts.push({ functionCall: { id: part.callId, name: part.tool, args: {} } })
      else if (part.type === 'tool-result') parts.push({ functionResponse: { id: part.callId, name: part.tool, response: { output: part.output } } })
    }
    const last = wire.at(-1)
    if (last?.kind === kind) last.parts.push(...parts)
    else wire.push({ role, kind, parts })
  }
  return wire.map(({ role, parts }) => ({ role, parts }))
}

/**
 * What Gemini's generateContent refuses.
 *
 * @param signed Whether the model signs its thoughts: then each step of the newest turn needs the signature on its first call.
 */
export function validateGemini(contents: readonly GeminiContent[], { signed = false }: { readonly signed?: boolean } = {}): readonly Violation[] {
  const found: Violation[] = []
  const turn = contents.findLastIndex(({ role, parts }) => role === 'user' && parts.some((part) => part.text !== undefined))
  if (contents.length === 0) found.push({ rule: 'not-empty', message: '* GenerateContentRequest.contents: contents is not specified' })
  contents.forEach((content, at) => {
    if (content.role !== 'user' && content.role !== 'model') found.push({ rule: 'roles', message: 'Please use a valid role: user, model.' })
    if (content.parts.length === 0)
      found.push({ rule: 'content', message: `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.` })
    const calls = content.parts.filter((part) => part.functionCall !== undefined).length
    const responses = content.parts.filter((part) => part.functionResponse !== undefined).length
    const before = contents[at - 1]
    const callsBefore = before?.parts.filter((part) => part.functionCall !== undefined).length ?? 0
    const first = content.parts.find((part) => part.functionCall !== undefined)
    if (signed && at > turn && first?.functionCall !== undefined && first.thoughtSignature === undefined)
      found.push({
        rule: 'thought-signature',
        message: `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall.name}\`, position ${at}.`,
      })
    if (calls > 0) {
      if (before === undefined || before.role !== 'user')
        found.push({
          rule: 'call-after-user',
          message: 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
        })
      const answers = contents[at + 1]?.parts.filter((part) => part.functionResponse !== undefined).length ?? 0
      if (answers !== calls)
        found.push({
          rule: 'calls-answered',
          message: 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
        })
    }
    if (responses > 0 && callsBefore === 0)
      found.push({ rule: 'result-follows-call', message: 'Please ensure that function response turn comes immediately after a function call turn.' })
  })
  return found
}
