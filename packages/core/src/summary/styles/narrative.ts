import type { StyleDefinition } from './definition.ts'

/** Prose that a colleague could go on from. Sources: "pivot", row 9; "calibrated", row 6. */
export const narrative: StyleDefinition = {
  sections: [],
  rules: [
    'Write it as a handover in plain paragraphs: what was done, what is being done now, in which files, what comes next, and why things are as they are.',
    'Begin with the goal of the user. Include constraints and preferences that still hold.',
  ],
}
