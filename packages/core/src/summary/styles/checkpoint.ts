import type { StyleDefinition } from './definition.ts'

/** Six sections that a program can read back turn after turn. See docs/systems.md, "calibrated" 6. */
export const checkpoint: StyleDefinition = {
  sections: [
    { title: 'Active Task', ask: 'what is being done right now, and its state' },
    { title: 'Key Decisions & Rationale', ask: 'each choice with its reason' },
    { title: 'Files & Artifacts', ask: 'paths, what was done to them, names of functions, tests, branches' },
    { title: 'Constraints & Requirements', ask: 'what the user or the environment demands' },
    { title: 'Pending Items', ask: 'what is still to do, and what stands in the way' },
    { title: 'Session Narrative', ask: 'what happened, in order, in a few sentences' },
  ],
  closed: true,
  rules: ['Write all six sections and no other. An empty one says "(none)".'],
}
