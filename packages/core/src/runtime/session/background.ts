import type { BackgroundCompaction } from './session-types.ts'

/** One piece of work that goes on beside the agent; what it makes waits here until somebody takes it. */
export interface Background<Made> {
  /** Starts the work, or returns the one that is under way. `work` resolves to undefined when there is nothing to adopt. */
  start(work: (signal: AbortSignal) => Promise<Made | undefined>): BackgroundCompaction
  /** What is ready, once. */
  take(): Made | undefined
  /** The work under way, if there is any. */
  running(): BackgroundCompaction | undefined
}

export function createBackground<Made>(): Background<Made> {
  let current: { readonly handle: BackgroundCompaction; ready?: Made } | undefined
  return {
    start(work) {
      if (current !== undefined) return current.handle
      const stop = new AbortController()
      const done = work(stop.signal).then(
        (made) => {
          const wanted = made !== undefined && current === mine
          if (wanted) mine.ready = made
          else if (current === mine) current = undefined
          return wanted
        },
        () => {
          if (current === mine) current = undefined
          return false
        },
      )
      const abort = (): void => {
        stop.abort()
        if (current === mine) current = undefined
      }
      const mine: { readonly handle: BackgroundCompaction; ready?: Made } = { handle: { done, abort } }
      current = mine
      return mine.handle
    },
    take() {
      const made = current?.ready
      if (made !== undefined) current = undefined
      return made
    },
    running: () => current?.handle,
  }
}
