import type { TokenEstimator } from '../budget/estimate.ts'
import type { Tokens } from '../history/message.ts'
import { type ParsedSummary, wordsOf } from './parse.ts'

/** How a model's reply ended. */
export type FinishReason = 'stop' | 'length' | 'filter' | 'other'

/** Why a summary is not used. The history stays as it was. */
export type SummaryRejection =
  | 'empty'
  | 'cut-off'
  | 'refused'
  | 'missing-sections'
  | 'too-short'
  | 'extra-sections'
  | 'too-large'
  | 'no-gain'
  | 'echo'
  | 'unsupported'

/** What an answer is held against. */
export interface AcceptanceLimits {
  /** Most tokens that the text may take. */
  readonly tokens: Tokens
  /** Tokens of what it replaces. */
  readonly replaces: Tokens
  /** What the model was shown: a long stretch of it repeated is no summary. */
  readonly source: string
  /** No other headings than those that were asked for. */
  readonly closed?: boolean
}

/** Share of the cap by which a good summary may run over before it is refused: models count badly. */
const tolerance = 1.25
const refusal = /^(?:i['’]?m sorry|i am sorry|sorry,|i can(?:no|['’])t|i am unable|i['’]m unable|as an ai)/i

/**
 * Holds a model's summary against what was asked for: how the reply ended, that it says something, the sections, the size (up to 1.25 × `limits.tokens`, and
 * less than `limits.replaces`), and that it does not repeat the transcript.
 *
 * @returns undefined when the summary may replace the history, otherwise the first reason against it.
 */
export function acceptSummary(parsed: ParsedSummary, finish: FinishReason, limits: AcceptanceLimits, estimator: TokenEstimator): SummaryRejection | undefined {
  if (finish === 'length') return 'cut-off'
  if (finish === 'filter' || isRefusal(parsed)) return 'refused'
  if (parsed.text.trim() === '') return 'empty'
  if (parsed.missing.length > 0) return 'missing-sections'
  if (limits.closed && parsed.extra) return 'extra-sections'
  const sections = Object.values(parsed.sections)
  if (sections.length > 0 && sections.every(isBlank)) return 'empty'
  const tokens = estimator.count(parsed.text) + estimator.count(parsed.retained ?? '')
  if (tokens > limits.tokens * tolerance) return 'too-large'
  if (tokens >= limits.replaces) return 'no-gain'
  if (repeats(parsed.text, limits.source)) return 'echo'
  return undefined
}

/** Whether a model said no instead of a summary: it begins like one that declines, and has no section that was asked for. */
export function isRefusal({ text, sections }: Pick<ParsedSummary, 'text' | 'sections'>): boolean {
  return refusal.test(text) && Object.keys(sections).length === 0
}

/** Whether a section says nothing, or only that it has nothing to say. */
export function isBlank(text: string): boolean {
  return /^ ?(?:none|empty|n a)? ?$/.test(wordsOf(text))
}

/** Whether half of the text's longer lines stand, in order, in the rendered transcript, marks of the rendering included. */
function repeats(text: string, source: string): boolean {
  const lines = text.split('\n').filter((line) => /^\[\d+\] (?:user|assistant|tool|system)\b/.test(line))
  return lines.length >= 3 && lines.filter((line) => source.includes(line)).length * 2 >= lines.length
}
