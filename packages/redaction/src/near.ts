import type { Finding, RedactionRule, SecretFinder } from '@precis/core'
import { wordFinder } from './words.ts'

/** Finds secrets where one of some words stands. */
export interface NearFinder {
  /** The words, `|` between them: lower case, at least two characters each. One of them is in, or right before, everything that is found. */
  readonly near: string
  /** @param places Of the words, in order. */
  find(text: string, places: readonly number[]): Iterable<Finding>
}

/** A rule of which every match holds one of some words: it looks around them only. */
export interface NearRule extends RedactionRule {
  /** As in `NearFinder`. */
  readonly near: string
  /** Characters of a match in front of a word, at most; and from a word on by which a match has failed or may be seen: a secret may go on beyond. */
  readonly around: readonly [before: number, after: number]
  readonly pattern: RegExp
}

/** One finder of many, in their order: one look at a text for the words of all. */
export function together(finders: readonly (NearFinder | SecretFinder)[]): SecretFinder {
  const look = wordFinder(finders.map((finder) => ('near' in finder ? finder.near.split('|') : [])))
  return {
    *find(text) {
      for (const [at, places] of look(text).entries()) {
        const finder = finders[at] as NearFinder | SecretFinder
        if (!('near' in finder)) yield* finder.find(text)
        else if (places !== undefined) yield* finder.find(text, places)
        yield
      }
    },
  }
}

/** Characters at the end of a stretch in which a match may have been cut off, or have looked ahead. */
const cutOff = 260
/** By how much a stretch grows when a match comes there. */
const growth = 20_000

export function nearRule({ tag, near, around: [before, after], pattern, accept }: NearRule): NearFinder {
  return {
    near,
    *find(text, places) {
      for (const stretch of stretches(text, places, before, after)) {
        // One character more in front is looked back at.
        const first = Math.max(0, stretch.from - 1)
        let looked = text.slice(first, stretch.to)
        pattern.lastIndex = stretch.from - first
        for (let match = pattern.exec(looked); match !== null; match = pattern.exec(looked)) {
          if (stretch.to < text.length && pattern.lastIndex > looked.length - cutOff) {
            stretch.to = Math.min(text.length, stretch.to + growth)
            looked = text.slice(first, stretch.to)
            pattern.lastIndex = match.index
            continue
          }
          const named = match.groups ?? {}
          const secret = named['secret'] ?? named['quoted'] ?? named['bare'] ?? match[0]
          if (accept?.(secret, named['quoted'] !== undefined) === false) continue
          const start = first + match.index + match[0].lastIndexOf(secret)
          yield { start, end: start + secret.length, tag }
        }
      }
    },
  }
}

/** What lies around places, those that touch as one. A stretch that was made longer is not looked at again. */
export function* stretches(text: string, places: readonly number[], before: number, after: number): Generator<{ readonly from: number; to: number }> {
  for (let at = 0; at < places.length; ) {
    const stretch = { from: Math.max(0, (places[at] as number) - before), to: 0 }
    do stretch.to = Math.min(text.length, (places[at++] as number) + after)
    while (at < places.length && (places[at] as number) - before <= stretch.to)
    yield stretch
    while (at < places.length && (places[at] as number) + after <= stretch.to) at++
  }
}
