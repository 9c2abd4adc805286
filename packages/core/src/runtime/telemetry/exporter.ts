import type { CompactionEvent } from './events.ts'

/** Takes events out of the process. A failing exporter is reported once and never disturbs the agent. */
export interface Exporter {
  readonly name: string
  /** Writes under the session's own id, on this machine or behind a redaction of its own: it is told the id as it is. */
  readonly keepsIds?: boolean
  /** Takes a batch, in order. The next one comes when this is done; in Cloudflare Workers, with the next events, as a batch may be gone with its request. Events are frozen, as all exporters are handed the same: copy what you change. */
  export(events: readonly CompactionEvent[]): void | Promise<void>
  /** Called at once, where the event happens, so that it can be tied to what is active there. Must not block; `export` follows with the same objects. */
  observe?(events: readonly CompactionEvent[]): void
  /** Resolves when everything that was handed over is out. */
  flush?(): Promise<void>
  /** As `flush`, and for the last time. */
  shutdown?(): Promise<void>
}
