import { defaultMediaCost } from '../../budget/attachment-cost.ts'
import type { CompactionPolicy } from '../policy.ts'

/**
 * Our own best choice. Compacts rarely and deeply (each compaction breaks the provider's prompt cache once),
 * keeps the newest work verbatim, and fills what is left of the target with a record of the rest.
 */
export const balanced: CompactionPolicy = {
  trigger: {
    auto: true,
    unknownLimits: 'no-trigger', // a library may not stop an agent for want of a number
    soft: { fraction: 0.7 }, // a tenth below hard: room for one large tool output while a host prepares
    background: false, // costs a call that may be thrown away: a host turns it on
    hard: { fraction: 0.8 }, // source: docs/evidence.md, replay
    // No emergency level: requests for a summary are bounded by construction, so a model can be asked at any size.
    target: { fraction: 0.45 }, // replay at 32k: 0.3 costs 0.35 and recalls 93.7, 0.4 0.38 and 97.0, 0.45 0.40 and 98.0, 0.5 0.42 and 98.4 (npm run evals -- replay)
    count: ['input', 'cacheRead', 'cacheWrite'], // all that was sent
    accounting: 'measured',
    outputCap: 32_000, // the most that OpenCode asks for, too
    buffer: 0, // what a step adds is what the distance from `hard` to the window is for
    reserve: { tokens: 0 }, // none is needed, for the same reason
    media: defaultMediaCost,
    minimumGain: 0.1, // as in OpenHands
  },
  retain: {
    turns: 20, // as many as the tokens below hold
    messages: 200, // likewise: an agent works for hundreds of messages in one turn
    tokens: { fraction: 0.18 }, // two fifths of the target, word for word, less what a whole exchange leaves free; 0.1 to 0.2 replay alike
    toolPairs: 2,
    userRequests: { fraction: 0.15 }, // what people say is little beside what tools return, and is asked for most: 0.05 and 0.1 lose what they said (npm run bench:said)
    roles: ['system', 'developer'],
  },
  prune: {
    ladder: ['superseded', 'view'], // the rest is better off in the record: docs/evidence.md
    maintain: [], // every rewrite costs the prompt cache: docs/evidence.md, replay
    view: { tokens: 4_000, lineLength: 2_000, when: 'pressure' }, // docs/systems.md, "calibrated" 7 and "output-cache" 2
    staleReads: 'rewritten', // after an edit, what was read is still most of what is there
    age: { protect: { fraction: 0.2 }, minimum: { fraction: 0.1 }, steps: 2, userTurns: 1 }, // docs/systems.md, "pivot" 8, scaled to 200,000
    outputBudget: { fraction: 0.25, least: 20_000, most: 60_000 }, // docs/systems.md, "output-cache" 3
    arguments: { tokens: 400, steps: 4 }, // a written file: its path and its first lines
    errors: { steps: 4 }, // as in OpenCode’s dynamic context pruning
    media: { keep: 4 },
    condense: { tokens: 500, steps: 4 }, // docs/systems.md, "cache-aware" 6
    tools: {},
  },
  summary: {
    author: 'model',
    emergencyAuthor: 'record',
    style: 'structured',
    fallbackStyle: 'brief',
    role: 'user',
    request: 'serialized',
    tokens: { fraction: 0.06 },
    record: { fraction: 0.4 }, // bounded by the target: fills whatever the tail leaves
    directives: [],
    protectedFields: [],
    weights: { user: 1, assistant: 1, tool: 1 },
    grounding: 'mark',
    neighbors: 'separate',
    continuation: null,
    deadline: 120_000, // two minutes
  },
  cost: {
    cacheTtl: 300_000, // five minutes: the shortest that providers promise
    warmGain: 0.1, // as minimumGain: what is written anew is the whole rest of the prompt
  },
}
