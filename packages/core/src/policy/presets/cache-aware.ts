import type { CompactionPolicy } from '../policy.ts'
import { balanced } from './balanced.ts'
import { basedOn } from './based-on.ts'

/**
 * Compacts early and while the agent is idle, well before models begin to lose what stands in the middle. Three tiers, each of which
 * ends the ladder when it suffices. Every number: docs/systems.md, "cache-aware".
 */
export const cacheAware: CompactionPolicy = /* @__PURE__ */ basedOn(balanced, {
  trigger: {
    soft: { fraction: 0.5 },
    background: true, // "Background compaction"
    hard: { fraction: 0.55 },
    emergency: { fraction: 0.85 }, // the safety net: an ordinary compaction
    minimumGain: 0.05, // the gap of 0.1 is small on purpose: frequent, invisible compactions
  },
  retain: { turns: 5, messages: 0, tokens: { tokens: 8_000 }, toolPairs: 0, outputTokens: 500 }, // recent window: 5–8K, 3–5 exchanges, outputs of ~500
  prune: {
    ladder: ['superseded', 'view', 'aged'],
    view: { tokens: 1_000, above: 2_000, lineLength: 2_000, when: 'pressure' }, // tier 1: above 2K, head + tail of 500 each
    age: { protect: { tokens: 8_000 }, minimum: { tokens: 0 }, steps: 3, userTurns: 1 }, // tier 2
    staleReads: 'edited', // "Drop entirely: superseded code versions"
    tools: { '*': { shape: 'file-content' } }, // head and tail in equal parts
  },
  summary: { emergencyAuthor: 'model' },
})
