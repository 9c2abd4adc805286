import { perMessage, type TokenEstimator } from '../budget/estimate.ts'
import type { Tokens } from '../history/message.ts'
import { sumOf } from '../history/sum-of.ts'
import { closing, joinedLead, opening, preface, whoSpeaks } from '../history/summary-mark.ts'
import { withoutTags } from '../history/tags.ts'
import type { SummaryPolicy } from '../policy/policy.ts'
import { quotedSummary } from '../record/texts/quote.ts'
import type { Summary, SummaryTexts } from './summary.ts'

/** What an assistant's summary answers: a conversation may not begin with an assistant, and an answer needs its question. */
const question = 'What has happened so far?'

/** What a checkpoint says of the place where its summary stands. */
export interface SummarySurroundings {
  /** Messages that left the context without being summarized, as indices. */
  readonly dropped: readonly number[]
  /** Made without anybody asking for it: the agent may need a word to go on. */
  readonly automatic: boolean
}

/** One message made for a summary. */
export interface SummaryMessage {
  readonly text: string
  readonly role: 'user' | 'assistant' | 'system'
}

/**
 * A summary as the policy sends it.
 *
 * @param asked - Whether a user message follows: where none does the summary is the user's, since a request needs one.
 */
export function showSummary(
  summary: SummaryTexts,
  { role, continuation }: SummaryPolicy,
  { dropped, automatic }: SummarySurroundings,
  asked: boolean,
): readonly SummaryMessage[] {
  // What is asked needs no word to go on in front of it.
  const goOn = (automatic && !asked && continuation) || ''
  const said = (text: string): SummaryMessage => ({ role: 'user', text })
  const rendered = (continuation = ''): string => renderSummary(summary, { dropped: dropped.length, continuation })
  // Around an assistant's own words somebody else has to speak.
  if (role === 'assistant' && (asked || goOn)) return [said(question), { role, text: rendered() }, ...(goOn ? [said(goOn)] : [])]
  return [{ role: asked ? role : 'user', text: rendered(goOn) }]
}

/**
 * Uncalibrated Tokens of all that is sent for a summary, messages around it included.
 *
 * @param asked - Whether a user message follows; absent: not known yet, so the longer of the two ways it may stand there.
 */
export function shownTokens(
  summary: SummaryTexts,
  policy: SummaryPolicy,
  around: SummarySurroundings,
  estimator: TokenEstimator,
  asked: boolean = !around.automatic || policy.continuation === null,
): Tokens {
  const lead = policy.neighbors === 'joined' ? estimator.count(joinedLead) : 0
  return lead + sumOf(showSummary(summary, policy, around, asked), ({ text }) => perMessage + estimator.count(text))
}

export interface RenderOptions {
  readonly continuation?: string | null
  /** Messages that left the context without being summarized. */
  readonly dropped?: number
}

/** The text of the message that carries a summary: a preface, what was kept beside it, the text, the record, between marks by which it is known again. */
export function renderSummary(summary: Summary | SummaryTexts, { continuation, dropped = 0 }: RenderOptions = {}): string {
  const leftOut = dropped > 0 ? [`${dropped} older messages are left out.`] : []
  const behind = continuation ?? ''
  return `${opening(summary.version, behind)}\n${[preface, ...leftOut, ...textsOf(summary)].join('\n\n')}\n${closing}${behind && `\n\n${behind}`}`
}

/** The first message of a new conversation that goes on where another one stopped. Holds no mark: there it is an ordinary message. */
export function renderHandoff(summary: SummaryTexts, focus?: string): string {
  const about = focus ? [`The new conversation is about: ${focus}`] : []
  return [`This goes on from an earlier conversation, which is not available here. ${whoSpeaks} What it came to:`, ...about, ...textsOf(summary)].join('\n\n')
}

function textsOf({ retained = '', text, record }: SummaryTexts): readonly string[] {
  return [quotedSummary(retained), quotedSummary(text), record].filter(Boolean).map((part) => withoutTags(part, 'context-summary'))
}
