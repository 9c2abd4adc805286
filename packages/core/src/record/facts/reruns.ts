/** What was done again since, as far as it was read: from the newest call on. */
export interface Reruns {
  /** Something was done: each of the commands that it joins. */
  add(done: string): void
  /** Whether all of it was done since, filtered or not. */
  has(done: string): boolean
}

/** What is shown of an output. */
export const filter: RegExp = / {0,3}\| *\w*grep [^;&]*$/

export function createReruns(): Reruns {
  const seen = new Set<string>()
  const parts = (done: string): readonly string[] => done.split(/&&|;/).map((part) => part.trim())
  const hasAll = (done: string): boolean => parts(done).every((part) => seen.has(part))
  return {
    add(done) {
      for (const part of parts(done)) seen.add(part)
    },
    has: (done) => hasAll(done) || hasAll(done.replace(filter, '')),
  }
}
