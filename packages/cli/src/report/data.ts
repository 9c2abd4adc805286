import { type CompactionPolicy, namesIn, presets, type Redactor, type Regions, renderReport, resolveThreshold } from '@precis/core'
import { createRedactor, personalRules, secretRules } from '@precis/redaction'
import { inspect } from '../inspect.ts'
import { costOf, type ReplayedCall, replayTranscript, textOf } from '../replay.ts'
import type { Transcript } from '../transcript.ts'

/** All that the page shows: numbers and texts, no markup. Regions in tokens. */
export interface ReportData {
  readonly name: string
  readonly format: string
  readonly window: number
  /** Where a compaction begins and what it aims at. */
  readonly hard: number
  readonly target: number
  readonly calls: readonly { readonly message: number; readonly tokens: number; readonly whole: number; readonly regions: Regions }[]
  readonly compactions: readonly ReportedCompaction[]
  readonly largest: readonly { readonly index: number; readonly tool: string; readonly tokens: number }[]
  readonly totals: {
    readonly sent: number
    readonly sentWithout: number
    /** Shares, 0–1. */
    readonly cached: number
    readonly cost: number
    readonly recalled: number | null
  }
  readonly survived: { readonly names: number; readonly shown: number }
  readonly warnings: readonly string[]
  readonly stopped: readonly { readonly index: number; readonly reason: string }[]
}

interface ReportedCompaction {
  /** Position in `calls`. */
  readonly call: number
  readonly message: number
  readonly receipt: string
  readonly summary: string
  readonly edits: readonly { readonly index: number; readonly kind: string; readonly before: string; readonly after: string }[]
  /** More of them than are shown. */
  readonly editsLeftOut: number
}

const mostEdits = 20
const longestText = 6_000 // characters of one text on the page; the transcript itself has the rest

export async function reportData(
  transcript: Transcript,
  {
    window,
    policy = presets.balanced,
    personalData = 'redact',
  }: { readonly window: number; readonly policy?: CompactionPolicy; readonly personalData?: 'redact' | 'keep' },
): Promise<ReportData> {
  // A page is made to be sent to others.
  const redact = createRedactor(personalData === 'keep' ? secretRules : [...secretRules, ...personalRules])
  const { calls, whole, stopped } = await replayTranscript(transcript, { window, policy })
  const found = inspect(transcript)
  const usable = calls[0]?.report.tokens.budget ?? window
  const made = calls.flatMap((call, at) => (call.report.outcome === 'unchanged' || call.report.outcome === 'projected' ? [] : [{ call, at }]))
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  const [sent, sentWithout] = [sum(calls.map(({ tokens }) => tokens)), sum(whole.map(({ tokens }) => tokens))]
  const far = sum(calls.map((call) => call.far.length))
  return {
    name: redact(transcript.name),
    format: transcript.format,
    window,
    hard: resolveThreshold(policy.trigger.hard, usable),
    target: resolveThreshold(policy.trigger.target, usable),
    calls: calls.map(({ index, report }, at) => ({
      message: index,
      tokens: report.tokens.after,
      whole: whole[at]?.tokens ?? 0,
      regions: report.regions.after,
    })),
    compactions: made.map(({ call, at }) => compactionOf(transcript, call, at, redact)),
    largest: found.largest,
    totals: {
      sent,
      sentWithout,
      cached: sent === 0 ? 0 : sum(calls.map(({ cached }) => cached)) / sent,
      cost: sentWithout === 0 ? 1 : costOf(calls) / costOf(whole),
      recalled: far === 0 ? null : sum(calls.map(({ recalled }) => recalled)) / far,
    },
    survived: survivedOf(transcript, made.at(-1)?.call),
    warnings: [...new Set(calls.flatMap(({ report }) => report.warnings))],
    stopped,
  }
}

function compactionOf(transcript: Transcript, { index, report, summary = '' }: ReplayedCall, call: number, redact: Redactor): ReportedCompaction {
  const edits = report.plan.edits.slice(0, mostEdits).map(({ index: at, callId, kind, text }) => {
    const parts = transcript.codec.read(transcript.messages[at]).parts
    const part = parts.find((one) => (one.type === 'tool-result' || one.type === 'tool-call') && one.callId === callId)
    const before = part?.type === 'tool-result' ? part.output : part?.type === 'tool-call' ? part.input : ''
    return { index: at, kind, before: clipped(redact(before)), after: clipped(redact(text)) }
  })
  return {
    call,
    message: index,
    receipt: renderReport(report),
    summary: clipped(redact(summary), 40_000),
    edits,
    editsLeftOut: report.plan.edits.length - edits.length,
  }
}

function clipped(text: string, length = longestText): string {
  return text.length <= length ? text : `${text.slice(0, length)}\n[… ${text.length - length} characters more]`
}

/** Of the names in what the last compaction's summary stands for: how many it still says. */
function survivedOf(transcript: Transcript, last: ReplayedCall | undefined): ReportData['survived'] {
  if (last?.summary === undefined) return { names: 0, shown: 0 }
  const names = new Set<string>()
  for (const at of [...last.report.plan.represented, ...last.report.plan.summarise]) {
    for (const name of namesIn(textOf(transcript.codec.read(transcript.messages[at])))) names.add(name)
  }
  return { names: names.size, shown: [...names].filter((name) => last.summary?.includes(name)).length }
}
