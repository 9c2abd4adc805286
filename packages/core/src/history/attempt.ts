/** What some work gives; where it throws, something else. For what others made: texts that may be no JSON, objects whose fields throw when they are read. */
export function attempt<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch {
    return otherwise
  }
}
