interface Memo<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** What is known for a key, or found out now. `undefined` is not remembered. */
export function memoized<K, V>(known: Memo<K, V>, key: K, findOut: () => V): V {
  const before = known.get(key)
  if (before !== undefined) return before
  const found = findOut()
  known.set(key, found)
  return found
}

const none: readonly never[] = []

/** A list to remember: without the room in which it grew, and one for all that are empty. */
export function toKeep<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : list.slice()
}
