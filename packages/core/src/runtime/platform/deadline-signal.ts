/** Milliseconds that a timer can be set to; what is longer has no end. */
export const longestTimer: number = 2 ** 31 - 1

/** Aborted after so many milliseconds; `Infinity`: never. */
export function deadlineSignal(milliseconds: number): AbortSignal {
  return milliseconds <= longestTimer ? AbortSignal.timeout(Math.max(0, Math.ceil(milliseconds))) : new AbortController().signal
}
