import type { TokenEstimator } from '../../budget/estimate.ts'
import type { Summarizer } from '../../summary/summarizer.ts'

/** The built-in summarizer: writes every section from facts that stand in the history, word for word. Needs no model and no key. */
export function recordSummarizer(estimator: TokenEstimator): Summarizer {
  return {
    name: 'record',
    verbatim: true,
    window: Number.MAX_SAFE_INTEGER,
    async summarize(request) {
      const { writeFromFacts } = await import('../../summary/deterministic.ts')
      return { text: writeFromFacts(request, (text) => estimator.count(text)), finish: 'stop' }
    },
  }
}
