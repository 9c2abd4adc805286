import type { CompactionPolicy } from '../policy.ts'
import { balanced } from './balanced.ts'
import { basedOn } from './based-on.ts'

/**
 * Estimates the whole prompt, corrects the estimate by what providers counted, cuts outputs before they enter, and never waits for a model
 * when it is late. Every number: docs/systems.md, "calibrated".
 */
export const calibrated: CompactionPolicy = /* @__PURE__ */ basedOn(balanced, {
  trigger: {
    hard: { fraction: 0.85 },
    reserve: { fraction: 0.1 },
    emergency: { fraction: 0.95 },
    target: { fraction: 0.4 },
    count: ['input', 'cacheRead'],
    accounting: 'calibrated',
  },
  retain: { turns: 0, messages: 6, toolPairs: 0, firm: true }, // keep_recent: given up by steps where the budget is too small
  prune: { ladder: [], view: { tokens: 4_000, lineLength: 20_000, when: 'arrival' } },
  summary: { style: 'checkpoint', emergencyAuthor: 'notice', role: 'assistant' },
})

/** Profile for long unattended runs: fires earlier, keeps more, cuts outputs harder. */
export const calibratedLongRun: CompactionPolicy = /* @__PURE__ */ basedOn(calibrated, {
  trigger: {
    hard: { fraction: 0.65 },
    reserve: { fraction: 0.12 },
    target: { fraction: 0.35 },
    soft: { fraction: 0.5 },
  },
  retain: { messages: 15 },
  prune: { view: { ...calibrated.prune.view, tokens: 2_000 } },
})

/** Profile for conversations: fires later, keeps less, shows longer outputs, summarizes in prose. */
export const calibratedInteractive: CompactionPolicy = /* @__PURE__ */ basedOn(calibrated, {
  trigger: { hard: { fraction: 0.8 } },
  retain: { messages: 5 },
  prune: { view: { ...calibrated.prune.view, tokens: 8_000 } },
  summary: { style: 'narrative' },
})
