import type { TokenEstimator } from '../../budget/estimate.ts'
import { classifyError } from '../../budget/overflow.ts'
import { promptTokens } from '../../budget/usage.ts'
import { readableMessage, withoutBinary } from '../../history/binary.ts'
import { type Message, partText, type Tokens } from '../../history/message.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { editKey } from '../../plan/context.ts'
import { type Attempt, planAfterFailure, type SummaryFailure } from '../../plan/failure.ts'
import type { CompactionPlan, SummaryOrder } from '../../plan/plan.ts'
import type { CompactionPolicy, SummaryAuthor } from '../../policy/policy.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import { condense } from '../../record/condense.ts'
import { extractFacts, type RecordEntry } from '../../record/facts.ts'
import { type HistoryRecord, recordOf } from '../../record/record.ts'
import { acceptSummary, isBlank } from '../../summary/accept.ts'
import { writeFromFacts } from '../../summary/deterministic.ts'
import { groundSummary, sourceOf } from '../../summary/ground.ts'
import { emptySummary, type ParsedSummary, parseSummary, type Summary } from '../../summary/parse.ts'
import { shownTokens } from '../../summary/render.ts'
import { buildPrefixRequest, type SummaryBrief, type SummaryRequest } from '../../summary/request.ts'
import { requiredSections } from '../../summary/style.ts'
import type { Summarizer } from '../../summary/summarizer.ts'
import { renderTranscript } from '../../summary/transcript.ts'
import { orAborted } from '../abort.ts'
import type { EventDraft } from '../telemetry/events.ts'
import { type RefusedStretches, type Reply, type StretchedReply, safety, summarizeStretches } from './stretches.ts'

export interface SummarizeInput {
  /** As they may leave the process: redacted before anything is cut, quoted or counted. */
  readonly messages: readonly Message[]
  readonly plan: CompactionPlan
  readonly order: SummaryOrder
  readonly previous: Summary | undefined
  /** Messages that left the context before without being summarized. */
  readonly dropped?: readonly number[]
  readonly policy: CompactionPolicy
  readonly summarizer: Summarizer
  readonly estimator: TokenEstimator
  /** Tokens of the window that the summarizer may use when it states none. */
  readonly window: Tokens
  readonly redact: Redactor
  readonly signal: AbortSignal | undefined
  /** The messages as last sent, and their calibrated Tokens: what a request may ride on. */
  readonly prefix?: { readonly messages: readonly unknown[]; readonly tokens: Tokens }
}

export interface SummarizeResult {
  readonly summary: Summary
  /** Failed attempts, in order; empty when the first one was good. */
  readonly failures: readonly SummaryFailure[]
  /** What the summary that stands there now lacks. */
  readonly warnings: readonly string[]
  /** Who wrote what stands there now. */
  readonly author: SummaryAuthor
  /** Tokens that models read and wrote for it; by estimate where they do not say. */
  readonly spent: { readonly prompt: Tokens; readonly reply: Tokens }
  readonly events: readonly EventDraft[]
}

/** Fewer Tokens than this hold no summary worth asking for. */
const leastAnswer = 200
/**
 * Executes an order: attempts, checks, next rung; the record made by code is added at the end and fills what room is left.
 * Never rejects except when the caller's own signal is aborted.
 */
export async function summarize(given: SummarizeInput): Promise<SummarizeResult> {
  const input = { ...given, messages: given.messages.map(readableMessage) }
  const { plan, order, messages, estimator, policy } = input
  const represented = [...plan.represented, ...plan.summarize, ...plan.drop].sort((a, b) => a - b)
  const facts = extractFacts(messages, represented, policy.summary)
  const failures: SummaryFailure[] = []
  const events: EventDraft[] = []
  const spent = { prompt: 0, reply: 0 }
  const deadline = AbortSignal.timeout(policy.summary.deadline)
  const blocks = renderTranscript(
    messages,
    [...plan.summarize, ...plan.drop].toSorted((a, b) => a - b),
    policy.summary.weights,
  )
  const ride = policy.summary.request === 'prefix' && input.prefix !== undefined && input.summarizer.ridesPrefix === true
  let attempt: Attempt = { order, shrink: 1, ride }
  let accepted: Accepted | undefined
  // A span in which nothing was said leaves the summary so far as it is.
  while (attempt.order.author === 'model' && order.tokens >= leastAnswer && blocks.some((block) => block !== '')) {
    const outcome = await attemptSummary({ ...input, blocks, represented, deadline, spent }, attempt, briefOf(input, attempt, facts))
    if (typeof outcome !== 'string') {
      accepted = outcome
      break
    }
    failures.push(outcome)
    events.push({
      event: 'compact.summary_rejected',
      severity: 'warning',
      attributes: { reason: outcome, style: attempt.order.style, attempt: failures.length },
    })
    attempt = planAfterFailure(attempt, outcome, policy.summary)
    if (attempt.order.author !== 'model')
      events.push({ event: 'compact.fallback', severity: 'warning', attributes: { to: attempt.order.author, after: outcome } })
  }
  const author = accepted === undefined && attempt.order.author === 'model' ? 'record' : attempt.order.author
  const summary = assemble(input, accepted, author, represented, facts)
  events.push({
    event: 'compact.summary_created',
    severity: 'info',
    attributes: {
      version: order.version,
      style: attempt.order.style,
      author,
      by_model: accepted !== undefined,
      summary_tokens: estimator.count(summary.text),
      record_tokens: estimator.count(summary.record),
      missing_sections: summary.missing.length,
      empty_sections: summary.quality.empty.length,
      unsupported: summary.quality.unsupported.length,
      failed_attempts: summary.quality.failedAttempts.known,
      failed_attempts_kept: summary.quality.failedAttempts.kept,
    },
  })
  const { refused } = accepted ?? {}
  const warnings =
    refused === undefined ? [] : [`${refused.count} of ${refused.of} stretches were refused by the summarizer: only the record made by code speaks for them`]
  return { summary, failures, author, warnings, spent, events }
}

interface Accepted extends ParsedSummary {
  readonly unsupported: readonly string[]
  readonly refused?: RefusedStretches
}

function briefOf(input: SummarizeInput, attempt: Attempt, facts: readonly RecordEntry[]): SummaryBrief {
  const { order, previous, policy } = input
  return {
    style: attempt.order.style,
    maxTokens: attempt.order.tokens,
    directives: policy.summary.directives,
    protectedFields: policy.summary.protectedFields,
    facts,
    ...omitUndefined({ retain: policy.summary.retain, focus: order.focus }),
    ...(previous !== undefined && { previous: [previous.retained, previous.text].filter(Boolean).join('\n\n') }),
  }
}

/** The model's text, or the one so far where there is no new one, and the record that fills what room is left. */
function assemble(
  input: SummarizeInput,
  accepted: Accepted | undefined,
  author: SummaryAuthor,
  represented: readonly number[],
  facts: readonly RecordEntry[],
): Summary {
  const { order, redact, estimator } = input
  // When no new text was accepted the previous one still holds for what it covers.
  const none: ParsedSummary = { text: '', sections: {}, missing: requiredSections(order.style) }
  const text = accepted ?? carriedOver(input, none)
  let told = toldBy(input, text)
  // A model's text was weighed when it came; what is carried over is weighed here.
  for (let room = order.room; sentTokens(input, told) > order.room && room > 0; room = Math.floor(room * 0.8)) {
    told = { ...told, ...halved(told, room, estimator) }
  }
  const record = author === 'notice' ? { text: '', entries: [] } : fittingRecord(input, told, text.text, represented, facts)
  const failed = facts.filter((fact) => fact.kind === 'failed-attempt')
  const inRecord = new Set(record.entries.map((entry) => entry.text))
  return {
    ...told,
    record: record.text,
    sections: Object.fromEntries(Object.entries(text.sections).map(([title, body]) => [title, redact(body)])),
    missing: text.missing,
    quality: {
      empty: Object.entries(text.sections).flatMap(([title, body]) => (isBlank(body) ? [title] : [])),
      unsupported: (accepted?.unsupported ?? []).map(redact),
      failedAttempts: { known: failed.length, kept: failed.filter((fact) => inRecord.has(fact.text) || text.text.includes(fact.text)).length },
    },
  }
}

/** A text as the summary that is sent, without a record. */
function toldBy({ order, redact }: SummarizeInput, { text, retained }: ParsedSummary): Summary {
  return { ...emptySummary, version: order.version, text: redact(text), ...(retained !== undefined && { retained: redact(retained) }) }
}

/** Tokens of all that is sent for a summary. Whether a word to go on will follow is known later: room is kept for it. */
function sentTokens({ dropped = [], plan, policy, estimator }: SummarizeInput, told: Summary): Tokens {
  return shownTokens(told, policy.summary, { dropped: [...dropped, ...plan.drop], automatic: true }, estimator)
}

/** The redacted record that fills what room the text and all around it leave. */
function fittingRecord(input: SummarizeInput, told: Summary, already: string, represented: readonly number[], facts: readonly RecordEntry[]): HistoryRecord {
  const { messages, plan, order, policy, estimator, redact } = input
  const sent = (record: string): Tokens => sentTokens(input, { ...told, record: record })
  for (let budget = Math.min(order.record, order.room - sent('-')); ; ) {
    const { text, entries } = recordOf(messages, represented, {
      budget,
      requests: order.requests,
      estimator,
      already,
      beside: textsBeside(messages, plan),
      facts,
      weights: policy.summary.weights,
    })
    const record = { text: redact(text), entries }
    // A text is not always as long as its parts, least of all where secrets in it were named.
    const over = sent(record.text) - order.room
    if (over <= 0 || text === '') return record
    budget -= over
  }
}

/** What the reader sees beside the record: the kept messages, as they are shown. */
function textsBeside(messages: readonly Message[], plan: CompactionPlan): readonly string[] {
  const edits = new Map(plan.edits.map((edit) => [editKey(edit), edit.text]))
  return plan.keep.flatMap((index) =>
    (messages[index] as Message).parts.map((part) => {
      const kind = part.type === 'tool-call' ? 'arguments' : part.type === 'tool-result' ? 'view' : undefined
      const edit = kind === undefined || !('callId' in part) ? undefined : edits.get(editKey({ index, callId: part.callId, kind }))
      return edit ?? partText(part)
    }),
  )
}

function carriedOver(input: SummarizeInput, none: ParsedSummary): ParsedSummary {
  const { previous, order, estimator } = input
  if (previous === undefined || previous.text === '') return none
  if (estimator.count(previous.text) + estimator.count(previous.retained ?? '') <= order.tokens) return previous
  return { ...halved(previous, order.tokens, estimator), sections: {}, missing: previous.missing }
}

/** Text and what was kept beside it, within a budget: the latter in at most half of it. */
function halved({ text, retained }: Pick<Summary, 'text' | 'retained'>, budget: Tokens, estimator: TokenEstimator): Pick<Summary, 'text' | 'retained'> {
  const kept = retained === undefined ? undefined : condense(retained, Math.floor(budget / 2), estimator)
  return { text: condense(text, budget - estimator.count(kept ?? ''), estimator), ...(kept !== undefined && { retained: kept }) }
}

interface AttemptInput extends SummarizeInput {
  /** The span as text, one block a message. */
  readonly blocks: readonly string[]
  readonly represented: readonly number[]
  readonly deadline: AbortSignal
  readonly spent: { prompt: Tokens; reply: Tokens }
}

async function attemptSummary(input: AttemptInput, attempt: Attempt, brief: SummaryBrief): Promise<Accepted | SummaryFailure> {
  const { summarizer, estimator, order, blocks, deadline, policy } = input
  const signal = input.signal === undefined ? deadline : AbortSignal.any([deadline, input.signal])
  // A summarizer that ignores its signal must not hold the agent.
  const send = async (wanted: SummaryRequest): Promise<Reply> => {
    // The last door: what was joined of redacted texts, and texts of the caller's own.
    const request = { ...wanted, prompt: input.redact(wanted.prompt) }
    const reply = await orAborted(summarizer.summarize(request, signal), signal)
    const { usage } = reply
    if (summarizer.verbatim === true) return reply
    input.spent.prompt +=
      usage === undefined ? estimator.count(request.prompt) + (request.prefix === undefined ? 0 : (input.prefix?.tokens ?? 0)) : promptTokens(usage)
    input.spent.reply += usage?.output ?? estimator.count(reply.text)
    return reply
  }
  try {
    const reply: StretchedReply | SummaryFailure = attempt.ride
      ? await ridingReply(input, brief, send)
      : await summarizeStretches({ ...input, window: summarizer.window ?? input.window, shrink: attempt.shrink }, brief, send)
    if (typeof reply === 'string') return reply
    const { refused } = reply
    const required = requiredSections(brief.style)
    const retain = policy.summary.retain !== undefined
    const parsed = parseSummary(withoutBinary(reply.text), required, { retain })
    const source = blocks.join('\n')
    const replaces = estimator.count(source) + (input.previous === undefined ? 0 : estimator.count(input.previous.text))
    const rejection = acceptSummary(parsed, reply.finish, { tokens: order.tokens, replaces, source }, estimator)
    const accepted = rejection ?? grounded(input, parsed, required, policy.summary.grounding)
    if (typeof accepted === 'string') return accepted
    return sentTokens(input, toldBy(input, accepted)) > order.room ? 'too-large' : { ...accepted, ...omitUndefined({ refused }) }
  } catch (error) {
    input.signal?.throwIfAborted()
    if (deadline.aborted) return 'timeout'
    return classifyError(error).kind === 'overflow' ? 'overflow' : 'error'
  }
}

/** What a summary says must stand in what it summarizes, or in what was known before. */
function grounded(input: AttemptInput, parsed: ParsedSummary, required: readonly string[], grounding: 'off' | 'mark' | 'reject'): Accepted | SummaryFailure {
  if (grounding === 'off' || input.summarizer.verbatim === true) return { ...parsed, unsupported: [] }
  const { previous, messages, order } = input
  const known = [previous?.text, previous?.record, previous?.retained, order.focus].filter((text) => text !== undefined)
  const all = messages.map((_, index) => index)
  const source = sourceOf(messages, all, known)
  const text = groundSummary(parsed.text, source)
  const retained = groundSummary(parsed.retained ?? '', source)
  const unsupported = [...new Set([...text.unsupported, ...retained.unsupported])]
  if (unsupported.length === 0) return { ...parsed, unsupported }
  if (grounding === 'reject') return 'unsupported'
  return { ...parseSummary(text.marked, required), ...(parsed.retained !== undefined && { retained: retained.marked }), unsupported }
}

/** One request behind the messages as last sent; not where they leave no room for the answer. */
async function ridingReply(input: AttemptInput, brief: SummaryBrief, send: (request: SummaryRequest) => Promise<Reply>): Promise<Reply | SummaryFailure> {
  const { prefix, estimator, window, summarizer } = input
  if (prefix === undefined) return 'overflow'
  const request = buildPrefixRequest(prefix.messages, brief)
  const needed = prefix.tokens + estimator.count(request.prompt) * safety + brief.maxTokens
  return needed > (summarizer.window ?? window) ? 'overflow' : send(request)
}

/** The built-in summarizer: writes every section from facts that stand in the history, word for word. Needs no model and no key. */
export function recordSummarizer(estimator: TokenEstimator): Summarizer {
  return {
    name: 'record',
    verbatim: true,
    window: Number.MAX_SAFE_INTEGER,
    summarize: async (request) => ({ text: writeFromFacts(request, (text) => estimator.count(text)), finish: 'stop' }),
  }
}
