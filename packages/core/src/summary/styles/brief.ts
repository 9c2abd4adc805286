import type { StyleDefinition } from './definition.ts'

/** The least that lets work go on: for a second attempt after a refusal or a reply that was cut off. See docs/systems.md, "layered" 11. */
export const brief: StyleDefinition = {
  sections: [
    {
      title: 'Brief',
      ask: 'goal, state, open points and the names they depend on, in at most twelve bullets',
    },
  ],
  rules: ['Be short: a bullet is one line. Take sentences over as they are where you can.'],
}
