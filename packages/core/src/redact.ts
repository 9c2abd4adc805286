/** Replaces what must not leave the process. Must be idempotent. */
export type Redactor = (text: string) => string

/** One kind of secret. `tag` names it in the place where it stood. */
export interface RedactionRule {
  readonly tag: string
  readonly pattern: RegExp
}

/** Secrets with a form of their own. Every pattern is linear: no nested repetition, bounded where two classes overlap. */
export const secretRules: readonly RedactionRule[] = [
  { tag: 'private-key', pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,8000}?-----END [A-Z ]{0,40}PRIVATE KEY-----/g },
  { tag: 'aws-key', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { tag: 'github-token', pattern: /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g },
  { tag: 'api-key', pattern: /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,200}/g },
  { tag: 'slack-token', pattern: /\bxox[abposr]-[A-Za-z0-9-]{10,200}/g },
  { tag: 'google-key', pattern: /\bAIza[0-9A-Za-z_-]{35}/g },
  { tag: 'jwt', pattern: /\beyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}/g },
  { tag: 'authorization', pattern: /(?<=\bauthorization["']?[:=] ?["']?(?:bearer |basic )?)[A-Za-z0-9+/_.~=-]{12,4000}/gi },
  { tag: 'credentials', pattern: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{1,80}:)[^\s@/[]{3,200}(?=@)/gi },
  { tag: 'password', pattern: /(?<=\b(?:password|passwd|api[_-]?key|secret|access[_-]?token)["']?[:=] ?["']?)[^\s"',;&[]{6,200}/gi },
]

/**
 * A redactor from rules. The same secret always becomes the same tag within one redactor, such as `[jwt:1]`, so that a text still shows
 * which secrets are the same.
 */
export function createRedactor(rules: readonly RedactionRule[] = secretRules): Redactor {
  const seen = new Map<string, number>()
  return (text) => {
    let result = text
    for (const { tag, pattern } of rules) {
      result = result.replace(pattern, (secret) => {
        const number = seen.get(secret) ?? seen.size + 1
        seen.set(secret, number)
        return `[${tag}:${number}]`
      })
    }
    return result
  }
}
