import { classifyError } from '../../../budget/overflow.ts'
import type { ReportedUsage } from '../../../budget/usage.ts'
import { withoutBinary } from '../../../history/binary.ts'
import type { Tokens } from '../../../history/message.ts'
import { omitUndefined } from '../../../history/omit-undefined.ts'
import { mapInPieces } from '../../../history/pieces.ts'
import type { Attempt, SummaryFailure } from '../../../plan/failure.ts'
import type { Spent } from '../../../plan/report.ts'
import { redactInPieces } from '../../../privacy/redact-in-pieces.ts'
import { nameWorth, scanTerms } from '../../../record/names/names.ts'
import { acceptSummary } from '../../../summary/accept.ts'
import { groundSummary, leastWorth, sourceOf } from '../../../summary/ground.ts'
import { type ParsedSummary, parseSummary } from '../../../summary/parse.ts'
import { buildPrefixRequest, type SummaryBrief, type SummaryRequest } from '../../../summary/request.ts'
import { requiredSections, styleOf } from '../../../summary/style.ts'
import { orAborted } from '../../platform/abort.ts'
import { inSlices } from '../../platform/slices.ts'
import { type Accepted, sentTokens, toldBy } from './assemble-summary.ts'
import { type Reply, type StretchedReply, safety, summarizeStretches } from './stretches.ts'
import type { SummarizeInput } from './summarize-input.ts'

interface AttemptInput extends SummarizeInput {
  /** The span as text, one block a message. */
  readonly blocks: readonly string[]
  readonly represented: readonly number[]
  readonly deadline: AbortSignal
  readonly spent: { -readonly [F in keyof Spent]: number }
}

/** Writers that gave no heading when they were asked again: what they write is read as prose from then on, and not paid for twice. */
const proseWriters = new WeakSet<object>()
/** Tokens of prose that may be an account; less is chatter, unless it names so many things that it is of. */
const leastProse = 40
const leastNames = 2

/** A count of a summarizer that may be of anybody's making; undefined where it is none. */
const stated = (count: Tokens | undefined): Tokens | undefined => (Number.isFinite(count) && Number(count) >= 0 ? count : undefined)

/** One request for a summary, and the checks of its answer. @returns what was accepted, or why not. */
export async function attemptSummary(input: AttemptInput, attempt: Attempt, brief: SummaryBrief): Promise<Accepted | SummaryFailure> {
  const { summarizer, estimator, order, blocks, deadline, policy } = input
  const signal = input.signal === undefined ? deadline : AbortSignal.any([deadline, input.signal])
  // A summarizer that ignores its signal must not hold the agent.
  const send = async (wanted: SummaryRequest): Promise<Reply> => {
    // The last door: what was joined of redacted texts, and texts of the caller's own.
    const request = { ...wanted, prompt: await inSlices(redactInPieces(wanted.prompt, input.redactPrompt), signal) }
    const reply = await orAborted(summarizer.summarize(request, signal), signal)
    const { input: uncached, cacheRead, cacheWrite, output }: ReportedUsage = reply.usage ?? {}
    const prompt = stated(uncached)
    input.spent.prompt +=
      prompt === undefined
        ? estimator.count(request.prompt) + (request.prefix === undefined ? 0 : (input.prefix?.tokens ?? 0))
        : prompt + (stated(cacheRead) ?? 0) + (stated(cacheWrite) ?? 0)
    input.spent.calls++
    input.spent.reply += stated(output) ?? estimator.count(reply.text)
    return reply
  }
  try {
    const reply: StretchedReply | SummaryFailure = attempt.ride
      ? await ridingReply(input, brief, send)
      : await summarizeStretches({ ...input, blocks, window: summarizer.window ?? input.window, shrink: attempt.shrink }, brief, send)
    if (typeof reply === 'string') return reply
    const { refused } = reply
    const required = requiredSections(brief.style)
    const retain = policy.summary.retain !== undefined
    const parsed = parseSummary(withoutBinary(reply.text), required, { retain })
    const source = blocks.join('\n')
    const counts = await inSlices(
      mapInPieces(blocks, (block) => estimator.count(block)),
      signal,
    )
    const replaces = counts.reduce((sum, count) => sum + count, 0) + (input.previous === undefined ? 0 : estimator.count(input.previous.text))
    if (Object.keys(parsed.sections).length > 0) proseWriters.delete(summarizer)
    else if (brief.style === policy.summary.fallbackStyle) proseWriters.add(summarizer)
    const writesProse = proseWriters.has(summarizer)
    const isLong = estimator.count(parsed.text) >= leastProse || namesOf(parsed.text).filter((name) => source.includes(name)).length >= leastNames
    const rejection = acceptSummary(
      writesProse && isLong ? { ...parsed, missing: [] } : parsed,
      reply.finish,
      { tokens: order.tokens, replaces, source, closed: styleOf(brief.style).closed === true },
      estimator,
    )
    // Asked again in another style, it would write the same.
    if (rejection === 'missing-sections' && writesProse && brief.style !== policy.summary.fallbackStyle) return 'too-short'
    const accepted = rejection ?? grounded(input, parsed, required, policy.summary.grounding)
    if (typeof accepted === 'string') return accepted
    return sentTokens(input, toldBy(input, accepted)) > order.room ? 'too-large' : { ...accepted, ...omitUndefined({ refused }) }
  } catch (error) {
    input.signal?.throwIfAborted()
    if (deadline.aborted) return 'timeout'
    return classifyError(error).kind === 'overflow' ? 'overflow' : 'error'
  }
}

/** Paths and identifiers. */
function namesOf(text: string): readonly string[] {
  const names = new Set<string>()
  scanTerms(text, (name) => {
    if (nameWorth(name) >= leastWorth) names.add(name)
  })
  return [...names]
}

/** What a summary says must stand in what it summarizes, or in what was known before. */
function grounded(input: AttemptInput, parsed: ParsedSummary, required: readonly string[], grounding: 'off' | 'mark' | 'reject'): Accepted | SummaryFailure {
  if (grounding === 'off') return { ...parsed, unsupported: [] }
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
