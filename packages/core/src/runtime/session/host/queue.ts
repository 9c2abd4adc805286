import type { Tokens } from '../../../history/message.ts'

/** Compactions ahead of need as jobs of an engine that several processes share, such as `@precis/queue-bullmq`. Default: the process itself does them. */
export interface BackgroundQueue {
  readonly name: string
  /** Asks for a job. While one for the same session is waiting, nothing more happens. Must not wait for the work itself. */
  enqueue(job: BackgroundJob): Promise<void>
}

/** What a worker needs to know, as JSON; the history it loads itself, and hands both to `session.compactAhead`. */
export interface BackgroundJob {
  readonly session: string
  readonly call: {
    readonly model?: string
    /** A hash of where it is served. */
    readonly endpoint?: string
    readonly maxOutput?: Tokens
    readonly overhead?: { readonly system?: Tokens; readonly tools?: Tokens; readonly memory?: Tokens }
  }
}
