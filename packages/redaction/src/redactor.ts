import {
  createRedactor as createWith,
  InvalidConfigurationError,
  type RedactionRule,
  type Redactor,
  type RedactorOptions,
  type SecretFinder,
} from '@precis/core'
import { assignmentFinder } from './assignments.ts'
import { commandFinder, commandRules } from './commands.ts'
import { keyBlockFinder } from './key-blocks.ts'
import { kubernetesFinder } from './kubernetes.ts'
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
    kubernetesFinder,
  ]),
  cardRule,
]

/**
 * A redactor with all that this package knows, or with the rules given: `createRedactor([...secretRules, ...personalRules, (text) => text.replaceAll('ACME', '[customer]')])`.
 * The same secret becomes the same tag, such as `[github-token:3f9a21]`.
 *
 * @throws InvalidConfigurationError for what is no rule.
 */
export function createRedactor(rules: readonly (RedactionRule | SecretFinder | Redactor)[] = secretRules, options: RedactorOptions = {}): Redactor {
  for (const [at, rule] of rules.entries()) if (!isRule(rule)) throw notARule(at, rule)
  return createWith(rules, options)
}

function isRule(rule: unknown): boolean {
  if (typeof rule === 'function') return true
  const { find, pattern } = Object(rule) as { readonly find?: unknown; readonly pattern?: unknown }
  if (find !== undefined) return typeof find === 'function'
  return pattern instanceof RegExp || (Object(pattern) === pattern && typeof (pattern as { replace?: unknown }).replace === 'function')
}

function notARule(at: number, rule: unknown): InvalidConfigurationError {
  const field = `rules[${at}]`
  const { pattern } = Object(rule) as { readonly pattern?: unknown }
  if (rule instanceof RegExp) return new InvalidConfigurationError(field, rule, `write { tag: 'customer', pattern: ${rule} }`, `${field} is a pattern alone`)
  if (typeof pattern === 'string')
    return new InvalidConfigurationError(`${field}.pattern`, pattern, `write a regular expression: new RegExp(${JSON.stringify(pattern)}, 'g')`)
  return new InvalidConfigurationError(
    field,
    rule,
    "write { tag: 'customer', pattern: /ACME-\\d+/g }, an object with find(text), or a function from text to text",
  )
}
