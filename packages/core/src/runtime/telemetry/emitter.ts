import type { Redactor } from '../../privacy/redactor.ts'
import type { Clock } from '../platform/clock.ts'
import { type CompactionEvent, type EventDraft, exportable } from './events.ts'
import type { Exporter } from './exporter.ts'

/** Hands events to exporters, each in its own queue: one that throws, blocks or lags disturbs neither the agent nor the others. */
export interface Emitter {
  emit(sessionId: string, drafts: readonly EventDraft[]): void
  /** Resolves when all that was emitted is exported, or after `timeout` milliseconds (default 5,000). */
  flush(timeout?: number): Promise<void>
  /** Lets each exporter close, which flushes it. Later events are ignored. */
  shutdown(timeout?: number): Promise<void>
}

/** Events that may wait for one exporter; beyond that the oldest go. */
const longestQueue = 10_000

/**
 * Stamps events and hands them to exporters, in order and in batches; of those that wait for one exporter, the newest 10,000 are kept. What an exporter throws never reaches the caller.
 *
 * @param given Applied to the names and reasons in events. Where it fails, they stay here.
 */
export function createEmitter(exporters: readonly Exporter[], clock: Clock, given: Redactor = (text) => text): Emitter {
  const redact: Redactor = (text) => {
    try {
      return given(text)
    } catch {
      return '[withheld]'
    }
  }
  const lanes = exporters.map(createLane)
  let open = true
  return {
    emit(sessionId, drafts) {
      if (!open || lanes.length === 0 || drafts.length === 0) return
      const ts = new Date(clock.now()).toISOString()
      const stamped = (session_id: string): readonly CompactionEvent[] =>
        drafts.map((draft): CompactionEvent => ({ ...draft, attributes: exportable(draft.attributes, redact), ts, session_id }))
      const events = stamped(redact(sessionId))
      const named = events[0]?.session_id === sessionId ? events : stamped(sessionId)
      exporters.forEach((exporter, at) => {
        const own = exporter.keepsIds === true ? named : events
        observed(exporter, own)
        lanes[at]?.push(own)
      })
    },
    async flush(timeout = 5_000) {
      await within(timeout, Promise.all(lanes.map((lane) => lane.idle())))
      await within(timeout, Promise.all(exporters.map((exporter) => settled(() => exporter.flush?.()))))
    },
    async shutdown(timeout = 5_000) {
      await within(timeout, Promise.all(lanes.map((lane) => lane.idle())))
      open = false
      await within(timeout, Promise.all(exporters.map((exporter) => settled(() => (exporter.shutdown ? exporter.shutdown() : exporter.flush?.())))))
    },
  }
}

interface Lane {
  push(events: readonly CompactionEvent[]): void
  idle(): Promise<void>
}

function createLane(exporter: Exporter): Lane {
  let queue: CompactionEvent[] = []
  let dropped = 0
  let running: Promise<void> | undefined
  const drain = async (): Promise<void> => {
    while (queue.length > 0) {
      const lost: readonly CompactionEvent[] = dropped === 0 ? [] : [droppedEvent(dropped, queue[0] as CompactionEvent)]
      const batch = [...lost, ...queue]
      queue = []
      dropped = 0
      await settled(() => exporter.export(batch))
    }
    running = undefined
  }
  return {
    push(events) {
      queue.push(...events)
      dropped += Math.max(0, queue.length - longestQueue)
      if (queue.length > longestQueue) queue = queue.slice(-longestQueue)
      running ??= Promise.resolve().then(drain)
    },
    idle: () => running ?? Promise.resolve(),
  }
}

/** Tells an exporter that lagged how many events it will never see. */
function droppedEvent(count: number, next: CompactionEvent): CompactionEvent {
  return { event: 'compact.events_dropped', severity: 'warning', ts: next.ts, session_id: '', attributes: { count } }
}

function observed(exporter: Exporter, events: readonly CompactionEvent[]): void {
  try {
    exporter.observe?.(events)
  } catch {
    // As below: its failure is its own.
  }
}

/** An exporter's failure is its own: it must not become the agent's. */
async function settled(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch {
    // Reported by the exporter itself, where anybody listens; events carry no way back.
  }
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, limit])
  clearTimeout(timer)
}
