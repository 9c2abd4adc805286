import { cutBefore } from './cut-before.ts'

/** Long work in bounded pieces: wherever it yields, somebody else may be served. Nothing but its own variables changes before its end. */
export type Pieces<T> = Generator<void, T, void>

/** Does all of the work at once. */
export function finished<T>(work: Pieces<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** A list whose items take a while each. */
export function* mapInPieces<T, U>(list: readonly T[], map: (item: T) => U): Pieces<readonly U[]> {
  const mapped: U[] = []
  for (const item of list) {
    mapped.push(map(item))
    yield
  }
  return mapped
}

/** Characters of a text that are looked at in one piece, about. */
const stretch = 1_000_000

/** A long text stretch by stretch, whole lines each: what they come to, added up or joined. Only sums go on within a line that is longer. */
export function* inStretches<T extends number | string>(text: string, none: T, each: (stretch: string) => T): Pieces<T> {
  let all = none
  for (let from = 0, to = 0; to < text.length; from = to, yield) {
    to = from + stretch
    const line = text.indexOf('\n', to) + 1 || text.length
    to = typeof none === 'string' || line < to + stretch ? line : cutBefore(text, to)
    all = (all + (each(text.slice(from, to)) as string)) as T
  }
  return all
}
