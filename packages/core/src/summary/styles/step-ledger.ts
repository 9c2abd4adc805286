import type { StyleDefinition } from './definition.ts'

/** What was done, step by step, with its outcome. See docs/systems.md, "layered" 3. */
export const stepLedger: StyleDefinition = {
  sections: [
    { title: 'Steps', ask: 'one line a step: [number] what was done :: outcome (done, failed, pending)' },
    { title: 'Where We Are', ask: 'the step in hand, and what the next one needs' },
  ],
  rules: ['Number the steps on from those in the memory so far. Failed steps stay in the list, with the error in its words.'],
}
