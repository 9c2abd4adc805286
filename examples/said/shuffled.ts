import type { Random } from '@precis/testkit'

/** The same in another order (Fisher–Yates). */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const mixed = [...items]
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = random.between(0, at)
    const [a, b] = [mixed[at] as T, mixed[other] as T]
    mixed[at] = b
    mixed[other] = a
  }
  return mixed
}
