import { readableMessage } from '../../../history/binary.ts'
import { memoized } from '../../../history/memoize.ts'
import { type Message, textLength } from '../../../history/message.ts'
import { omitUndefined } from '../../../history/omit-undefined.ts'
import { mapInPieces } from '../../../history/pieces.ts'
import { type Attempt, planAfterFailure, type SummaryFailure } from '../../../plan/failure.ts'
import { nothingSpent, type Spent } from '../../../plan/report.ts'
import type { SummaryAuthor } from '../../../policy/policy.ts'
import { factsInPieces, type RecordEntry } from '../../../record/facts/facts.ts'
import type { SummaryBrief } from '../../../summary/request.ts'
import { noSummarizer } from '../../../summary/summarizer.ts'
import type { Summary } from '../../../summary/summary.ts'
import { transcriptInPieces } from '../../../summary/transcript.ts'
import { deadlineSignal } from '../../platform/deadline-signal.ts'
import { inSlices } from '../../platform/slices.ts'
import type { EventDraft } from '../../telemetry/events.ts'
import { type Accepted, assemble } from './assemble-summary.ts'
import { attemptSummary } from './attempt-summary.ts'
import { besideGone } from './beside-gone.ts'
import type { SummarizeInput } from './summarize-input.ts'

export interface SummarizeResult {
  readonly summary: Summary
  /** Failed attempts, in order; empty when the first one was good. */
  readonly failures: readonly SummaryFailure[]
  /** What the summary that stands there now lacks. */
  readonly warnings: readonly string[]
  /** Who wrote what stands there now. */
  readonly author: SummaryAuthor
  /** What it cost; by estimate where models do not say. */
  readonly spent: Spent
  readonly events: readonly EventDraft[]
}

/** Fewer Tokens than this hold no summary worth asking for. */
const leastAnswer = 200

/**
 * Executes an order: attempts, checks, next rung; the record made by code is added at the end and fills what room is left.
 * Never rejects except when the caller's own signal is aborted.
 */
export async function summarize(given: SummarizeInput): Promise<SummarizeResult> {
  const { signal } = given
  const input = besideGone({ ...given, messages: await inSlices(mapInPieces(given.messages, readable), signal) })
  const { plan, order, messages, estimator, policy } = input
  const represented = [...plan.represented, ...plan.summarize, ...plan.drop].sort((a, b) => a - b)
  const facts = await inSlices(factsInPieces(messages, represented, policy.summary), signal)
  const failures: SummaryFailure[] = []
  const events: EventDraft[] = []
  const spent = { ...nothingSpent }
  const deadline = deadlineSignal(given.most)
  const leaving = [...plan.summarize, ...plan.drop].toSorted((a, b) => a - b)
  const blocks = order.author === 'model' ? await inSlices(transcriptInPieces(messages, leaving, policy.summary.weights), signal) : []
  const ride = policy.summary.request === 'prefix' && input.prefix !== undefined && input.summarizer.ridesPrefix === true
  let attempt: Attempt = { order, shrink: 1, ride }
  let accepted: Accepted | undefined
  // A span in which nothing was said leaves the summary so far as it is.
  const isAsked = input.summarizer !== noSummarizer && order.author === 'model' && order.tokens >= leastAnswer && blocks.some((block) => block !== '')
  if (isAsked && given.most === 0) failures.push('timeout')
  while (isAsked && given.most > 0 && attempt.order.author === 'model') {
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
  const summary = await inSlices(assemble(input, accepted, author, represented, facts), signal)
  const [summaryTokens = 0, recordTokens = 0] = await inSlices(
    mapInPieces([summary.text, summary.record], (text) => estimator.count(text)),
    signal,
  )
  events.push({
    event: 'compact.summary_created',
    severity: 'info',
    attributes: {
      version: order.version,
      style: attempt.order.style,
      author,
      by_model: accepted !== undefined,
      summary_tokens: summaryTokens,
      record_tokens: recordTokens,
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

/** Characters of a message from which on it is looked through once. */
const longText = 2_000
const looked = new WeakMap<Message, Message>()

/** Short ones are looked through faster than they are remembered. */
function readable(message: Message): Message {
  return textLength(message) < longText ? readableMessage(message) : memoized(looked, message, () => readableMessage(message))
}

function briefOf(input: SummarizeInput, attempt: Attempt, facts: readonly RecordEntry[]): SummaryBrief {
  const { order, previous, policy } = input
  return {
    style: attempt.order.style,
    maxTokens: attempt.order.tokens,
    directives: [...policy.summary.directives, ...(input.directives ?? [])],
    protectedFields: policy.summary.protectedFields,
    facts,
    ...omitUndefined({ retain: policy.summary.retain, prompt: policy.summary.prompt, focus: order.focus }),
    ...(previous !== undefined && { previous: [previous.retained, previous.text].filter(Boolean).join('\n\n') }),
  }
}
