/** What was done again since, as far as it was read: from the newest call on. */
export interface Reruns {
  /** Something was done: each of the commands that it joins. */
  add(done: string): void
  /** Whether all of it was done since. */
  has(done: string): boolean
}

export function createReruns(): Reruns {
  const seen = new Set<string>()
  const parts = (done: string): readonly string[] => done.split(/\s*(?:&&|;)\s*/)
  return {
    add(done) {
      for (const part of parts(done)) seen.add(part)
    },
    has: (done) => parts(done).every((part) => seen.has(part)),
  }
}
