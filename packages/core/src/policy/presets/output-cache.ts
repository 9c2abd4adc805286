import type { CompactionPolicy } from '../policy.ts'
import { balanced } from './balanced.ts'
import { basedOn } from './based-on.ts'

/**
 * Tool outputs live in a store, the context shows views of them, and a model that needs more asks for it. Together with `createToolOutputStore`.
 * Every number: docs/systems.md, "output-cache".
 */
export const outputCache: CompactionPolicy = /* @__PURE__ */ basedOn(balanced, {
  trigger: {
    unknownLimits: 'error', // §2.4
    of: 'window', // §2.4
    count: ['input', 'cacheWrite', 'cacheRead', 'output'], // §2.3
  },
  retain: { turns: 1, messages: 0, toolPairs: 0, tokens: { fraction: 0.3 } }, // §2.2
  prune: {
    store: 'all', // §1.5
    ladder: ['output-budget'],
    maintain: ['output-budget'], // §1.7
    view: { tokens: 50 * 1024, lineLength: 2_000, bytes: 50 * 1024, when: 'arrival' }, // §1.3: the bytes decide
  },
  summary: {
    style: 'narrative',
    retain: { prompt: 'List what must be kept word for word: references of stored tool outputs, and important decisions.', directives: [] }, // §2.6.4
  },
  cost: { warmGain: 0 }, // the document's own minimum holds alone
})
