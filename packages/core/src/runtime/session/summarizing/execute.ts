import type { TokenEstimator } from '../../../budget/estimate.ts'
import { fingerprint } from '../../../history/fingerprint.ts'
import type { Message, Tokens } from '../../../history/message.ts'
import { omitUndefined } from '../../../history/omit-undefined.ts'
import type { Pieces } from '../../../history/pieces.ts'
import type { CompactionPlan } from '../../../plan/compaction-plan.ts'
import type { PlanInput } from '../../../plan/context.ts'
import { type CompactionReport, nothingSpent, type Spent } from '../../../plan/report.ts'
import { readShownInPieces } from '../../../plan/shorten.ts'
import { redactedInPieces } from '../../../privacy/redact-message.ts'
import type { Redactor } from '../../../privacy/redactor.ts'
import { condenseInPieces } from '../../../record/excerpts/condense.ts'
import { clip } from '../../../record/texts/truncate.ts'
import { beginningOf } from '../../../state/begun-otherwise.ts'
import type { Checkpoint, Edit } from '../../../state/checkpoint.ts'
import { marksOfEnds } from '../../../state/cut-off.ts'
import { unsaidBefore } from '../../../state/placed.ts'
import { isAutomatic } from '../../../state/reason.ts'
import type { Summarizer } from '../../../summary/summarizer.ts'
import { longWait } from '../../breaker.ts'
import { inSlices } from '../../platform/slices.ts'
import { withheld } from '../../telemetry/emitter.ts'
import type { EventDraft } from '../../telemetry/events.ts'
import { hostLines } from '../host/host-lines.ts'
import type { CompactorParts } from '../host/parts.ts'
import { isPersonal } from './asked-by.ts'

export { ridden } from './ridden.ts'

/** What came of a plan: a checkpoint that nobody has adopted yet. */
export interface Step {
  readonly checkpoint: Checkpoint
  /** Whether the model failed; undefined when none was asked. */
  readonly failed: boolean | undefined
  /** It failed for the little time that this call had, which says nothing of the model. */
  readonly hurried?: boolean
  readonly outcome: CompactionReport['outcome']
  readonly warnings: readonly string[]
  /** Messages that the summary speaks for, and those that left without one. */
  readonly left: { readonly summarized: number; readonly dropped: number }
  readonly spent: Spent
  readonly events: readonly EventDraft[]
}

/** Milliseconds of a call in which no model writes a summary. */
const leastTime = 250

export interface Work {
  readonly session: string
  readonly signal: AbortSignal | undefined
  /** Milliseconds that the call has left. */
  readonly deadline: number | undefined
  readonly summarizer: Summarizer
  /** Tokens of the window that the summarizer may use when it states none. */
  readonly window: Tokens
  /** The context as it would be sent now, up to the last message that is summarized: what a request may ride on. */
  readonly prefix?: { readonly messages: readonly unknown[]; readonly tokens: Tokens }
}

/** Turns a plan into a checkpoint: asks for the summary where there is one to write. Changes nothing; rejects only when aborted. */
export async function executePlan<M>(plan: CompactionPlan, input: PlanInput, parts: CompactorParts<M>, work: Work): Promise<Step> {
  const previous = input.checkpoint?.summary
  const order = plan.summary
  if (order === undefined) {
    const summary = plan.regions.after.summary > 0 ? previous : undefined
    return {
      checkpoint: await inSlices(checkpointOf(plan, input, parts, { summary, dropped: plan.drop }), work.signal),
      failed: undefined,
      outcome: plan.drop.length > 0 ? 'emergency' : 'pruned',
      warnings: [],
      left: { summarized: plan.summarize.length, dropped: plan.drop.length },
      spent: nothingSpent,
      events: [],
    }
  }
  const { summarize } = await import('./summarize.ts')
  const usual = parts.policy.summary.deadline
  // The other half is the provider's.
  const half = (work.deadline ?? Infinity) / 2
  const most = half < leastTime ? 0 : Math.min(usual, half)
  const result = await summarize({
    messages: await inSlices(redactedInPieces(input.messages, parts.redaction.redacted()), work.signal),
    plan,
    order,
    previous,
    ...omitUndefined({ gone: input.checkpoint?.gone }),
    dropped: input.checkpoint?.dropped ?? [],
    policy: parts.policy,
    estimator: parts.estimator,
    redact: parts.redaction.withhold,
    redactPrompt: parts.redaction.redact,
    directives: order.author === 'model' ? await hostLines(parts, work.session, order.focus, work.signal) : [],
    ...work,
    most,
  })
  const { summary, failures, author } = result
  const late = failures.includes('timeout')
    ? ` (${most < usual ? "half of the call's deadline" : 'summary.deadline'}: ${Math.round(Math.min(usual, half))} ms)`
    : ''
  const failed = order.author === 'model' ? failures.length > 0 && (summary.text === '' || summary.text === previous?.text) : undefined
  const hurried = failed === true && most < Math.min(usual, longWait) && failures.every((one) => one === 'timeout')
  // With a notice in place of a summary, what was to be summarized is gone from the context like the rest.
  const dropped = author === 'notice' ? [...plan.drop, ...plan.summarize].sort((a, b) => a - b) : plan.drop
  const emergency = dropped.length > 0 || (plan.decision.action === 'emergency' && order.author !== 'model')
  return {
    checkpoint: await inSlices(checkpointOf(plan, input, parts, { summary, dropped, failed }), work.signal),
    failed,
    hurried,
    outcome: emergency ? 'emergency' : failed === true ? 'degraded' : 'summarized',
    warnings: failures.length > 0 ? [`summary attempts failed: ${failures.join(', ')}${late}`, ...result.warnings] : result.warnings,
    left: { summarized: plan.summarize.length + plan.drop.length - dropped.length, dropped: dropped.length },
    spent: result.spent,
    events: result.events,
  }
}

function* checkpointOf<M>(
  plan: CompactionPlan,
  input: PlanInput,
  { clock, redaction, estimator }: CompactorParts<M>,
  made: { readonly summary: Checkpoint['summary']; readonly dropped: readonly number[]; readonly failed?: boolean | undefined },
): Pieces<Checkpoint> {
  const { checkpoint: parent, messages } = input
  const edits = plan.edits.filter((edit) => edit.arrival !== true)
  const covered = [...plan.summarize, ...plan.drop, ...edits.map((edit) => edit.index)].reduce((most, index) => Math.max(most, index + 1), parent?.covered ?? 0)
  const { reason, usable } = plan.decision
  const shown: Edit[] = []
  for (const edit of edits) shown.push(yield* redacted({ ...edit, ...placeIn(messages[edit.index] as Message, edit.callId) }, redaction.withhold, estimator))
  yield
  const unsaid = unsaidBefore(messages, covered)
  const kept = plan.keep.filter((index) => index < covered)
  const draft: Checkpoint = {
    id: clock.id(),
    version: plan.summary?.version ?? parent?.version ?? 0,
    covered,
    length: messages.length,
    fingerprint: fingerprint(messages, covered),
    ...omitUndefined({ began: beginningOf(messages, covered, kept, redaction.withhold), ends: marksOfEnds(messages, covered), gone: parent?.gone }),
    ...(unsaid.length > 0 && { unsaid }),
    kept,
    dropped: [...(parent?.dropped ?? []), ...made.dropped],
    edits: shown,
    ...omitUndefined({ summary: made.summary }),
    reason,
    ...omitUndefined({ note: input.note }),
    automatic: made.failed !== true && !isPersonal(input, reason),
    tokens: { before: plan.tokens.before, after: plan.tokens.after },
    // What somebody asked for, or a refusal, says nothing of a window.
    ...(usable !== null && isAutomatic(reason) && reason !== 'overflow' && { usable }),
    ...(parent !== undefined && { parent: parent.id }),
  }
  yield
  return { ...draft, tokens: { before: plan.tokens.before, after: (yield* readShownInPieces({ ...input, checkpoint: draft })).total } }
}

/** Ids of calls are renewed by some hosts: where there are several, a text also knows its place. */
function placeIn({ parts }: Message, callId: string): Pick<Edit, 'part'> {
  const part = parts.filter((one) => one.type === 'tool-call' || one.type === 'tool-result').findIndex((one) => one.callId === callId)
  return part > 0 ? { part } : {}
}

/** A redacted text is cut to what was counted, a short note to its beginning; arguments stay what they are, as half of them would be none. */
function* redacted(edit: Edit, redact: Redactor, estimator: TokenEstimator): Pieces<Edit> {
  yield
  const counted = estimator.count(edit.text)
  const named = redact(edit.text)
  const text =
    edit.kind === 'arguments' ? (named === withheld ? '{}' : named) : (yield* condenseInPieces(named, counted, estimator)) || clip(named, edit.text.length)
  return { ...edit, text, freed: edit.freed + counted - estimator.count(text) }
}
