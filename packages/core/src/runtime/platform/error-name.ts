/** The name of what was thrown: its message may hold words of the conversation. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
