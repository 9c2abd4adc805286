import type { CompactionPolicy } from '../policy.ts'
import { balanced } from './balanced.ts'
import { basedOn } from './based-on.ts'

/**
 * One summary takes the place of everything, when the window is really full; between two pivots old tool outputs are hidden.
 * For long single tasks on models that work well up to their limit. Every number: docs/systems.md, "pivot".
 */
export const pivot: CompactionPolicy = /* @__PURE__ */ basedOn(balanced, {
  trigger: {
    soft: { fraction: 0.9 },
    hard: { fraction: 1 }, // §3.1: over means more than usable
    target: { fraction: 0.4 }, // what a pivot and its record may take
    count: ['input', 'cacheRead', 'output'], // §3.1
  },
  retain: { turns: 0, messages: 0, toolPairs: 0, tokens: { tokens: 0 }, userRequests: { fraction: 0.02 } }, // §4.4
  prune: {
    ladder: ['aged'],
    maintain: ['aged'], // §5: ongoing maintenance
    age: { protect: { tokens: 40_000 }, minimum: { tokens: 20_000 }, steps: 0, userTurns: 2 }, // §5.1
    tools: { skill: { keep: 'always' } }, // §5.1
  },
  summary: {
    style: 'narrative', // §6.2: a text to continue from
    role: 'assistant', // §4.2
    continuation: 'If there are steps left to do, go on with them. Otherwise wait for the next request.', // §4.3, our wording
  },
  cost: { warmGain: 0 }, // the document's own minimum holds alone
})
