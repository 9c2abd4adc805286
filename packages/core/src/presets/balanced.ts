import { defaultMediaCost } from '../estimate.ts'
import type { CompactionPolicy } from '../policy.ts'

/**
 * Our own best choice. Compacts rarely and deeply (each compaction breaks the provider's prompt cache once),
 * keeps the newest work verbatim, and fills what is left of the target with a record of the rest.
 */
export const balanced: CompactionPolicy = {
  trigger: {
    auto: true,
    soft: { fraction: 0.7 }, // a tenth below hard: room for one large tool output while a host prepares
    hard: { fraction: 0.8 }, // source: docs/evidence.md, replay
    // No emergency level: requests for a summary are bounded by construction, so a model can be asked at any size.
    target: { fraction: 0.4 }, // half of hard: cost falls with depth, recall with it only slowly (docs/evidence.md)
    count: 'prompt',
    outputCap: 32_000, // source: shipping-agents §5.1 (the largest reply agents ask for)
    reserve: { tokens: 0 }, // none is needed, for the same reason
    media: defaultMediaCost,
    minimumGain: 0.1, // source: shipping-agents §5.2 (OpenHands)
  },
  retain: {
    turns: 3, // source: sources "cache-aware", row 1
    messages: 8, // a few tool steps of an agent that works in one long turn
    tokens: { fraction: 0.14 }, // about a third of the target, verbatim
    toolPairs: 2,
    userRequests: { fraction: 0.05 }, // source: shipping-agents §5.3, scaled (20,000 of 400,000)
    roles: ['system', 'developer'],
  },
  prune: {
    view: { tokens: 4_000, lineLength: 2_000 }, // sources "calibrated" row 7, "output-cache" row 2
    supersede: true,
    tools: {},
  },
  summary: {
    style: 'structured',
    fallbackStyle: 'brief',
    role: 'user',
    tokens: { fraction: 0.06 },
    digest: { fraction: 0.4 }, // bounded by the target: fills whatever the tail leaves
    directives: [],
    continuation: null,
    deadline: 120_000, // source: shipping-agents §5.5
  },
}
