import type { CompactionPolicy } from '../policy.ts'
import { balanced } from './balanced.ts'
import { basedOn } from './based-on.ts'

/**
 * Recent turns, a rolling summary and pinned messages, with everything on record. For hosts that must be able to say what happened.
 * Every number: docs/systems.md, "layered".
 */
export const layered: CompactionPolicy = /* @__PURE__ */ basedOn(balanced, {
  trigger: {
    soft: { fraction: 0.75 }, // O1, KR1
    hard: { fraction: 0.85 },
    target: { fraction: 0.5 }, // ≥ 40 % freed by a compaction: §16
    buffer: 1_024, // hard_cap_buffer: for the next step, on top of the reply's reserve
  },
  retain: { turns: 6, messages: 0, toolPairs: 4, firm: true }, // §11: reduced only when over budget
  prune: { ladder: [] },
  summary: { style: 'task-state', role: 'assistant' }, // §5 step 6, §11
})
