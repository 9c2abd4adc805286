import type { PatternLike, RedactionRule, Redactor } from '@precis/core'
import { createRedactor, personalRules, secretRules } from '@precis/redaction'
import { RE2JS } from 're2js'
import { ConfigError } from './config-error.ts'

/** What a file may say about redaction. Built-in secrets are always looked for while it is on. */
export interface RawRedaction {
  readonly enabled?: boolean
  /** E-mail addresses, telephone numbers, social security numbers, bank accounts: in everything that is stored or summarized. */
  readonly personal?: boolean
  /** E-mail addresses and telephone numbers in what is exported alone: events, spans, remote archives. Default: `redact`. */
  readonly personalData?: 'redact' | 'keep'
  /** Patterns in RE2's syntax: no look-around, no back references, and so never slower than the text is long. */
  readonly patterns?: readonly { readonly tag: string; readonly pattern: string; readonly ignoreCase?: boolean }[]
}

/** A pattern of a user, on an engine whose time grows with the text and nothing else. @throws what RE2 says of a pattern that it cannot read. */
export function linearPattern(pattern: string, { ignoreCase = false }: { readonly ignoreCase?: boolean } = {}): PatternLike {
  const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  return {
    replace(text, replacement) {
      const matcher = compiled.matcher(text)
      const pieces: string[] = []
      let from = 0
      while (matcher.find()) {
        const [start, end] = [matcher.start(), matcher.end()]
        if (end === start) continue
        pieces.push(text.slice(from, start), replacement(text.slice(start, end), start))
        from = end
      }
      return from === 0 ? text : pieces.join('') + text.slice(from)
    },
  }
}

/** The redactor that a file asks for: own patterns, all that `@precis/redaction` knows, and personal data where it says so. @throws ConfigError */
export function redactorFrom({ personal, patterns = [] }: RawRedaction, source: string): Redactor {
  const own = patterns.map(({ tag, pattern, ignoreCase = false }, at): RedactionRule => {
    try {
      return { tag, pattern: linearPattern(pattern, { ignoreCase }) }
    } catch (error) {
      throw new ConfigError(source, [{ path: `redaction.patterns.${at}.pattern`, message: `cannot be used: ${(error as Error).message}` }])
    }
  })
  return createRedactor([...own, ...secretRules, ...(personal === true ? personalRules : [])])
}
