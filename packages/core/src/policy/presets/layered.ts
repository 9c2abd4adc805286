import type { CompactionPolicy } from '../policy.ts'
import { balanced } from './balanced.ts'

/**
 * Recent turns, a rolling summary and pinned messages, with everything on record. For hosts that must be able to say what happened.
 * Every number: docs/systems.md, "layered".
 */
export const layered: CompactionPolicy = {
  ...balanced,
  trigger: {
    ...balanced.trigger,
    soft: { fraction: 0.75 }, // O1, KR1
    hard: { fraction: 0.85 },
    target: { fraction: 0.5 }, // ≥ 40 % freed by a compaction: §16
    buffer: 1_024, // hard_cap_buffer: for the next step, on top of the reply's reserve
  },
  retain: { ...balanced.retain, turns: 6, messages: 0, toolPairs: 4, firm: true }, // §11: reduced only when over budget
  prune: { ...balanced.prune, ladder: [] },
  summary: { ...balanced.summary, style: 'task-state', role: 'assistant' }, // §5 step 6, §11
}
