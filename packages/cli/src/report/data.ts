import { type CompactionPolicy, estimateMessage, presets, type Redactor, type Regions, renderReport, resolveThreshold } from '@precis/core'
import { knownModel } from '@precis/models'
import { createRedactor, personalRules, secretRules } from '@precis/redaction'
import { inspect, type SubjectTokens } from '../look/inspect.ts'
import { markdownOf } from '../look/markdown.ts'
import { costOf, everything, type ReplayedCall, type Replayer, recallOf, replay } from '../replay/measure.ts'
import { contains, entitiesOf } from '../replay/names.ts'
import { isCall, saidBy } from '../replay/said.ts'
import { conversationSaid, type PreparedCall, ruler, sessionReplayer } from '../replay/session.ts'
import type { Transcript } from '../transcripts/transcript.ts'

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
  /** `what`: the file or command, secrets replaced. */
  readonly largest: readonly {
    readonly index: number
    readonly tool: string
    readonly what: string
    readonly tokens: number
    /** Position in `compactions` of the first after which it was no longer shown whole. */
    readonly left: number | null
  }[]
  readonly bySubject: readonly SubjectTokens[]
  readonly totals: {
    readonly sent: number
    readonly sentWithout: number
    /** Shares, 0–1. */
    readonly cached: number
    readonly cost: number
    readonly recalled: number | null
  }
  /** US dollars for all calls; null where no price is known. */
  readonly money: { readonly dollarsPerMillion: number; readonly own: number; readonly without: number } | null
  /** What the model reads at the last call, as Markdown. */
  readonly context: string
  readonly survived: { readonly names: number; readonly shown: number }
  readonly warnings: readonly string[]
  readonly stopped: readonly { readonly index: number; readonly reason: string }[]
}

interface ReportedCompaction {
  /** Position in `calls`. */
  readonly call: number
  readonly message: number
  readonly tokens: { readonly before: number; readonly after: number }
  /** What was done, and why: `summarized (hard)`. */
  readonly reason: string
  readonly receipt: string
  readonly summary: string
  readonly edits: readonly { readonly index: number; readonly kind: string; readonly before: string; readonly after: string }[]
  /** More of them than are shown. */
  readonly editsLeftOut: number
}

/** One call with what the session did before it, and the tokens of the whole history at that time. */
type Made = ReplayedCall & PreparedCall & { readonly whole: number }

const mostSubjects = 12
const mostEdits = 20
const longestText = 6_000 // characters of one text on the page; the transcript itself has the rest
const longestSummary = 40_000
const longestContext = 200_000

/** How a conversation is replayed, and what the page shows of it. */
export interface ReportOptions {
  /** Tokens that prompts may take. */
  readonly window: number
  /** Default: `balanced`. */
  readonly policy?: CompactionPolicy
  /** What becomes of e-mail addresses and telephone numbers on the page. Default `redact`. */
  readonly personalData?: 'redact' | 'keep'
  /** US dollars for a million tokens of a prompt that no cache has. Default: the list price of the model that the log names most often. */
  readonly dollarsPerMillion?: number
  /** Told before each call: calls so far, of how many. */
  readonly onProgress?: (done: number, all: number) => void
}

/** The numbers of the report page, from replaying one conversation on a window of `window` tokens. */
export async function reportData(transcript: Transcript, options: ReportOptions): Promise<ReportData> {
  const { window, policy = presets.balanced, personalData = 'redact', onProgress } = options
  // A page is made to be sent to others.
  const redact = createRedactor(personalData === 'keep' ? secretRules : [...secretRules, ...personalRules])
  // Secrets go before anything is cut: half a key is not recognized.
  const { replayer, prepared, lastContext } = sessionReplayer(transcript, { policy, redact: createRedactor() })
  const said = conversationSaid(transcript)
  const expected = said.filter(isCall).length
  let done = 0
  const watched: Replayer = (history, own) => {
    onProgress?.(done++, expected)
    return replayer(history, own)
  }
  const [all, free] = [await replay(said, window, watched), await replay(said, window, everything)]
  const wholeAt = wholeBefore(transcript)
  const calls = all.flatMap((call): Made[] => {
    const made = prepared.get(call.index)
    return made === undefined ? [] : [{ ...call, ...made, whole: wholeAt[call.index] ?? 0 }]
  })
  const found = inspect(transcript)
  const usable = calls[0]?.report.tokens.budget ?? window
  const made = calls.flatMap((call, at) => (call.report.outcome === 'unchanged' || call.report.outcome === 'projected' ? [] : [{ call, at }]))
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
  const [sent, sentWithout] = [sum(all.map(({ tokens }) => tokens)), sum(free.map(({ tokens }) => tokens))]
  return {
    name: redact(transcript.name),
    format: transcript.format,
    window,
    hard: resolveThreshold(policy.trigger.hard, usable),
    target: resolveThreshold(policy.trigger.target, usable),
    calls: calls.map(({ index, report, whole }) => ({ message: index, tokens: report.tokens.after, whole, regions: report.regions.after })),
    compactions: made.map(({ call, at }) => compactionOf(transcript, call, at, redact)),
    largest: found.largest.map((one) => ({ ...one, what: redact(one.what), left: leftAt(made, one.index) })),
    bySubject: found.bySubject.slice(0, mostSubjects).map((one) => ({ ...one, what: redact(one.what) })),
    totals: {
      sent,
      sentWithout,
      cached: sent === 0 ? 0 : sum(all.map(({ cached }) => cached)) / sent,
      cost: free.length === 0 ? 1 : costOf(all) / costOf(free),
      recalled: recallOf(all),
    },
    money: moneyOf(transcript, options.dollarsPerMillion, costOf(all), costOf(free)),
    context: clipped(
      markdownOf(
        lastContext().map((message) => transcript.codec.read(message)),
        redact,
      ),
      longestContext,
    ),
    survived: survivedOf(transcript, made.at(-1)?.call),
    warnings: [...new Set(calls.flatMap(({ report }) => report.warnings))],
    stopped: all.flatMap(({ index, stopped: reason }) => (reason === undefined ? [] : [{ index, reason }])),
  }
}

/** Tokens of the whole history before each message, as the session counts them. */
function wholeBefore({ messages, codec }: Transcript): readonly number[] {
  let tokens = 0
  return messages.map((message) => {
    const before = tokens
    tokens += estimateMessage(codec.read(message), ruler)
    return before
  })
}

/** The first compaction that does not show a message whole. */
function leftAt(made: readonly { readonly call: Made }[], index: number): number | null {
  const at = made.findIndex(({ call }) => {
    const { keep, edits } = call.report.plan
    return call.index > index && !(keep.includes(index) && edits.every((edit) => edit.index !== index))
  })
  return at < 0 ? null : at
}

function moneyOf({ usage }: Transcript, asked: number | undefined, own: number, without: number): ReportData['money'] {
  const dollarsPerMillion = asked ?? knownModel(usage?.models[0]?.model ?? '')?.prices?.input
  return dollarsPerMillion === undefined ? null : { dollarsPerMillion, own: (own * dollarsPerMillion) / 1e6, without: (without * dollarsPerMillion) / 1e6 }
}

function compactionOf(transcript: Transcript, { index, report, summary = '' }: Made, call: number, redact: Redactor): ReportedCompaction {
  const edits = report.plan.edits.slice(0, mostEdits).map(({ index: at, callId, kind, text }) => {
    const parts = transcript.codec.read(transcript.messages[at]).parts
    const part = parts.find((one) => (one.type === 'tool-result' || one.type === 'tool-call') && one.callId === callId)
    const before = part?.type === 'tool-result' ? part.output : part?.type === 'tool-call' ? part.input : ''
    return { index: at, kind, before: clipped(redact(before)), after: clipped(redact(text)) }
  })
  return {
    call,
    message: index,
    tokens: { before: report.tokens.before, after: report.tokens.after },
    reason: `${report.outcome} (${report.plan.decision.reason})`,
    receipt: renderReport(report),
    summary: clipped(redact(summary), longestSummary),
    edits,
    editsLeftOut: report.plan.edits.length - edits.length,
  }
}

function clipped(text: string, length = longestText): string {
  return text.length <= length ? text : `${text.slice(0, length)}\n[… ${text.length - length} characters more]`
}

/** Of the names in what the last compaction's summary stands for: how many it still says. */
function survivedOf(transcript: Transcript, last: Made | undefined): ReportData['survived'] {
  const summary = last?.summary
  if (last === undefined || summary === undefined) return { names: 0, shown: 0 }
  const names = new Set<string>()
  for (const at of [...last.report.plan.represented, ...last.report.plan.summarize]) {
    for (const name of entitiesOf(saidBy(transcript.codec.read(transcript.messages[at]))).keys()) names.add(name)
  }
  return { names: names.size, shown: [...names].filter((name) => contains(summary, name)).length }
}
