import type { MessageCodec } from '../../history/codec.ts'
import { sumOf } from '../../history/sum-of.ts'
import type { Clock } from '../platform/clock.ts'
import { isWorker } from '../platform/workers.ts'
import type { OpenSession } from '../session/session.ts'
import { likeness, type Sketch, sketchOf } from './beginning.ts'

/** The conversations that a process holds: the same object for the same one while it is in use. */
export interface OpenSessions<M> {
  /** The one with this id that begins most like this history, and of several the one that was used last. */
  get(id: string, history?: readonly M[]): OpenSession<M> | undefined
  /** Holds a session from now on, and lets go of others where they are too many. */
  add(id: string, session: OpenSession<M>, history?: readonly M[]): void
  /** All of them, and what each is known by. */
  readonly all: ReadonlyMap<OpenSession<M>, Known>
}

/** Sessions that a process knows by their ids, whatever they hold. */
const mostSessions = 1_000

/** Conversations that begin alike have one id. */
interface Known {
  readonly id: string
  readonly sketch: Sketch | undefined
}

/**
 * @param characters - Most that all sessions hold together: those used longest ago are closed, unless they are at work: in a Worker that may never end.
 * @param restAfter - Milliseconds after which one that is not used holds no more than its state.
 */
export function createOpenSessions<M>(codec: MessageCodec<M>, characters: number, restAfter: number, clock: Clock): OpenSessions<M> {
  /** Least recently used first. */
  const open = new Map<OpenSession<M>, Known>()
  const use = (id: string, session: OpenSession<M>, sketch = open.get(session)?.sketch): void => {
    open.delete(session)
    open.set(session, { id, sketch })
    // Hosts keep a session and call it without asking for it again.
    if (open.size > mostSessions)
      open.delete([...open.keys()].reduce((last, one) => (one.isIdle() && one !== session && one.usedAt() < last.usedAt() ? one : last)))
    const now = clock.now()
    for (const one of open.keys()) {
      if (one === session || now - one.usedAt() < restAfter) break
      if (one.isIdle()) one.rest()
      // It waits for what is gone with its request.
      else if (isWorker) open.delete(one)
    }
    let held = sumOf(open.keys(), (one) => one.size())
    for (const one of open.keys()) {
      if (held <= characters) return
      // What is gone with a request of a Worker is at work for ever.
      if (one === session || !(isWorker || one.isIdle()) || one.size() === 0) continue
      held -= one.size()
      one.session.close()
    }
  }
  return {
    get(id, history) {
      const sketch = history && sketchOf(history, codec)
      let found: OpenSession<M> | undefined
      let most = 1
      for (const [one, known] of open) {
        const isBusy = !one.isIdle()
        // One that is at work for a conversation with other words would keep this one waiting; one of another request of a Worker, for ever: this is as another process then.
        const alike = known.id !== id || (isWorker && isBusy) ? 0 : likeness(known.sketch, sketch, isBusy)
        if (alike < most) continue
        most = alike
        found = one
      }
      if (found) use(id, found, sketch)
      return found
    },
    add: (id, session, history) => use(id, session, history && sketchOf(history, codec)),
    all: open,
  }
}
