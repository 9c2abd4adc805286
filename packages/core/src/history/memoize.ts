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
