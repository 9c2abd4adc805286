import {
  builtInEstimator,
  type CompactionPolicy,
  type CompactionReport,
  createCompactor,
  InsufficientBudgetError,
  type Message,
  mergePolicy,
  namesIn,
  presets,
  summaryMark,
} from '@precis/core'
import { createRedactor } from '@precis/redaction'
import type { Transcript } from './transcript.ts'

export interface ReplaySettings {
  /** Window of the model, in tokens. */
  readonly window: number
  readonly policy?: CompactionPolicy
}

/** One call of the model as the policy would have made it. */
export interface ReplayedCall {
  /** Position of the model's message in the history. */
  readonly index: number
  readonly report: CompactionReport
  readonly tokens: number
  /** Tokens in front of the first difference to the prompt before. */
  readonly cached: number
  /** Names in the model's message that were last seen more than a quarter of the window before, and how many of them were in the prompt. */
  readonly far: readonly string[]
  readonly recalled: number
  /** What a summary says, where this call made one. */
  readonly summary?: string
}

export interface Replay {
  readonly calls: readonly ReplayedCall[]
  /** Calls that could not be made: what must be sent does not fit. */
  readonly stopped: readonly { readonly index: number; readonly reason: string }[]
  /** The same calls with the whole history each time. */
  readonly whole: readonly { readonly tokens: number; readonly cached: number }[]
}

/** Relative to a prompt token without any cache: what is new costs more, because it is written into the cache. */
const price = { cached: 0.1, fresh: 1.25 }
const leastCached = 1_024 // tokens; below that providers cache nothing
const farShare = 0.25

/** Asks a session for the context before each message of the model, as an agent would have: nothing is sent anywhere. */
export async function replayTranscript(transcript: Transcript, { window, policy = presets.balanced }: ReplaySettings): Promise<Replay> {
  const session = createCompactor({
    redact: createRedactor(),
    codec: transcript.codec,
    limits: { contextWindow: window, maxOutput: Math.min(8_000, Math.floor(window / 8)) },
    // The record is written without a model; whoever replays does not pay for summaries.
    policy: mergePolicy(policy, { summary: { author: 'record' } }),
  }).session('replay')
  const messages = transcript.messages.map((message) => transcript.codec.read(message))
  const prompt = promptMeter()
  const bare = promptMeter()
  const lastSeen = new Map<string, number>()
  const calls: ReplayedCall[] = []
  const whole: { tokens: number; cached: number }[] = []
  const stopped: { index: number; reason: string }[] = []
  let position = 0
  for (const [index, message] of messages.entries()) {
    const names = [...namesIn(textOf(message))]
    if (message.role === 'assistant' && index > 0) {
      try {
        const { messages: context, report } = await session.beforeModelCall(transcript.messages.slice(0, index))
        const texts = context.map((one) => textOf(transcript.codec.read(one)))
        const shown = texts.join('\n')
        const far = names.filter((name) => position - (lastSeen.get(name) ?? position) > window * farShare)
        const wrote = report.outcome === 'unchanged' || report.outcome === 'projected' ? undefined : texts.find((text) => summaryMark(text) !== undefined)
        calls.push({
          index,
          report,
          ...prompt(texts),
          far,
          recalled: far.filter((name) => shown.includes(name)).length,
          ...(wrote !== undefined && { summary: wrote }),
        })
        whole.push(bare(messages.slice(0, index).map(textOf)))
      } catch (error) {
        if (!InsufficientBudgetError.isInstance(error)) throw error
        stopped.push({ index, reason: error.message })
      }
    }
    for (const name of names) lastSeen.set(name, position)
    position += builtInEstimator.count(textOf(message))
  }
  return { calls, stopped, whole }
}

/** Cost of some prompts relative to others. */
export function costOf(prompts: readonly { readonly tokens: number; readonly cached: number }[]): number {
  return prompts.reduce((sum, { tokens, cached }) => sum + cached * price.cached + (tokens - cached) * price.fresh, 0)
}

/** Counts prompts that mostly repeat the one before: texts seen already are not counted again. */
function promptMeter(): (texts: readonly string[]) => { readonly tokens: number; readonly cached: number } {
  const counted = new Map<string, number>()
  const count = (text: string): number => {
    const known = counted.get(text)
    if (known !== undefined) return known
    const tokens = builtInEstimator.count(text) + 4
    counted.set(text, tokens)
    return tokens
  }
  let before: readonly string[] = []
  return (texts) => {
    let cached = 0
    let same = true
    let tokens = 0
    texts.forEach((text, at) => {
      const own = count(text)
      same &&= before[at] === text
      if (same) cached += own
      tokens += own
    })
    before = texts
    return { tokens, cached: cached >= leastCached ? cached : 0 }
  }
}

export function textOf(message: Message): string {
  return message.parts
    .map((part) =>
      part.type === 'text' ? part.text : part.type === 'tool-call' ? `${part.tool} ${part.input}` : part.type === 'tool-result' ? part.output : '',
    )
    .join('\n')
}
