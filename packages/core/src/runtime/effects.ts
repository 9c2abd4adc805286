import { CompactionError, StorageError } from '../errors.ts'
import { orAborted } from './platform/abort.ts'
import { longestTimer } from './platform/deadline-signal.ts'
import type { Emitter } from './telemetry/emitter.ts'

/** The error for something outside of the process that did not answer within the deadline. */
function lateError(what: string, milliseconds: number): CompactionError {
  return Object.assign(new CompactionError(`The ${what} did not answer within ${milliseconds} ms (effectDeadline).`), { name: 'LateError' })
}

/** What the calls of one session wait for besides the model: storage, archive, stored outputs, embedder, queue, trace. One deadline for all of them together. */
export interface Effects {
  /** A call begins: the whole deadline is there again. @param goesOn - The same call: what was late is not asked again. */
  begin(goesOn?: boolean): void
  /** Whether this did not answer in time since the call began. */
  isLate(what: string): boolean
  /**
   * Waits for one effect as long as the deadline of the call leaves; its signal says when that is over. What comes later is nobody's any more.
   * @param share - Most of the deadline that it may take: the rest is for others.
   * @throws what the effect throws; LateError, said in the receipt and an event; the reason of `signal`.
   */
  wait<T>(what: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal, share?: number): Promise<T>
  /** The same deadline for what happens beside the calls: a tool, a stream. */
  apart(): Effects
  /** Says something in the next receipt, once. */
  note(warning: string): void
  /** What the next receipt has to say. */
  takeNotes(): readonly string[]
}

/** Names of storages whose failure was logged. Once per process: hosts may wrap a model anew for each request. */
const told = new Set<string>()

/** @param deadline - Milliseconds that one call waits for all its effects together. */
export function createEffects(deadline: number, emitter: Emitter, sessionId: string): Effects {
  let call: { left: number; late?: string; failed?: string } = { left: deadline }
  const notes = new Set<string>()
  return {
    begin(goesOn) {
      call = { ...(goesOn && call), left: deadline }
    },
    isLate: (what) => call.late === what,
    async wait(what, work, signal, share = 1) {
      const mine = call
      signal?.throwIfAborted()
      if (mine.left <= 0 || mine.late === what) {
        // It was skipped because others had used up the time, so it is not late itself.
        if (mine.late !== what) notes.add(`the ${what} was skipped: others had taken all of ${deadline} ms (effectDeadline)`)
        throw lateError(what, deadline)
      }
      const most = deadline * share
      const granted = Math.min(mine.left, most)
      const stop = new AbortController()
      const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
      const late = (): void => {
        mine.late = what
        notes.add(`the ${what} did not answer within ${most} ms (effectDeadline) and was skipped`)
        emitter.emit(sessionId, [{ event: 'compact.effect_late', severity: 'warning', attributes: { what, deadline_ms: most } }])
        stop.abort(lateError(what, most))
      }
      const started = performance.now()
      const timer = granted <= longestTimer ? setTimeout(late, granted) : undefined
      try {
        return await orAborted(work(either), either)
      } catch (error) {
        if (StorageError.isInstance(error) && !either.aborted && mine.failed !== what) {
          mine.failed = what
          // A backend may name the address that it asked, password and signature with it.
          const said = emitter.redact(error.message)
          notes.add(said)
          if (!emitter.heard && told.size < told.add(error.driver).size) globalThis.console?.warn(`[precis] ${said}`)
        }
        throw error
      } finally {
        clearTimeout(timer)
        // A timer may fire a little early: what was waited for to the end is used up.
        mine.left -= stop.signal.aborted ? granted : performance.now() - started
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
