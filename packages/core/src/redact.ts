import { hashOf } from './checkpoint.ts'

/** Replaces what must not leave the process. Must be idempotent. */
export type Redactor = (text: string) => string

/** One kind of secret. */
export interface RedactionRule {
  /** Names it in the place where it stood: letters, digits and hyphens. */
  readonly tag: string
  /** With the flag `g`. Where it has a group called `secret` (or `quoted` and `bare`), only that is replaced. Linear-time engines fit, such as re2js through `@precis/config`. */
  readonly pattern: RegExp | PatternLike
  /** Has the last word on what the pattern found. `quoted`: it stood in quotation marks. */
  accept?(secret: string, quoted: boolean): boolean
}

/** What we use of a regular expression. */
export interface PatternLike {
  /** Calls back for each match, from left to right. */
  replace(text: string, replacement: (match: string, at: number) => string): string
}

/**
 * A redactor from rules, functions among them. The same secret becomes the same tag, such as `[jwt:3f9a21]`, so that a text still shows which secrets are
 * the same; what is no secret stays as it is. Tags are never redacted again, and JSON stays JSON.
 *
 * @param salt Tags are made of a secret and this: without it short secrets could be guessed from their tags.
 */
export function redactorOf(rules: readonly (RedactionRule | Redactor)[], salt: string): Redactor {
  const steps = rules.map((rule): Redactor => (typeof rule === 'function' ? rule : (text) => redactBy(rule, text, salt)))
  return (text) => steps.reduce((result, step) => step(result), text)
}

function redactBy({ tag, pattern, accept }: RedactionRule, text: string, salt: string): string {
  const hide = (secret: string): string => `[${tag}:${hashOf(`${salt}\u0000${secret}`).slice(0, 6)}]`
  if (!(pattern instanceof RegExp)) {
    return pattern.replace(text, (match, at) => (isInTag(text, at) || accept?.(match, false) === false ? match : hide(match)))
  }
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const last = rest.at(-1)
    const named = (typeof last === 'object' ? last : {}) as Readonly<Record<string, string | undefined>>
    const offset = rest.find((one) => typeof one === 'number') as number
    const secret = named['secret'] ?? named['quoted'] ?? named['bare'] ?? match
    const at = match.lastIndexOf(secret)
    if (isInTag(text, offset + at) || accept?.(secret, named['quoted'] !== undefined) === false) return match
    return match.slice(0, at) + hide(secret) + match.slice(at + secret.length)
  })
}

const longestTag = 50

/** Whether a place in a text belongs to a tag that stands there already: its name is that of a secret, its number looks like one. */
function isInTag(text: string, at: number): boolean {
  const from = Math.max(0, at - longestTag)
  const found = text.slice(from, at + 1).lastIndexOf('[')
  if (found < 0) return false
  const start = from + found
  const tag = /^\[[a-z0-9-]+:[0-9a-f]{6}\]/.exec(text.slice(start, start + longestTag))
  return tag !== null && at < start + tag[0].length
}

/** Characters at both sides of a cut that may belong to one secret: the longest that a rule knows is a key file. */
const widest = 10_000

/**
 * Where a text may be cut so that each part can be redacted alone: at `wanted`, or before it, where no secret stands across.
 *
 * @param text What is there so far, beyond `wanted` too.
 */
export function cutBetweenSecrets(text: string, wanted: number, redact: Redactor): number {
  let cut = wanted
  for (let tries = 0; tries < 8; tries++) {
    const [before, after] = [text.slice(Math.max(0, cut - widest), cut), text.slice(cut, cut + widest)]
    if (redact(before + after) === redact(before) + redact(after)) return cut
    cut = earlierCut(text, cut, tries)
  }
  return wanted
}

/** First the word before, then the line before, then far away. */
function earlierCut(text: string, cut: number, tries: number): number {
  const recent = text.slice(Math.max(0, cut - widest), Math.max(0, cut - 1))
  const gap = tries < 3 ? Math.max(recent.lastIndexOf(' '), recent.lastIndexOf('\n')) : tries < 6 ? recent.lastIndexOf('\n') : -1
  return Math.max(0, cut - widest) + gap + 1
}
