import type { Message } from '../../../history/message.ts'
import type { BackgroundCompaction } from '../session-types.ts'
import type { Lease } from '../stored/leasing.ts'
import type { Step } from './execute.ts'

/** A summary that nobody has adopted yet, the history that it was made of, and the right to store it. */
export interface MadeAhead {
  readonly step: Step
  readonly messages: readonly Message[]
  readonly lease: Lease
}

/** One piece of work that goes on beside the agent; what it makes waits here until somebody takes it. */
export interface Background {
  /** Starts the work, or returns the one that is under way. `work` resolves to undefined when there is nothing to adopt; `ready` is called when there is. */
  start(work: (signal: AbortSignal) => Promise<MadeAhead | undefined>, ready: () => void): BackgroundCompaction
  /** What is ready, once. */
  take(): MadeAhead | undefined
  /** The work under way, if there is any. */
  running(): BackgroundCompaction | undefined
}

export function createBackground(): Background {
  let current: { readonly handle: BackgroundCompaction; ready?: MadeAhead } | undefined
  return {
    start(work, ready) {
      if (current !== undefined) return current.handle
      const stop = new AbortController()
      const done = work(stop.signal).then(
        (made) => {
          const wanted = made !== undefined && current === mine
          if (wanted) {
            mine.ready = made
            ready()
          } else forget(made)
          return wanted
        },
        () => {
          forget(undefined)
          return false
        },
      )
      const forget = (made: MadeAhead | undefined): void => {
        void made?.lease.release() // nobody will take it
        if (current === mine) current = undefined
      }
      const abort = (): void => {
        if (current === mine) forget(mine.ready)
        try {
          stop.abort()
        } catch {} // of another request of a Worker, with which it is gone
      }
      const mine: { readonly handle: BackgroundCompaction; ready?: MadeAhead } = { handle: { done, abort } }
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
