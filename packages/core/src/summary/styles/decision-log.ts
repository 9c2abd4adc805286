import type { StyleDefinition } from './definition.ts'

/** Choices in the order they were made. See docs/systems.md, "layered" 3. */
export const decisionLog: StyleDefinition = {
  sections: [
    { title: 'Decisions', ask: 'one line each: [number] decision :: reason :: what went in :: what came out' },
    { title: 'Rejected', ask: 'what was considered or tried and given up, and why' },
    { title: 'Undecided', ask: 'questions that wait for an answer' },
  ],
  rules: ['Neutral tone, in order of time. Number on from the memory so far.'],
}
