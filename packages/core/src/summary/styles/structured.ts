import type { StyleDefinition } from './definition.ts'

/** Eight sections, each filled or marked empty: a heading is a checklist that a writer cannot pass over. See docs/systems.md, "cache-aware" 3. */
export const structured: StyleDefinition = {
  sections: [
    // The record quotes what the user said.
    { title: 'Session Intent', ask: 'what the user wants from this session as a whole' },
    { title: 'Current Task', ask: 'what is being worked on now, and how far it is' },
    { title: 'Files Modified', ask: 'path and what changed in it; no contents' },
    { title: 'Files Read', ask: 'paths only, for reference' },
    { title: 'Key Decisions', ask: 'what was chosen, and because of what' },
    { title: 'Failed Approaches', ask: 'what was tried, how it failed, what worked instead; never leave one out' },
    { title: 'Errors Encountered', ask: 'messages in their exact words' },
    { title: 'Next Steps', ask: 'what is open; a request that was fulfilled is not open' },
  ],
  rules: ['Fill every section. Where there is nothing to say, write "(none)".'],
}
