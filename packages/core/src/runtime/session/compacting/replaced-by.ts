import type { Message } from '../../../history/message.ts'
import { sumOf } from '../../../history/sum-of.ts'
import type { CompactionPlan } from '../../../plan/compaction-plan.ts'
import type { PlanInput } from '../../../plan/context.ts'
import type { CompactionReport } from '../../../plan/report.ts'
import { measureContext } from '../../../plan/shorten.ts'

/** What a summary stands for now that it is written, in Tokens, the summary before it included; undefined where there is none. */
export function replacedBy({ summary: written, summarize, drop, regions }: CompactionPlan, input: PlanInput): CompactionReport['replaced'] {
  const { messages, tokens, state } = input
  const { summary } = measureContext(input).regions
  const gone = sumOf([...summarize, ...drop], (index) => tokens.of(messages[index] as Message))
  const before = Math.round(gone * state.calibration.factor) + regions.before.summary
  return written === undefined || summary === 0 ? undefined : { before, after: summary, ratio: Math.round((before / summary) * 100) / 100 }
}
