/** What the items come to: the values of all of them, added up. Numbers need no function. */
export function sumOf<T>(items: Iterable<T>, each: (item: T) => number = Number): number {
  let sum = 0
  for (const item of items) sum += each(item)
  return sum
}
