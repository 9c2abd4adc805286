import { condense } from '../condense.ts'
import { wrapping } from '../context.ts'
import { digest } from '../digest.ts'
import type { TokenEstimator } from '../estimate.ts'
import type { EventDraft } from '../events.ts'
import { extractFacts } from '../facts.ts'
import { type Attempt, planAfterFailure, type SummaryFailure } from '../failure.ts'
import type { Message, Tokens } from '../message.ts'
import { classifyError } from '../overflow.ts'
import type { CompactionPlan, SummaryOrder } from '../plan.ts'
import type { CompactionPolicy } from '../policy.ts'
import type { Summarizer } from '../ports.ts'
import type { Redactor } from '../redact.ts'
import { acceptSummary } from '../summary/accept.ts'
import { writeFromFacts } from '../summary/deterministic.ts'
import { type ParsedSummary, parseSummary, type Summary } from '../summary/parse.ts'
import { buildMergeRequest, buildSummaryRequest, chunkTranscript, type SummaryBrief, type SummaryRequest } from '../summary/request.ts'
import { requiredSections } from '../summary/style.ts'
import { renderTranscript } from '../summary/transcript.ts'

export interface SummariseInput {
  readonly messages: readonly Message[]
  readonly plan: CompactionPlan
  readonly order: SummaryOrder
  readonly previous: Summary | undefined
  readonly policy: CompactionPolicy
  readonly summarizer: Summarizer
  readonly estimator: TokenEstimator
  /** Tokens of the window that the summariser may use when it states none. */
  readonly window: Tokens
  readonly redact: Redactor
  readonly signal: AbortSignal | undefined
}

export interface SummariseResult {
  readonly summary: Summary
  /** Failed attempts, in order; empty when the first one was good. */
  readonly failures: readonly SummaryFailure[]
  readonly events: readonly EventDraft[]
}

/** Share of a window that a request may fill, and the error of estimates it allows for. Source: shipping-agents §5.5. */
const fill = 0.9
const safety = 1.2
/** Fewer Tokens than this hold no summary worth asking for. */
const leastAnswer = 200
/** Stretches summarised at a time. */
const parallel = 3

/**
 * Executes an order: attempts, checks, next rung; the record made by code is added at the end and fills what room is left.
 * Never rejects except when the caller's own signal is aborted.
 */
export async function summarise(input: SummariseInput): Promise<SummariseResult> {
  const { plan, order, messages, estimator, policy } = input
  const represented = [...plan.represented, ...plan.summarise, ...plan.drop].sort((a, b) => a - b)
  const facts = extractFacts(messages, represented)
  const failures: SummaryFailure[] = []
  const events: EventDraft[] = []
  const deadline = AbortSignal.timeout(policy.summary.deadline)
  let attempt: Attempt = { order, shrink: 1 }
  let parsed: ParsedSummary = { text: '', sections: {}, missing: requiredSections(order.style) }
  while (attempt.order.askModel && order.tokens >= leastAnswer) {
    const brief: SummaryBrief = {
      style: attempt.order.style,
      maxTokens: attempt.order.tokens,
      directives: policy.summary.directives,
      facts,
      ...(order.focus !== undefined && { focus: order.focus }),
      ...(input.previous !== undefined && { previous: input.previous.text }),
    }
    const outcome = await attemptSummary(input, attempt, brief, deadline)
    if (typeof outcome !== 'string') {
      parsed = outcome
      break
    }
    failures.push(outcome)
    events.push({
      event: 'compact.summary_rejected',
      severity: 'warning',
      attributes: { reason: outcome, style: attempt.order.style, attempt: failures.length },
    })
    attempt = planAfterFailure(attempt, outcome, policy.summary)
    if (!attempt.order.askModel) events.push({ event: 'compact.fallback', severity: 'warning', attributes: { to: 'record', after: outcome } })
  }
  // When no new text was accepted the previous one still holds for what it covers.
  const text = parsed.text !== '' ? parsed : carriedOver(input, parsed)
  const spent = estimator.count(text.text)
  const record = digest(messages, represented, {
    budget: Math.min(order.digest, order.room - spent - wrapping),
    requests: order.requests,
    estimator,
    already: text.text,
    facts,
  })
  const summary: Summary = {
    version: order.version,
    text: input.redact(text.text),
    digest: input.redact(record.text),
    sections: Object.fromEntries(Object.entries(text.sections).map(([title, body]) => [title, input.redact(body)])),
    missing: text.missing,
  }
  events.push({
    event: 'compact.summary_created',
    severity: 'info',
    attributes: {
      version: order.version,
      style: attempt.order.style,
      by_model: parsed.text !== '',
      summary_tokens: spent,
      record_tokens: estimator.count(record.text),
      missing_sections: summary.missing.length,
    },
  })
  return { summary, failures, events }
}

function carriedOver(input: SummariseInput, none: ParsedSummary): ParsedSummary {
  const { previous, order, estimator } = input
  if (previous === undefined || previous.text === '') return none
  if (estimator.count(previous.text) <= order.tokens) return previous
  return { text: condense(previous.text, order.tokens, estimator), sections: {}, missing: previous.missing }
}

async function attemptSummary(input: SummariseInput, attempt: Attempt, brief: SummaryBrief, deadline: AbortSignal): Promise<ParsedSummary | SummaryFailure> {
  const { summarizer, estimator, messages, plan, order } = input
  const window = summarizer.window ?? input.window
  const blocks = renderTranscript(
    messages,
    [...plan.summarise, ...plan.drop].sort((a, b) => a - b),
  ).map(input.redact)
  const scaffold = estimator.count(buildSummaryRequest('', brief).prompt) + 200
  const room = Math.floor(((window - brief.maxTokens - scaffold) * fill * attempt.shrink) / safety)
  if (room < 200) return 'overflow'
  const chunks = chunkTranscript(blocks, room, estimator)
  const signal = input.signal === undefined ? deadline : AbortSignal.any([deadline, input.signal])
  const send = (request: SummaryRequest): Promise<{ text: string; finish: 'stop' | 'length' | 'filter' | 'other' }> =>
    orAborted(signal, summarizer.summarize(request, signal))
  try {
    let reply: { text: string; finish: 'stop' | 'length' | 'filter' | 'other' }
    if (chunks.length <= 1) {
      reply = await send(buildSummaryRequest(chunks[0] ?? '', brief))
    } else {
      const { previous, ...rest } = brief
      const partials: string[] = previous === undefined || previous === '' ? [] : [previous]
      for (let at = 0; at < chunks.length; at += parallel) {
        const replies = await Promise.all(chunks.slice(at, at + parallel).map((chunk) => send(buildSummaryRequest(chunk, rest))))
        for (const { text, finish } of replies) {
          if (finish === 'length') return 'cut-off'
          const partial = parseSummary(text, brief.style === 'brief' ? [] : requiredSections(brief.style)).text
          if (partial === '') return 'empty'
          partials.push(partial)
        }
      }
      reply = await merge(partials, rest, room, send, estimator)
    }
    const parsed = parseSummary(reply.text, requiredSections(brief.style))
    const replaces = estimator.count(blocks.join('\n')) + (input.previous === undefined ? 0 : estimator.count(input.previous.text))
    const rejection = acceptSummary(parsed, reply.finish, { tokens: order.tokens, replaces, source: blocks.join('\n') }, estimator)
    return rejection ?? parsed
  } catch (error) {
    input.signal?.throwIfAborted()
    if (deadline.aborted) return 'timeout'
    return classifyError(error).kind === 'overflow' ? 'overflow' : 'error'
  }
}

/** Merges until one text is left; each request stays within the window. */
async function merge<Reply extends { readonly text: string }>(
  partials: readonly string[],
  brief: SummaryBrief,
  room: Tokens,
  send: (request: SummaryRequest) => Promise<Reply>,
  estimator: TokenEstimator,
): Promise<Reply> {
  let texts = partials
  for (;;) {
    const batches = chunkTexts(texts, room, estimator)
    if (batches.length <= 1) return send(buildMergeRequest(batches[0] ?? [], brief))
    const merged: string[] = []
    for (const batch of batches) merged.push(batch.length === 1 ? (batch[0] as string) : (await send(buildMergeRequest(batch, brief))).text)
    // Texts too large to be joined in pairs are cut by the caller's next rung, not merged for ever.
    if (merged.length >= texts.length) return send(buildMergeRequest(chunkTranscript(merged, Math.floor(room / 2), estimator).slice(0, 2), brief))
    texts = merged
  }
}

function chunkTexts(texts: readonly string[], room: Tokens, estimator: TokenEstimator): readonly (readonly string[])[] {
  const batches: string[][] = [[]]
  let spent = 0
  for (const text of texts) {
    const tokens = estimator.count(text)
    if (spent + tokens > room && (batches.at(-1)?.length ?? 0) > 0) {
      batches.push([])
      spent = 0
    }
    batches.at(-1)?.push(text)
    spent += tokens
  }
  return batches
}

/** A summariser that ignores its signal must not hold the agent. */
async function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted()
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  work.catch(() => {}) // whoever loses the race may still fail later
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}

/** The built-in summariser: writes every section from facts that stand in the history, word for word. Needs no model and no key. */
export function digestSummarizer(estimator: TokenEstimator): Summarizer {
  return {
    name: 'digest',
    window: Number.MAX_SAFE_INTEGER,
    summarize: async (request) => ({ text: writeFromFacts(request, (text) => estimator.count(text)), finish: 'stop' }),
  }
}
