import {
  createRedactor as createWith,
  InvalidConfigurationError,
  type RedactionRule,
  type Redactor,
  type RedactorOptions,
  type SecretFinder,
} from '@precis/core'
import { aText, checkGiven, type ValueRule, type ValueRules } from '@precis/core/adapters'
import { afarRules } from './afar.ts'
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
import { halvesFinder, tokenFinder } from './tokens.ts'

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
    halvesFinder,
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
  ...afarRules,
  cardRule,
]

/**
 * A redactor with all that this package knows, or with the rules given: `createRedactor([...secretRules, ...personalRules, (text) => text.replaceAll('ACME', '[customer]')])`.
 * The same secret becomes the same tag, such as `[github-token:3f9a21]`.
 *
 * @throws InvalidConfigurationError for what is no rule, and for options that cannot be meant.
 */
export function createRedactor(rules: readonly (RedactionRule | SecretFinder | Redactor)[] = secretRules, options: RedactorOptions = {}): Redactor {
  checkGiven('createRedactor', { rules }, { rules: aList })
  for (const [at, rule] of rules.entries()) if (!isRule(rule)) throw notARule(at, rule)
  checkGiven('createRedactor', options, optionRules)
  return createWith(rules, options)
}

const aList: ValueRule = { is: Array.isArray, expected: 'write [...secretRules, your own], or leave them out', secret: true }
const optionRules: ValueRules<RedactorOptions> = { salt: { ...aText('expected a text, kept as a key is'), secret: true } }

function isRule(rule: unknown): boolean {
  if (typeof rule === 'function') return true
  const { find, pattern, tag } = Object(rule) as { readonly find?: unknown; readonly pattern?: unknown; readonly tag?: unknown }
  if (find !== undefined) return typeof find === 'function'
  if (!isTag(tag)) return false
  return pattern instanceof RegExp || (Object(pattern) === pattern && typeof (pattern as { replace?: unknown }).replace === 'function')
}

function isTag(tag: unknown): boolean {
  return typeof tag === 'string' && /^[a-z0-9-]{1,40}$/i.test(tag)
}

function notARule(at: number, rule: unknown): InvalidConfigurationError {
  const field = `rules[${at}]`
  const { pattern, tag } = Object(rule) as { readonly pattern?: unknown; readonly tag?: unknown }
  if (rule instanceof RegExp) return new InvalidConfigurationError(field, rule, `write { tag: 'customer', pattern: ${rule} }`, `${field} is a pattern alone`)
  if (typeof pattern === 'string')
    return new InvalidConfigurationError(`${field}.pattern`, pattern, `write a regular expression: new RegExp(${JSON.stringify(pattern)}, 'g')`)
  if (pattern !== undefined && !isTag(tag))
    return new InvalidConfigurationError(`${field}.tag`, tag, "expected letters, digits and hyphens, 40 at most: { tag: 'customer', pattern }")
  return new InvalidConfigurationError(
    field,
    rule,
    "write { tag: 'customer', pattern: /ACME-\\d+/g }, an object with find(text), or a function from text to text",
  )
}
