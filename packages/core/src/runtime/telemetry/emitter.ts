import type { Redactor } from '../../privacy/redactor.ts'
import type { Clock } from '../platform/clock.ts'
import { isWorker } from '../platform/workers.ts'
import type { Lane } from './ended.ts'
import { type CompactionEvent, type EventDraft, exportable } from './events.ts'
import type { Exporter } from './exporter.ts'
import { settled } from './settled.ts'

/** Hands events to exporters, each in its own queue: one that throws, blocks or lags disturbs neither the agent nor the others. */
export interface Emitter {
  /** Whether there is any exporter. */
  readonly heard: boolean
  /** What may be told of a text outside of the process. */
  readonly redact: Redactor
  emit(sessionId: string, drafts: readonly EventDraft[]): void
  /** Resolves when all that was emitted is exported, or after `timeout` milliseconds (default 5,000). */
  flush(timeout?: number): Promise<void>
  /** Lets each exporter close, which flushes it, in the same time. Later events are ignored. */
  shutdown(timeout?: number): Promise<void>
}

/** What stands in the place of a text that could not be redacted. */
export const withheld = '[withheld]'

const { freeze } = Object

/** Events that may wait for one exporter; beyond that the oldest go. */
const longestQueue = 10_000

/**
 * Stamps events and hands them to exporters, in order and in batches; of those that wait for one exporter, the newest 10,000 are kept. What an exporter throws never reaches the caller.
 *
 * @param given Applied to the names and reasons in events. Where it fails, they stay here.
 */
export function createEmitter(exporters: readonly Exporter[], clock: Clock, given: Redactor = String): Emitter {
  const redact: Redactor = (text) => {
    try {
      return given(text)
    } catch {
      return withheld
    }
  }
  const lanes = exporters.map(createLane)
  let open = true
  const ended = async (end: (exporter: Exporter) => unknown, timeout?: number): Promise<void> =>
    (await import('./ended.ts')).ended(exporters, lanes, end, timeout)
  return {
    heard: lanes.length > 0,
    redact,
    emit(sessionId, drafts) {
      if (!open || lanes.length === 0 || drafts.length === 0) return
      const ts = new Date(clock.now()).toISOString()
      // All exporters are handed the same: one that writes into it would change what the others export.
      const stamped = (session_id: string): readonly CompactionEvent[] =>
        freeze(drafts.map((draft) => freeze({ ...draft, attributes: freeze(exportable(draft.attributes, redact)), ts, session_id })))
      const events = stamped(redact(sessionId))
      const named = events[0]?.session_id === sessionId ? events : stamped(sessionId)
      exporters.forEach((exporter, at) => {
        const own = exporter.keepsIds ? named : events
        void settled(() => exporter.observe?.(own))
        lanes[at]?.push(own)
      })
    },
    flush: (timeout) => ended((exporter) => exporter.flush?.(), timeout),
    shutdown: (timeout) =>
      ended((exporter) => {
        open = false
        return (exporter.shutdown ?? exporter.flush)?.call(exporter)
      }, timeout),
  }
}

function createLane(exporter: Exporter): Lane {
  const queue: CompactionEvent[] = []
  let dropped = 0
  let isSending = false
  let last = Promise.resolve()
  const drain = async (): Promise<void> => {
    while (queue[0]) {
      // An exporter that lagged is told how many events it will never see.
      if (dropped > 0) queue.unshift({ ...queue[0], event: 'compact.events_dropped', severity: 'warning', session_id: '', attributes: { count: dropped } })
      const batch = queue.splice(0)
      dropped = 0
      // In a Worker each request sends its own: what another has begun may be gone with it.
      isSending = !isWorker
      await settled(() => exporter.export(batch))
    }
    isSending = false
  }
  return {
    push(events) {
      queue.push(...events)
      dropped += queue.splice(0, Math.max(0, queue.length - longestQueue)).length
      if (isSending) return
      isSending = true
      last = Promise.resolve().then(drain)
    },
    idle: () => last,
  }
}
