/** A small seeded generator (mulberry32): the same seed gives the same histories everywhere. */
export interface Random {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  /** true with this probability (0–1). */
  chance(probability: number): boolean
  /** One of them. */
  pick<T>(from: readonly T[]): T
}

/** Random numbers from a seed: the same seed gives the same numbers, everywhere. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: (from) => {
      const found = from[Math.floor(next() * from.length)]
      if (found === undefined) throw new RangeError('nothing to pick from')
      return found
    },
  }
}
