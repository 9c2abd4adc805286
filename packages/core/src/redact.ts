import { hashOf } from './checkpoint.ts'
import { decode } from './decode.ts'

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

/** A stretch of a text that must not leave: from `start` up to `end`. */
export interface Finding {
  readonly start: number
  readonly end: number
  /** Names it in the place where it stood: letters, digits and hyphens. */
  readonly tag: string
}

/** Finds many kinds of secrets in one look at a text, as `@precis/redaction` does. */
export interface SecretFinder {
  find(text: string): Iterable<Finding>
}

/**
 * A redactor from rules, finders and functions. The same secret becomes the same tag, such as `[jwt:3f9a21]`, so that a text still shows which secrets are
 * the same; what is no secret stays as it is. Tags are never redacted again, and JSON stays JSON. Rules and finders see the text as it is and as it reads
 * once its escapes (`\n`, `\"`, `&quot;`, `%40`) are taken for what they mean; functions see it as it is.
 *
 * @param salt Tags are made of a secret and this: without it short secrets could be guessed from their tags.
 */
export function redactorOf(rules: readonly (RedactionRule | SecretFinder | Redactor)[], salt: string): Redactor {
  const steps: Redactor[] = []
  let finders: SecretFinder[] = []
  const close = (): void => {
    const own = finders
    if (own.length > 0) steps.push((text) => hideAll(text, own, salt))
    finders = []
  }
  for (const rule of rules) {
    if (typeof rule === 'function') {
      close()
      steps.push(rule)
    } else finders.push('find' in rule ? rule : { find: (text) => matchesOf(rule, text) })
  }
  close()
  return (text) => steps.reduce((result, step) => step(result), text)
}

function matchesOf({ tag, pattern, accept }: RedactionRule, text: string): readonly Finding[] {
  const found: Finding[] = []
  if (!(pattern instanceof RegExp)) {
    pattern.replace(text, (match, at) => {
      if (accept?.(match, false) !== false) found.push({ start: at, end: at + match.length, tag })
      return match
    })
    return found
  }
  for (const match of text.matchAll(pattern)) {
    const named = match.groups ?? {}
    const secret = named['secret'] ?? named['quoted'] ?? named['bare'] ?? match[0]
    if (accept?.(secret, named['quoted'] !== undefined) === false) continue
    const start = match.index + match[0].lastIndexOf(secret)
    found.push({ start, end: start + secret.length, tag })
  }
  return found
}

/** Texts in texts in texts: how many layers of escapes are looked behind. */
const layers = 3

function hideAll(text: string, finders: readonly SecretFinder[], salt: string): string {
  let result = text
  // What one secret hid may be seen once it has its tag.
  for (let round = 0; round < 3; round++) {
    const found = apart([...findIn(result, finders), ...findBehindEscapes(result, finders)], result)
    if (found.length === 0) return result
    const pieces: string[] = []
    let from = 0
    for (const { start, end, tag } of found) {
      pieces.push(result.slice(from, start), `[${tag}:${hashOf(`${salt}\u0000${result.slice(start, end)}`).slice(0, 6)}]`)
      from = end
    }
    result = pieces.join('') + result.slice(from)
  }
  return result
}

function findIn(text: string, finders: readonly SecretFinder[]): readonly Finding[] {
  return finders.flatMap((finder) => [...finder.find(text)])
}

/** The same in what the text means, line by line where something in it stands for something else. */
function findBehindEscapes(text: string, finders: readonly SecretFinder[]): readonly Finding[] {
  const found: Finding[] = []
  for (const { start: first, end: last } of escapedLines(text)) {
    let toSource = (at: number): number => first + at
    let view = text.slice(first, last)
    for (let layer = 0; layer < layers; layer++) {
      const decoded = decode(view)
      if (decoded === undefined) break
      const outer = toSource
      view = decoded.text
      toSource = (at) => outer(decoded.toSource(at))
      for (const { start, end, tag } of findIn(view, finders)) found.push({ start: toSource(start), end: toSource(end), tag })
    }
  }
  return found
}

/** Stretches of neighboring lines with something in them that may stand for something else. */
function escapedLines(text: string): readonly Pick<Finding, 'start' | 'end'>[] {
  const found: { start: number; end: number }[] = []
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals write them
  const mark = /[\\&%\u001b]/g
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    const start = text.lastIndexOf('\n', match.index) + 1
    const stop = text.indexOf('\n', match.index)
    const end = stop < 0 ? text.length : stop
    const last = found.at(-1)
    if (last !== undefined && start <= last.end + 1) last.end = end
    else found.push({ start, end })
    mark.lastIndex = end
  }
  return found
}

const aTag = /\[[a-z0-9-]{1,40}:[0-9a-f]{6}\]/g

/** Findings in order, those that overlap as one, under the tag that was found first; none that is a tag, or a part of one, that stands there already. */
function apart(found: readonly Finding[], text: string): readonly Finding[] {
  if (found.length === 0) return []
  const taken = [...text.matchAll(aTag)].map((match) => ({ start: match.index, end: match.index + match[0].length }))
  const order = new Map(found.map((finding, at) => [finding, at]))
  const sorted = found.filter((one) => one.end > one.start).sort((a, b) => a.start - b.start || b.end - a.end)
  const merged: Finding[] = []
  let tagAt = 0
  for (const finding of sorted) {
    while (tagAt < taken.length && (taken[tagAt] as Finding).end <= finding.start) tagAt++
    const tag = taken[tagAt]
    if (tag !== undefined && tag.start < finding.end && !holds(finding, tag)) continue
    const last = merged.at(-1)
    if (last === undefined || finding.start >= last.end) {
      merged.push(finding)
      continue
    }
    const first = (order.get(finding) ?? 0) < (order.get(last) ?? 0) ? finding : last
    const joined: Finding = { start: last.start, end: Math.max(last.end, finding.end), tag: first.tag }
    order.set(joined, order.get(first) ?? 0)
    merged[merged.length - 1] = joined
  }
  return merged
}

/** Whether a finding is more than a tag that stands in it. */
function holds(finding: Finding, tag: Pick<Finding, 'start' | 'end'>): boolean {
  return finding.start <= tag.start && finding.end >= tag.end && finding.end - finding.start > tag.end - tag.start
}
