import { type RedactionRule, type Redactor, redactorOf, type SecretFinder } from '../privacy/redactor.ts'
import { secretRules } from '../privacy/rules.ts'

/** How secrets are named in what is left. */
export interface RedactorOptions {
  /** The same salt gives the same tags in every process and at any time: keep it as you keep a key. Default: one that lives as long as this process. */
  readonly salt?: string
}

let own: string | undefined

/**
 * A redactor from rules, functions among them: `createRedactor([...secretRules, ...personalRules, (text) => text.replaceAll('ACME', '[customer]')])`.
 * The same secret becomes the same tag, such as `[jwt:3f9a21]`. Default rules: `secretRules`.
 */
export function createRedactor(rules: readonly (RedactionRule | SecretFinder | Redactor)[] = secretRules, { salt }: RedactorOptions = {}): Redactor {
  own ??= crypto.randomUUID()
  return redactorOf(rules, salt ?? own)
}
