import { type CompactionPolicy, resolveThreshold, usableInput } from '@precis/core'
import { type CompactSettings, limitsFor, planTranscript } from '../compact.ts'
import { continues } from '../replay/said.ts'
import { whole as digits, many, percent, short } from '../terminal/amounts.ts'
import { bar, bold, cyan, dim, fit, padded, yellow } from '../terminal/text.ts'
import type { Transcript } from '../transcripts/transcript.ts'
import { plain } from './plain.ts'
import { regionName } from './region-name.ts'

/** Where a running session stands. Tokens by the built-in estimator. */
export interface Watched {
  readonly name: string
  readonly messages: number
  readonly window: number
  readonly context: number
  /** As the log recorded it for its last call: what the agent really sent, its instructions and tools among it. */
  readonly lastPrompt?: number
  readonly regions: Readonly<Record<string, number>>
  /** Where a compaction begins, and the calls of the model until then at the pace of the last twenty; null where it does not grow. */
  readonly compactsAt: number
  readonly callsLeft: number | null
  /** How the newest message begins. */
  readonly newest: string
}

const pace = 20

/** @param settings - Whose window it is, and whose thresholds hold. */
export function watched(whole: Transcript, settings: CompactSettings & { readonly policy: CompactionPolicy }): Watched {
  const { window, policy } = settings
  const transcript = { ...whole, messages: whole.messages.slice(whole.since ?? 0) }
  const { regions, tokens } = planTranscript(transcript, settings)
  const read = transcript.messages.map((message) => transcript.codec.read(message))
  const calls = read.flatMap((message, at) => (message.role === 'assistant' && !continues(read[at - 1], message) ? [at] : []))
  const from = calls.at(-pace - 1) ?? 0
  const made = calls.filter((at) => at > from).length
  const grown = tokens.before === 0 ? 0 : ((read.length - from) / Math.max(1, read.length)) * tokens.before
  const compactsAt = resolveThreshold(policy.trigger.hard, usableInput(limitsFor(settings), policy.trigger.outputCap))
  const lastPrompt = transcript.usage?.lastPrompt
  const context = lastPrompt || tokens.before
  const perCall = made === 0 ? 0 : grown / made
  const newest = read.at(-1)
  return {
    name: transcript.name,
    messages: whole.messages.length,
    window,
    context,
    ...(lastPrompt !== undefined && { lastPrompt }),
    regions: regions.before as unknown as Readonly<Record<string, number>>,
    compactsAt,
    callsLeft: perCall <= 0 ? null : Math.max(0, Math.ceil((compactsAt - context) / perCall)),
    newest:
      newest === undefined
        ? ''
        : plain(
            `${newest.role}: ${newest.parts.map((part) => (part.type === 'text' ? part.text : part.type === 'tool-call' ? `${part.tool} ${part.input}` : part.type === 'tool-result' ? part.output : '')).join(' ')}`.slice(
              0,
              400,
            ),
          ),
  }
}

function next({ context, compactsAt, callsLeft }: Watched): string {
  if (context >= compactsAt) return 'a compaction is due'
  return `next compaction at ${digits(compactsAt)}${callsLeft === null ? '' : `, in about ${many(callsLeft, 'call')}`}`
}

/** One line for a log. */
export function watchedLine(found: Watched): string {
  return `${many(found.messages, 'message')}  context ${digits(found.context)} of ${short(found.window)} (${percent(found.context / found.window)}); ${next(found)}`
}

/** Lines that are drawn over one another. */
export function watchedScreen(found: Watched, width: number): readonly string[] {
  const room = Math.max(10, Math.min(60, width - 32))
  const share = found.context / found.window
  const paint = found.context >= found.compactsAt ? yellow : cyan
  return [
    bold(fit(plain(found.name), width)),
    `${padded('context', 10)} ${digits(found.context).padStart(10)} ${percent(share).padStart(6)}  ${paint(bar(share, room))}`,
    ...Object.entries(found.regions).flatMap(([region, tokens]) =>
      tokens > 0
        ? [
            `  ${padded(regionName(region), 8)} ${digits(tokens).padStart(10)} ${percent(tokens / found.window).padStart(6)}  ${dim(bar(tokens / found.window, room))}`,
          ]
        : [],
    ),
    fit(`${many(found.messages, 'message')}; ${next(found)}`, width),
    dim(fit(found.newest, width)),
    dim('Ctrl-C ends'),
  ]
}
