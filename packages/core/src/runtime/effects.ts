import { CompactionError } from '../errors.ts'
import { orAborted } from './platform/abort.ts'
import { longestTimer } from './platform/deadline-signal.ts'
import type { Emitter } from './telemetry/emitter.ts'

/** An effect outside of the process that did not answer while its call could wait. */
class LateError extends CompactionError {
  constructor(what: string, milliseconds: number) {
    super(`The ${what} did not answer within ${milliseconds} ms (effectDeadline).`)
    this.name = 'LateError'
  }
}

/** What the calls of one session wait for besides the model: storage, archive, stored outputs, embedder, queue, trace. Together, and not for long. */
export interface Effects {
  /** A call begins: the whole deadline is there again. */
  begin(): void
  /**
   * Waits for one effect as long as the deadline of the call leaves; its signal says when that is over. What comes later is nobody's any more.
   * @throws what the effect throws; LateError, said in the receipt and an event; the reason of `signal`.
   */
  wait<T>(what: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** The same deadline for what happens beside the calls: a tool, a stream. */
  apart(): Effects
  /** Says something in the next receipt, once. */
  note(warning: string): void
  /** What the next receipt has to say. */
  takeNotes(): readonly string[]
}

/** @param deadline - Milliseconds that one call waits for all its effects together. */
export function createEffects(deadline: number, emitter: Emitter, sessionId: string): Effects {
  let call = { left: deadline }
  const notes = new Set<string>()
  return {
    begin() {
      call = { left: deadline }
    },
    async wait(what, work, signal) {
      const mine = call
      const stop = new AbortController()
      const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
      const late = (): void => {
        notes.add(`the ${what} did not answer within ${deadline} ms (effectDeadline) and was skipped`)
        emitter.emit(sessionId, [{ event: 'compact.effect_late', severity: 'warning', attributes: { what, deadline_ms: deadline } }])
        stop.abort(new LateError(what, deadline))
      }
      signal?.throwIfAborted()
      if (mine.left <= 0) late()
      stop.signal.throwIfAborted()
      const started = performance.now()
      const timer = mine.left <= longestTimer ? setTimeout(late, mine.left) : undefined
      try {
        return await orAborted(work(either), either)
      } finally {
        clearTimeout(timer)
        // A timer may fire a little early: what was waited for to the end is used up.
        mine.left = stop.signal.aborted ? 0 : mine.left - (performance.now() - started)
      }
    },
    apart: () => createEffects(deadline, emitter, sessionId),
    note(warning) {
      notes.add(warning)
    },
    takeNotes() {
      const taken = [...notes]
      notes.clear()
      return taken
    },
  }
}
