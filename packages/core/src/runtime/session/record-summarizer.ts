import type { TokenEstimator } from '../../budget/estimate.ts'
import { writeFromFacts } from '../../summary/deterministic.ts'
import type { Summarizer } from '../../summary/summarizer.ts'

/** The built-in summarizer: writes every section from facts that stand in the history, word for word. Needs no model and no key. */
export function recordSummarizer(estimator: TokenEstimator): Summarizer {
  return {
    name: 'record',
    verbatim: true,
    window: Number.MAX_SAFE_INTEGER,
    summarize: async (request) => ({ text: writeFromFacts(request, (text) => estimator.count(text)), finish: 'stop' }),
  }
}
