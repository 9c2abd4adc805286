import { pause } from '../platform/pause.ts'
import type { OpenSession } from '../session/session.ts'

/** Milliseconds that the end of a process waits for leases to be given back. */
const patience = 2_000

/** Ends what goes on beside the calls of all sessions: no summary is paid for to the end, and whoever needs it next waits for no lease of ours. */
export async function stopWork<M>(sessions: Iterable<OpenSession<M>>): Promise<void> {
  const done = new AbortController()
  const stopped = Promise.all(Array.from(sessions, (one) => one.stop())).finally(() => done.abort())
  // A timer that is left behind would keep the process.
  await Promise.race([stopped, pause(patience, done.signal)])
}
