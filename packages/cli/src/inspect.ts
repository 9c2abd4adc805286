import { builtInEstimator, estimateMessage, type Message } from '@precis/core'
import type { Transcript } from './transcript.ts'

export interface Inspection {
  readonly name: string
  readonly format: string
  readonly messages: number
  readonly tokens: number
  readonly byRole: Readonly<Record<string, number>>
  readonly byTool: readonly { readonly tool: string; readonly calls: number; readonly tokens: number }[]
  readonly largest: readonly { readonly index: number; readonly tool: string; readonly tokens: number }[]
}

/** Where the tokens of a conversation are. */
export function inspect(transcript: Transcript): Inspection {
  const messages = transcript.messages.map((message) => transcript.codec.read(message))
  const byRole: Record<string, number> = {}
  for (const message of messages) byRole[message.role] = (byRole[message.role] ?? 0) + estimateMessage(message, builtInEstimator)
  const outputs = toolOutputs(messages)
  const tools = new Map<string, { calls: number; tokens: number }>()
  for (const { tool, tokens } of outputs) {
    const entry = tools.get(tool) ?? { calls: 0, tokens: 0 }
    tools.set(tool, { calls: entry.calls + 1, tokens: entry.tokens + tokens })
  }
  return {
    name: transcript.name,
    format: transcript.format,
    messages: messages.length,
    tokens: Object.values(byRole).reduce((sum, tokens) => sum + tokens, 0),
    byRole,
    byTool: [...tools].map(([tool, entry]) => ({ tool, ...entry })).sort((a, b) => b.tokens - a.tokens),
    largest: [...outputs].sort((a, b) => b.tokens - a.tokens).slice(0, 5),
  }
}

function toolOutputs(messages: readonly Message[]): readonly { index: number; tool: string; tokens: number }[] {
  const names = new Map<string, string>()
  return messages.flatMap((message, index) =>
    message.parts.flatMap((part) => {
      if (part.type === 'tool-call') names.set(part.callId, part.tool)
      return part.type === 'tool-result' ? [{ index, tool: part.tool || (names.get(part.callId) ?? '?'), tokens: builtInEstimator.count(part.output) }] : []
    }),
  )
}

export function renderInspection(found: Inspection): string {
  const share = (tokens: number): string => `${String(Math.round((tokens / Math.max(1, found.tokens)) * 100)).padStart(3)} %`
  const lines = [`${found.name}: ${found.messages} messages, about ${found.tokens.toLocaleString('en')} tokens (${found.format})`]
  for (const [role, tokens] of Object.entries(found.byRole)) lines.push(`  ${role.padEnd(24)} ${tokens.toLocaleString('en').padStart(9)} ${share(tokens)}`)
  if (found.byTool.length > 0) lines.push('outputs by tool')
  for (const { tool, calls, tokens } of found.byTool.slice(0, 8))
    lines.push(`  ${`${tool} × ${calls}`.padEnd(24)} ${tokens.toLocaleString('en').padStart(9)} ${share(tokens)}`)
  if (found.largest.length > 0) lines.push('largest outputs')
  for (const { index, tool, tokens } of found.largest) lines.push(`  message ${String(index).padEnd(16)} ${tokens.toLocaleString('en').padStart(9)} ${tool}`)
  return lines.join('\n')
}
