import { InvalidConfigurationError } from '../errors.ts'
import { type RedactionRule, type Redactor, redactorOf, type Salt, type SecretFinder } from '../privacy/redactor.ts'
import { secretRules } from '../privacy/rules.ts'

/** How secrets are named in what is left. */
export interface RedactorOptions {
  /**
   * The same salt gives the same tags in every process and at any time: keep it as you keep a key. Default: processes that share a `storage` share a salt that
   * is made once and kept there; otherwise it lives as long as this process.
   */
  readonly salt?: string
}

let own: string | undefined
/** Made when it is needed: Cloudflare Workers have no random values before the first request. */
const ownSalt = (): string => (own ??= crypto.randomUUID())

/** Redactors whose maker chose no salt, and how they are made with one. */
const unsalted = new WeakMap<Redactor, (salt: Salt) => Redactor>()

/**
 * A redactor from rules, functions among them: `createRedactor([...secretRules, ...personalRules, (text) => text.replaceAll('ACME', '[customer]')])`.
 * The same secret becomes the same tag, such as `[jwt:3f9a21]`: the name of its rule and 24 bits of a hash. Default rules: `secretRules`.
 *
 * @returns A function from text to text, idempotent where functions among the rules are. Throws only what they throw.
 * @throws InvalidConfigurationError for what is no rule.
 */
export function createRedactor(rules: readonly (RedactionRule | SecretFinder | Redactor)[] = secretRules, { salt }: RedactorOptions = {}): Redactor {
  const made = (by: Salt): Redactor =>
    redactorOf(
      // What is no list is judged as a rule.
      [rules].flat().map((rule) => (typeof rule === 'function' ? withSalt(rule, by) : rule)),
      by,
    )
  const redact = made(salt ?? ownSalt)
  if (salt === undefined) unsalted.set(redact, made)
  return redact
}

/** The same redactor with this salt in its tags; as it is, where its maker chose a salt, or it was not made here. */
export function withSalt(redact: Redactor, salt: Salt): Redactor {
  return unsalted.get(redact)?.(salt) ?? redact
}

/** Whether nobody has chosen its salt. */
export function lacksSalt(redact: Redactor | false | undefined): boolean {
  return unsalted.has(redact as Redactor)
}

/**
 * Tries a redactor with a text; it may fail for that alone.
 * @throws InvalidConfigurationError where it returns none, and for a factory that nobody called: it takes no text for its rules.
 */
export function checkRedactor(redact: Redactor): void {
  try {
    const given: unknown = redact('text')
    Promise.resolve(given).catch(() => {})
    if (typeof given === 'string') return
  } catch (error) {
    if (InvalidConfigurationError.isInstance(error))
      throw new InvalidConfigurationError('redact', redact, 'call it: redact: createRedactor()', 'redact is a factory')
    return
  }
  throw new InvalidConfigurationError('redact', redact, 'return one at once', 'redact returns no text')
}
