import type { StyleDefinition } from './definition.ts'

/** What changed in the code. See docs/systems.md, "layered" 3. */
export const codeDelta: StyleDefinition = {
  sections: [
    { title: 'Changes', ask: 'one bullet a file: path: functions and interfaces touched, side effects' },
    { title: 'Reasons', ask: 'why, and what was decided against' },
    { title: 'Checks', ask: 'tests and commands that were run, with their outcome; failures in their words' },
    { title: 'Follow-ups', ask: 'what the changes still need' },
  ],
  rules: ['No code except signatures. Line ranges where they are known.'],
}
