/** Long work in bounded pieces: wherever it yields, somebody else may be served. Nothing but its own variables changes before its end. */
export type Pieces<T> = Generator<void, T, void>

/** Does all of the work at once. */
export function finished<T>(work: Pieces<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
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
