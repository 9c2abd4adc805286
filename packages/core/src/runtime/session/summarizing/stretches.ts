import type { TokenEstimator } from '../../../budget/estimate.ts'
import type { Tokens } from '../../../history/message.ts'
import type { SummaryFailure } from '../../../plan/failure.ts'
import { isRefusal } from '../../../summary/accept.ts'
import { parseSummary } from '../../../summary/parse.ts'
import { buildMergeRequest, buildSummaryRequest, chunkTranscript, type SummaryBrief, type SummaryRequest } from '../../../summary/request.ts'
import { requiredSections } from '../../../summary/style.ts'
import type { Summarizer } from '../../../summary/summarizer.ts'

export type Reply = Awaited<ReturnType<Summarizer['summarize']>>

/** Stretches that a model would not summarize, of how many. */
export interface RefusedStretches {
  readonly count: number
  readonly of: number
}

export interface StretchedReply extends Reply {
  readonly refused?: RefusedStretches
}

interface Span {
  /** The span as text, one block a message. */
  readonly blocks: readonly string[]
  readonly estimator: TokenEstimator
  /** Tokens that the summarizer can read and write. */
  readonly window: Tokens
  /** Share of the window that a request may take, after an overflow. */
  readonly shrink: number
}

/** Share of a window that a request may fill, and the error of estimates it allows for. */
const fill = 0.9
export const safety = 1.2
/** Stretches summarized at a time. */
const parallel = 3

/** The span as text: in one request where it fits, in stretches that are merged where it does not. A stretch that is refused is left out, and said. */
export async function summarizeStretches(
  { blocks, estimator, window, shrink }: Span,
  brief: SummaryBrief,
  send: (request: SummaryRequest) => Promise<Reply>,
): Promise<StretchedReply | SummaryFailure> {
  const scaffold = estimator.count(buildSummaryRequest('', brief).prompt) + 200
  const room = Math.floor(((window - brief.maxTokens - scaffold) * fill * shrink) / safety)
  if (room < 200) {
    const { examples, ...prompt } = brief.prompt ?? {}
    return examples === undefined ? 'overflow' : summarizeStretches({ blocks, estimator, window, shrink }, { ...brief, prompt }, send)
  }
  const chunks = chunkTranscript(blocks, room, estimator)
  if (chunks.length <= 1) return send(buildSummaryRequest(chunks[0] ?? '', brief))
  const { previous, ...rest } = brief
  const partials: string[] = []
  let refused = 0
  for (let at = 0; at < chunks.length; at += parallel) {
    const replies = await Promise.all(chunks.slice(at, at + parallel).map((chunk) => send(buildSummaryRequest(chunk, rest))))
    for (const reply of replies) {
      const partial = partialOf(reply, brief)
      if ('text' in partial) partials.push(partial.text)
      else if (partial.failure === 'refused') refused++
      else return partial.failure
    }
  }
  if (partials.length === 0) return 'refused'
  const merged = await merge(previous === undefined || previous === '' ? partials : [previous, ...partials], rest, room, send, estimator)
  return typeof merged === 'string' || refused === 0 ? merged : { ...merged, refused: { count: refused, of: chunks.length } }
}

/** What one reply adds to the whole; nothing that a model failed to write goes into the next request as if it were a summary. */
function partialOf({ text, finish }: Reply, brief: SummaryBrief): { readonly text: string } | { readonly failure: SummaryFailure } {
  if (finish === 'length') return { failure: 'cut-off' }
  const parsed = parseSummary(text, requiredSections(brief.style), { retain: brief.retain !== undefined })
  if (finish === 'filter' || isRefusal(parsed)) return { failure: 'refused' }
  return parsed.text === '' ? { failure: 'empty' } : { text: [parsed.retained, parsed.text].filter(Boolean).join('\n\n') }
}

/** Merges until one text is left; each request stays within the window. */
async function merge(
  partials: readonly string[],
  brief: SummaryBrief,
  room: Tokens,
  send: (request: SummaryRequest) => Promise<Reply>,
  estimator: TokenEstimator,
): Promise<Reply | SummaryFailure> {
  let texts = partials
  for (;;) {
    const batches = chunkTexts(texts, room, estimator)
    if (batches.length <= 1) return send(buildMergeRequest(batches[0] ?? [], brief))
    const merged: string[] = []
    for (const batch of batches) {
      const partial = batch.length === 1 ? { text: batch[0] as string } : partialOf(await send(buildMergeRequest(batch, brief)), brief)
      if (!('text' in partial)) return partial.failure
      merged.push(partial.text)
    }
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
