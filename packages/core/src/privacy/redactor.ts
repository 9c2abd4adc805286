import { InvalidConfigurationError } from '../errors.ts'
import { hashOf } from '../history/hash.ts'
import { memoized } from '../history/memoize.ts'
import { finished, type Pieces } from '../history/pieces.ts'
import { decode, nextEscape } from './decode.ts'

/** Replaces what must not leave the process. Must be idempotent. */
export type Redactor = (text: string) => string

/** One kind of secret. */
export interface RedactionRule {
  /** Names it in the place where it stood: letters, digits and hyphens. */
  readonly tag: string
  /** Found everywhere, whatever its flags `g` and `y` say. Where it has a group called `secret` (or `quoted` and `bare`), only that is replaced. Linear-time engines fit, such as re2js through `@precis/config`. */
  readonly pattern: RegExp | PatternLike
  /** Characters that a match has at most: where that is said, a long text is searched in pieces. */
  readonly longest?: number
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
  /** Where secrets stand in a text, in any order. `undefined` where nothing was found for a while: others may have their turn. */
  find(text: string): Iterable<Finding | undefined>
}

/** What tags are made with, or what gives it. */
export type Salt = string | (() => string)

type Work = (text: string) => Pieces<string>

/** How what was made here redacts in pieces. */
const works = new WeakMap<Redactor, Work>()

/** A redactor that can be interrupted. */
export function redactorFrom(work: Work): Redactor {
  const redact = (text: string): string => finished(work(text))
  works.set(redact, work)
  return redact
}

/** Characters of a text from which on it is redacted in pieces. */
export const longText = 16_384

/** What `redact(text)` gives, in pieces: one rule after another, as far as the redactor was made of rules. */
export function* redacting(redact: Redactor, text: string): Pieces<string> {
  const work = text.length < longText ? undefined : works.get(redact)
  return work ? yield* work(text) : redact(text)
}

/**
 * A redactor from rules, finders and functions. The same secret becomes the same tag, such as `[jwt:3f9a21]`, so that a text still shows which secrets are
 * the same; what is no secret stays as it is. Tags are never redacted again, and JSON stays JSON. Rules and finders see the text as it is and as it reads
 * once its escapes (`\n`, `\"`, `&quot;`, `%40`) are taken for what they mean; functions see it as it is.
 *
 * @param salt Tags are made of a secret and this: without it short secrets could be guessed from their tags. A function is asked when the first secret is found.
 */
export function redactorOf(rules: readonly (RedactionRule | SecretFinder | Redactor)[], salt: Salt): Redactor {
  const steps: Work[] = []
  let finders: SecretFinder[] | undefined
  for (const rule of rules) {
    if (typeof rule === 'function') {
      steps.push((text) => redacting(rule, text))
      finders = undefined
      continue
    }
    if (!finders) {
      finders = []
      steps.push(hiding(finders, salt))
    }
    finders.push((rule as Partial<SecretFinder> | null)?.find ? (rule as SecretFinder) : finderOf(rule as RedactionRule))
  }
  return redactorFrom(function* (text) {
    let result = text
    for (const step of steps) result = yield* step(result)
    return result
  })
}

/** Names of fields and small values come again and again: characters of such a text, and how many of them are remembered. */
const shortText = 80
const mostKnown = 1_000

function hiding(finders: readonly SecretFinder[], salt: Salt): Work {
  const known = new Map<string, string>()
  return function* (text) {
    if (text.length > shortText) return yield* hideAll(text, finders, salt)
    if (known.size > mostKnown) known.clear()
    return memoized(known, text, () => finished(hideAll(text, finders, salt)))
  }
}

/** Characters that are searched in one piece. */
const charactersAtOnce = 524_288

function finderOf(rule: RedactionRule): SecretFinder {
  const { tag, pattern, accept } = Object(rule) as RedactionRule
  if (typeof pattern !== 'object') throw new InvalidConfigurationError('pattern', pattern, "write { tag: 'customer', pattern: /ACME-[0-9]+/ }")
  if (pattern instanceof RegExp) {
    const own = new RegExp(pattern, `${pattern.flags.replace(/[dgy]/g, '')}dg`)
    // Most texts are short and hold no secret.
    return { find: (text) => (text.length < longText && text.search(own) < 0 ? [] : matchesInPieces(rule, own, text)) }
  }
  return {
    find(text) {
      const found: Finding[] = []
      pattern.replace(text, (match, start) => {
        if (accept?.(match, false) !== false) found.push({ start, end: start + match.length, tag })
        return match
      })
      return found
    },
  }
}

function* matchesInPieces({ tag, longest, accept }: RedactionRule, own: RegExp, text: string): Iterable<Finding | undefined> {
  for (let from = 0, to = 0; from < text.length; from = to, yield) {
    to = from + (longest ? charactersAtOnce : text.length)
    // A match begins in the piece; what stands before it is seen.
    own.lastIndex = Math.min(from, 1)
    const first = from - own.lastIndex
    const piece = text.slice(first, longest && to + longest)
    for (const match of piece.matchAll(own)) {
      if (first + match.index >= to) break
      const { 0: whole, groups: { quoted, bare = whole, secret = quoted ?? bare } = {} } = (match as RegExpExecArray).indices as RegExpIndicesArray
      const [start, end] = secret as [number, number]
      if (accept?.(piece.slice(start, end), quoted !== undefined) !== false) yield { start: first + start, end: first + end, tag }
    }
  }
}

/** Texts in texts in texts: how many layers of escapes are looked behind. */
const layers = 3

function* hideAll(text: string, finders: readonly SecretFinder[], salt: Salt): Pieces<string> {
  const found = [...(yield* findIn(text, finders)), ...(yield* findBehindEscapes(text, finders))]
  if (found.length === 0) return text
  const own = typeof salt === 'string' ? salt : salt()
  const pieces: string[] = []
  let from = 0
  for (const { start, end, tag } of apart(found, text)) {
    pieces.push(text.slice(from, start), `[${tag}:${hashOf(`${own}\u0000${text.slice(start, end)}`).slice(0, 6)}]`)
    from = end
  }
  return pieces.join('') + text.slice(from)
}

function* findIn(text: string, finders: readonly SecretFinder[]): Pieces<readonly Finding[]> {
  const found: Finding[] = []
  for (const finder of finders) {
    for (const one of finder.find(text)) {
      if (one) found.push(one)
      else yield
    }
    if (text.length >= longText) yield
  }
  return found
}

/** The same in what the text means, line by line where something in it stands for something else: in each layer down to the innermost. */
function* findBehindEscapes(text: string, finders: readonly SecretFinder[]): Pieces<readonly Finding[]> {
  const found: Finding[] = []
  for (const { start: first, end: last } of yield* escapedStretches(text)) {
    let toSource = (at: number): number => first + at
    let decoded = yield* decode(text.slice(first, last))
    for (let layer = 0; decoded && layer < layers; layer++) {
      const [outer, inner, view] = [toSource, decoded.toSource, decoded.text]
      toSource = (at) => outer(inner(at))
      for (const { start, end, tag } of yield* findIn(view, finders)) found.push({ start: toSource(start), end: toSource(end), tag })
      yield
      decoded = layer + 1 < layers ? yield* decode(view) : undefined
    }
  }
  return found
}

/** Characters around something that stands for something else in which its meaning may make a secret of what is there. */
const around = 500

/** Stretches of lines with something in them that stands for something else; of long lines what is near it. */
function* escapedStretches(text: string): Pieces<readonly Pick<Finding, 'start' | 'end'>[]> {
  const found: { start: number; end: number }[] = []
  for (let at = nextEscape(text, 0), rested = 0; at < text.length; at = nextEscape(text, at + 1)) {
    if (at - rested > charactersAtOnce) {
      rested = at
      yield
    }
    const last = found.at(-1)
    if (last && at <= last.end + 2 * around) last.end = at
    else found.push({ start: at, end: at })
  }
  return found.map(({ start, end }) => ({ start: edge(text, start, -1), end: edge(text, end, 1) }))
}

/** The end of the line, or a space or sign beyond what is near where that comes first. */
function edge(text: string, from: number, step: 1 | -1): number {
  let at = from
  for (let steps = 0; ; steps++, at += step) {
    const sign = text[step > 0 ? at : at - 1] ?? '\n'
    if (sign === '\n' || (steps > around && (steps > around + 200 || !/[\w@./+=-]/.test(sign)))) break
  }
  return at
}

const aTag = /\[[a-z0-9-]{1,40}:[0-9a-f]{6}\]/g

/** Findings in order, those that overlap as one, under the tag that was found first; none that is a tag, or a part of one, that stands there already. */
function apart(found: readonly Finding[], text: string): readonly Finding[] {
  const taken = [...text.matchAll(aTag)].map(({ 0: { length }, index }) => ({ start: index, end: index + length }))
  const ranked = found.map((finding, rank) => ({ ...finding, rank })).filter(({ start, end }) => end > start)
  const merged: (Finding & { readonly rank: number })[] = []
  let tagAt = 0
  for (const finding of ranked.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const { start, end } = finding
    while (tagAt < taken.length && (taken[tagAt] as Finding).end <= start) tagAt++
    const tag = taken[tagAt]
    // Unless it is more than the tag that stands in it.
    if (tag && tag.start < end && (start > tag.start || end < tag.end || end - start === tag.end - tag.start)) continue
    const last = merged.at(-1)
    if (last === undefined || start >= last.end) merged.push(finding)
    else merged[merged.length - 1] = { ...(finding.rank < last.rank ? finding : last), start: last.start, end: Math.max(last.end, end) }
  }
  return merged
}
