import type { TokenEstimator } from '../../../budget/estimate.ts'
import { memoized } from '../../../history/memoize.ts'
import { type Message, partText, type Tokens, textOf } from '../../../history/message.ts'
import { mapInPieces, type Pieces } from '../../../history/pieces.ts'
import type { CompactionPlan } from '../../../plan/compaction-plan.ts'
import { editKey } from '../../../plan/context.ts'
import type { SummaryAuthor } from '../../../policy/policy.ts'
import { redactInPieces } from '../../../privacy/redact-in-pieces.ts'
import { saidSince, unseenSince } from '../../../recall/said-since.ts'
import { condenseInPieces } from '../../../record/excerpts/condense.ts'
import type { RecordEntry } from '../../../record/facts/facts.ts'
import { type HistoryRecord, recordInPieces } from '../../../record/record.ts'
import { isBlank } from '../../../summary/accept.ts'
import type { ParsedSummary } from '../../../summary/parse.ts'
import { shownTokens } from '../../../summary/render.ts'
import { requiredSections } from '../../../summary/style.ts'
import type { Summary, SummaryTexts } from '../../../summary/summary.ts'
import type { RefusedStretches } from './stretches.ts'
import type { SummarizeInput } from './summarize-input.ts'

/** A model's text that passed every check. */
export interface Accepted extends ParsedSummary {
  readonly unsupported: readonly string[]
  readonly refused?: RefusedStretches
}

/** The model's text, or the one so far where there is no new one, and the record that fills what room is left. */
export function* assemble(
  input: SummarizeInput,
  accepted: Accepted | undefined,
  author: SummaryAuthor,
  represented: readonly number[],
  facts: readonly RecordEntry[],
): Pieces<Summary> {
  const { order, redact, estimator } = input
  // When no new text was accepted the previous one still holds for what it covers.
  const none: ParsedSummary = { text: '', sections: {}, missing: order.author === 'model' ? requiredSections(order.style) : [] }
  const text = accepted ?? (yield* carriedOver(input, none))
  yield
  let told = toldBy(input, text)
  yield
  // A model's text was weighed when it came; what is carried over is weighed here.
  for (let room = order.room; sentTokens(input, told) > order.room && room > 0; room = Math.floor(room * 0.8)) {
    told = { ...told, ...(yield* halved(told, room, estimator)) }
  }
  const record = author === 'notice' ? { text: '', entries: [] } : yield* fittingRecord(input, told, text.text, represented, facts)
  const failed = facts.filter((fact) => fact.kind === 'failed-attempt')
  const inRecord = new Set(record.entries.map((entry) => entry.text))
  return {
    ...told,
    record: record.text,
    sections: Object.fromEntries(yield* mapInPieces(Object.entries(text.sections), ([title, body]) => [title, redact(body)])),
    missing: text.missing,
    quality: {
      empty: Object.entries(text.sections).flatMap(([title, body]) => (isBlank(body) ? [title] : [])),
      unsupported: (accepted?.unsupported ?? []).map(redact),
      failedAttempts: { known: failed.length, kept: failed.filter((fact) => inRecord.has(fact.text) || text.text.includes(fact.text)).length },
    },
  }
}

/** A text as the summary that is sent, without a record. */
export function toldBy({ order, redact }: SummarizeInput, { text, retained }: ParsedSummary): SummaryTexts {
  return { version: order.version, text: redact(text), record: '', ...(retained !== undefined && { retained: redact(retained) }) }
}

/** Tokens of all that is sent for a summary. Whether a word to go on will follow is known later: room is kept for it. */
export function sentTokens({ dropped = [], plan, policy, estimator }: SummarizeInput, told: SummaryTexts): Tokens {
  return shownTokens(told, policy.summary, { dropped: [...dropped, ...plan.drop], automatic: true }, estimator)
}

/** The redacted record that fills what room the text and all around it leave. */
function* fittingRecord(
  input: SummarizeInput,
  told: SummaryTexts,
  already: string,
  represented: readonly number[],
  facts: readonly RecordEntry[],
): Pieces<HistoryRecord> {
  const { messages, plan, order, policy, estimator, redact } = input
  const sent = (record: string): Tokens => sentTokens(input, { ...told, record })
  const since = yield* saidSince(messages)
  const beside = textsBeside(messages, plan)
  const known = new Map<string, boolean>()
  const kept = plan.keep.flatMap((index) => (messages[index]?.role === 'user' ? textOf(messages[index]) : []))
  const isBeside = (one: string): boolean => memoized(known, one, () => [already, ...kept].some((text) => text.includes(one)))
  for (let budget = Math.min(order.record, order.room - sent('-')); ; ) {
    const { text, entries } = yield* recordInPieces(messages, represented, {
      budget,
      requests: order.requests,
      estimator,
      already,
      beside,
      facts,
      weights: policy.summary.weights,
      saidSince: (words, quoted) => {
        const shown = new Map<string, boolean>()
        return unseenSince(since, [...plan.keep, ...quoted], (one) => memoized(shown, one, () => words.includes(one) || isBeside(one)))
      },
    })
    yield
    const record = { text: yield* redactInPieces(text, redact), entries }
    // A text is not always as long as its parts, least of all where secrets in it were named.
    const over = sent(record.text) - order.room
    yield
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

function* carriedOver(input: SummarizeInput, none: ParsedSummary): Pieces<ParsedSummary> {
  const { previous, order, estimator } = input
  if (previous === undefined || previous.text === '') return none
  if (estimator.count(previous.text) + estimator.count(previous.retained ?? '') <= order.tokens) return previous
  return { ...(yield* halved(previous, order.tokens, estimator)), sections: {}, missing: previous.missing }
}

/** Text and what was kept beside it, within a budget: the latter in at most half of it. */
function* halved(
  { text, retained }: Pick<Summary, 'text' | 'retained'>,
  budget: Tokens,
  estimator: TokenEstimator,
): Pieces<Pick<Summary, 'text' | 'retained'>> {
  const kept = retained === undefined ? undefined : yield* condenseInPieces(retained, Math.floor(budget / 2), estimator)
  return { text: yield* condenseInPieces(text, budget - estimator.count(kept ?? ''), estimator), ...(kept !== undefined && { retained: kept }) }
}
