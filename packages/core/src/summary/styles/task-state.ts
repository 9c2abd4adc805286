import type { StyleDefinition } from './definition.ts'

/** Goals, things, limits, choices, open ends: the state of a task rather than its story. See docs/systems.md, "layered" 3 and 7. */
export const taskState: StyleDefinition = {
  sections: [
    { title: 'Goals', ask: 'what is to be reached, and how one sees that it is' },
    { title: 'Entities', ask: 'names, ids, files, branches, environments that matter' },
    { title: 'Constraints', ask: 'security, compliance, budgets, deadlines, wishes of the user' },
    { title: 'Decisions', ask: 'what was settled, and why' },
    { title: 'Open Actions', ask: 'what is outstanding, what blocks it, what was tried in vain' },
    { title: 'Sources', ask: 'names of documents and tools behind the facts' },
  ],
  rules: ['State only; no story. Where there is nothing to say, write "(none)".'],
}
