import { builtInEstimator, estimateMessage, type Message, type Part } from '@precis/core'
import { continues } from '../replay/said.ts'
import type { RecordedUsage } from '../transcripts/recorded-usage.ts'
import { subjectOf } from '../transcripts/subject.ts'
import type { Transcript } from '../transcripts/transcript.ts'

/** Outputs of one tool about one thing: a file, a command; `what` is '' where the arguments name none. */
export interface SubjectTokens {
  readonly tool: string
  readonly what: string
  readonly calls: number
  readonly tokens: number
}

/** An output that came again, word for word. */
export interface RepeatedOutput {
  readonly tool: string
  readonly what: string
  readonly times: number
  /** Of the repetitions: all but the first. */
  readonly tokens: number
  /** The same, once for each later call of the model: what they added to prompts if nothing left the context. */
  readonly carried: number
}

/** One conversation in numbers: where its tokens are. By the built-in estimator. */
export interface Inspection {
  readonly name: string
  readonly format: string
  readonly messages: number
  readonly tokens: number
  readonly byRole: Readonly<Record<string, number>>
  readonly byTool: readonly { readonly tool: string; readonly calls: number; readonly tokens: number }[]
  /** By tool and file or command, the largest first. */
  readonly bySubject: readonly SubjectTokens[]
  readonly largest: readonly { readonly index: number; readonly tool: string; readonly what: string; readonly tokens: number }[]
  /** Outputs of 200 characters or more that came again, word for word. `tokens` are those of the repetitions. */
  readonly duplicates: {
    readonly outputs: number
    readonly tokens: number
    readonly carried: number
    readonly most: readonly RepeatedOutput[]
  }
  /** What the log itself says that its calls used; absent where it says nothing. */
  readonly usage?: RecordedUsage
}

interface Repeated {
  readonly tool: string
  readonly what: string
  readonly size: number
  times: number
  /** Calls of the model before each repetition, added up. */
  callsBefore: number
}

const shortestDuplicate = 200
const mostLargest = 5
const mostRepeated = 5

/**
 * Adds up where the tokens of a conversation are, message by message.
 *
 * @param keyOf By what outputs are told apart: where texts are not held anyway, a hash of them.
 */
export function createInspection(
  name: string,
  format: string,
  keyOf: (output: string) => string = (output) => output,
): { add(message: Message): void; addBeside(overhead: Transcript['overhead']): void; result(usage?: RecordedUsage): Inspection } {
  const byRole: Record<string, number> = {}
  const tools = new Map<string, { calls: number; tokens: number }>()
  const subjects = new Map<string, { tool: string; what: string; calls: number; tokens: number }>()
  const asked = new Map<string, { readonly tool: string; readonly what: string }>()
  const outputs = new Map<string, Repeated>()
  let largest: { index: number; tool: string; what: string; tokens: number }[] = []
  let before: Message | undefined
  let messages = 0
  let calls = 0

  const addResult = ({ callId, tool: named, output }: Extract<Part, { type: 'tool-result' }>): void => {
    const call = asked.get(callId)
    const tool = named || (call?.tool ?? '?')
    const what = call?.what ?? ''
    asked.delete(callId)
    const tokens = builtInEstimator.count(output)
    const entry = tools.get(tool) ?? { calls: 0, tokens: 0 }
    tools.set(tool, { calls: entry.calls + 1, tokens: entry.tokens + tokens })
    const about = `${tool}\u0000${what}`
    const subject = subjects.get(about) ?? { tool, what, calls: 0, tokens: 0 }
    subjects.set(about, { ...subject, calls: subject.calls + 1, tokens: subject.tokens + tokens })
    largest = [...largest, { index: messages, tool, what, tokens }].sort((a, b) => b.tokens - a.tokens).slice(0, mostLargest)
    if (output.length < shortestDuplicate) return
    const key = keyOf(output)
    const seen = outputs.get(key)
    if (seen === undefined) outputs.set(key, { tool, what, size: tokens, times: 1, callsBefore: 0 })
    else {
      seen.times++
      seen.callsBefore += calls
    }
  }
  return {
    add(message) {
      byRole[message.role] = (byRole[message.role] ?? 0) + estimateMessage(message, builtInEstimator)
      if (message.role === 'assistant' && !continues(before, message)) calls++
      before = message
      for (const part of message.parts) {
        if (part.type === 'tool-call') asked.set(part.callId, { tool: part.tool, what: subjectOf(part.input) })
        if (part.type === 'tool-result') addResult(part)
      }
      messages++
    },
    addBeside(overhead) {
      if (overhead?.system) byRole['system'] = (byRole['system'] ?? 0) + overhead.system
      if (overhead?.tools) byRole['tool definitions'] = overhead.tools
    },
    result(usage) {
      const repeated = [...outputs.values()].flatMap(({ tool, what, size, times, callsBefore }): RepeatedOutput[] =>
        times < 2 ? [] : [{ tool, what, times, tokens: size * (times - 1), carried: size * ((times - 1) * calls - callsBefore) }],
      )
      return {
        name,
        format,
        messages,
        tokens: sum(Object.values(byRole)),
        byRole,
        byTool: [...tools].map(([tool, entry]) => ({ tool, ...entry })).sort((a, b) => b.tokens - a.tokens),
        bySubject: [...subjects.values()].sort((a, b) => b.tokens - a.tokens),
        largest,
        duplicates: {
          outputs: sum(repeated.map(({ times }) => times - 1)),
          tokens: sum(repeated.map(({ tokens }) => tokens)),
          carried: sum(repeated.map(({ carried }) => carried)),
          most: repeated.sort((a, b) => b.carried - a.carried || b.tokens - a.tokens).slice(0, mostRepeated),
        },
        ...(usage !== undefined && { usage }),
      }
    },
  }
}

/** Where the tokens of a conversation are. */
export function inspect(transcript: Transcript): Inspection {
  const inspection = createInspection(transcript.name, transcript.format)
  for (const message of transcript.messages) inspection.add(transcript.codec.read(message))
  inspection.addBeside(transcript.overhead)
  return inspection.result(transcript.usage)
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}
