import { createRedactor as createWith, type RedactionRule, type Redactor, type RedactorOptions, type SecretFinder } from '@precis/core'
import { assignmentFinder } from './assignments.ts'
import { commandFinder, commandRules } from './commands.ts'
import { keyBlockFinder } from './key-blocks.ts'
import { nearRule, together } from './near.ts'
import { pairFinder } from './pairs.ts'
import { passwordRules } from './passwords.ts'
import { cardRule } from './personal.ts'
import { phraseRules } from './phrases.ts'
import { keyRules, placeRules, shapeRules } from './places.ts'
import { insertFinder, tableFinder } from './tables.ts'
import { tokenFinder } from './tokens.ts'

/**
 * Secrets by their form (hundreds of formats), by the place where they stand (headers, URLs, command lines, markup, key blocks, tables) and by the name in front
 * of them. What comes first names what several find.
 */
export const secretRules: readonly (RedactionRule | SecretFinder)[] = [
  ...shapeRules,
  together([
    ...keyRules.map(nearRule),
    keyBlockFinder,
    tokenFinder(),
    ...placeRules.map(nearRule),
    ...commandRules.map(nearRule),
    ...passwordRules.map(nearRule),
    ...phraseRules.map(nearRule),
    commandFinder,
    assignmentFinder,
    pairFinder,
    tableFinder,
    insertFinder,
  ]),
  cardRule,
]

/**
 * A redactor with all that this package knows, or with the rules given: `createRedactor([...secretRules, ...personalRules, (text) => text.replaceAll('ACME', '[customer]')])`.
 * The same secret becomes the same tag, such as `[github-token:3f9a21]`.
 */
export function createRedactor(rules: readonly (RedactionRule | SecretFinder | Redactor)[] = secretRules, options: RedactorOptions = {}): Redactor {
  return createWith(rules, options)
}
