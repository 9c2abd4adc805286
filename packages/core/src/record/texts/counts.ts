/** In how many of these lists each stands. */
export function countsOf(lists: Iterable<Iterable<string>>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const list of lists) for (const one of new Set(list)) counts.set(one, (counts.get(one) ?? 0) + 1)
  return counts
}
