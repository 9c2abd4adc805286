import type { StyleDefinition } from './definition.ts'

/** What was asked for and where it stands. See docs/systems.md, "layered" 3. */
export const requirementsLedger: StyleDefinition = {
  sections: [
    {
      title: 'Requirements',
      ask: 'one line each: [R-number] the demand, in the words of whoever made it :: met, partly, open, withdrawn',
    },
    { title: 'Acceptance', ask: 'how each is checked, and what the last check said' },
    { title: 'Changes', ask: 'demands that were changed or withdrawn, and by whom' },
  ],
  rules: ['Never merge or soften demands. One that contradicts another is listed beside it, marked.'],
}
