import { hash } from 'node:crypto'
import { builtInEstimator, type CompactionPlan, estimateMessage, type Message, type Part } from '@precis/core'
import { logsOf, type Progress } from './log.ts'
import type { Transcript } from './transcript.ts'

/** One conversation in numbers: where its tokens are. By the built-in estimator. */
export interface Inspection {
  readonly name: string
  readonly format: string
  readonly messages: number
  readonly tokens: number
  readonly byRole: Readonly<Record<string, number>>
  readonly byTool: readonly { readonly tool: string; readonly calls: number; readonly tokens: number }[]
  readonly largest: readonly { readonly index: number; readonly tool: string; readonly tokens: number }[]
  /** Outputs of 200 characters or more that came again, word for word. `tokens` are those of the repetitions. */
  readonly duplicates: {
    readonly outputs: number
    readonly tokens: number
    readonly most: readonly { readonly tool: string; readonly times: number; readonly tokens: number }[]
  }
}

interface Repeated {
  readonly tool: string
  readonly size: number
  times: number
}

const shortestDuplicate = 200

/** Adds up where the tokens of a conversation are, message by message. What it holds grows with calls and distinct outputs, not with texts. */
function createInspection(name: string, format: string): { add(message: Message): void; result(): Inspection } {
  const byRole: Record<string, number> = {}
  const tools = new Map<string, { calls: number; tokens: number }>()
  const asked = new Map<string, string>()
  const outputs = new Map<string, Repeated>()
  let largest: { index: number; tool: string; tokens: number }[] = []
  let messages = 0

  const addResult = ({ callId, tool: named, output }: Extract<Part, { type: 'tool-result' }>): void => {
    const tool = named || (asked.get(callId) ?? '?')
    asked.delete(callId)
    const tokens = builtInEstimator.count(output)
    const entry = tools.get(tool) ?? { calls: 0, tokens: 0 }
    tools.set(tool, { calls: entry.calls + 1, tokens: entry.tokens + tokens })
    largest = [...largest, { index: messages, tool, tokens }].sort((a, b) => b.tokens - a.tokens).slice(0, 5)
    if (output.length < shortestDuplicate) return
    const key = hash('sha1', output)
    const seen = outputs.get(key)
    if (seen === undefined) outputs.set(key, { tool, size: tokens, times: 1 })
    else seen.times++
  }
  return {
    add(message) {
      byRole[message.role] = (byRole[message.role] ?? 0) + estimateMessage(message, builtInEstimator)
      for (const part of message.parts) {
        if (part.type === 'tool-call') asked.set(part.callId, part.tool)
        if (part.type === 'tool-result') addResult(part)
      }
      messages++
    },
    result() {
      const repeated = [...outputs.values()].filter(({ times }) => times > 1).map(({ tool, size, times }) => ({ tool, times, tokens: size * (times - 1) }))
      return {
        name,
        format,
        messages,
        tokens: sum(Object.values(byRole)),
        byRole,
        byTool: [...tools].map(([tool, entry]) => ({ tool, ...entry })).sort((a, b) => b.tokens - a.tokens),
        largest,
        duplicates: {
          outputs: sum(repeated.map(({ times }) => times - 1)),
          tokens: sum(repeated.map(({ tokens }) => tokens)),
          most: repeated.sort((a, b) => b.tokens - a.tokens).slice(0, 3),
        },
      }
    },
  }
}

/** Where the tokens of a conversation are. */
export function inspect(transcript: Transcript): Inspection {
  const inspection = createInspection(transcript.name, transcript.format)
  for (const message of transcript.messages) inspection.add(transcript.codec.read(message))
  return inspection.result()
}

/** Where the tokens of a file's conversations are, read piece by piece. @throws TranscriptError */
export async function inspectLogs(path: string, onProgress?: Progress): Promise<readonly Inspection[]> {
  const found: Inspection[] = []
  for await (const { name, format, codec, messages } of logsOf(path, onProgress)) {
    const inspection = createInspection(name, format)
    for await (const message of messages) inspection.add(codec.read(message))
    found.push(inspection.result())
  }
  return found
}

/** `plan`: what a policy would do with it. */
export function renderInspection(found: Inspection, plan?: CompactionPlan): string {
  const share = (tokens: number, of = found.tokens): string => `${String(Math.round((tokens / Math.max(1, of)) * 100)).padStart(3)} %`
  const row = (name: string, tokens: number, end = share(tokens)): string => `  ${name.padEnd(24)} ${tokens.toLocaleString('en').padStart(9)} ${end}`
  const lines = [`${found.name}: ${found.messages} messages, about ${found.tokens.toLocaleString('en')} tokens (${found.format})`]
  for (const [role, tokens] of Object.entries(found.byRole)) lines.push(row(role, tokens))
  if (found.byTool.length > 0) lines.push('outputs by tool')
  for (const { tool, calls, tokens } of found.byTool.slice(0, 8)) lines.push(row(`${tool} × ${calls}`, tokens))
  if (found.largest.length > 0) lines.push('largest outputs')
  for (const { index, tool, tokens } of found.largest) lines.push(row(`message ${index}`, tokens, tool))
  const { outputs, tokens: again, most } = found.duplicates
  if (outputs > 0) lines.push('outputs that came again, word for word', row(`${outputs} in all`, again))
  for (const { tool, times, tokens } of most) lines.push(row(`${tool} × ${times}`, tokens))
  if (plan === undefined) return lines.join('\n')
  lines.push(`by region, of ${plan.tokens.before.toLocaleString('en')} tokens`)
  for (const [region, tokens] of Object.entries(plan.regions.before)) if (tokens > 0) lines.push(row(region, tokens, share(tokens, plan.tokens.before)))
  return [...lines, renderPlan(plan)].join('\n')
}

/** One line: what a policy would do. */
export function renderPlan({ decision, tokens, keep, edits, summarize, drop }: CompactionPlan): string {
  return `${decision.action}, ${tokens.before} → at most ${tokens.after} tokens; keep ${keep.length}, shorten ${edits.length}, summarize ${summarize.length}, drop ${drop.length}`
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}
