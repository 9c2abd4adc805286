import { keySegment } from '../../state/keys.ts'
import type { Clock } from '../platform/clock.ts'
import type { OpenSession } from '../session/session.ts'

/** The conversations that a process holds: the same object for the same id while it is in use. */
export interface OpenSessions<M> {
  get(id: string): OpenSession<M> | undefined
  /** Holds a session from now on, and lets go of others where they are too many. */
  add(id: string, session: OpenSession<M>): void
  /** By the segment of a storage's key that stands for its id. */
  find(segment: string): OpenSession<M> | undefined
}

/** Sessions that a process knows by their ids, whatever they hold. */
const mostSessions = 1_000

/**
 * @param characters - Most that all sessions hold together: those used longest ago are closed, unless they are at work.
 * @param restAfter - Milliseconds after which one that is not used holds no more than its state.
 */
export function createOpenSessions<M>(characters: number, restAfter: number, clock: Clock): OpenSessions<M> {
  /** Least recently used first. */
  const open = new Map<string, OpenSession<M>>()
  const use = (id: string, session: OpenSession<M>): void => {
    open.delete(id)
    open.set(id, session)
    if (open.size > mostSessions) open.delete(open.keys().next().value as string)
    const now = clock.now()
    for (const [other, one] of open) {
      if (other === id || now - one.usedAt() < restAfter) break
      if (one.isIdle()) one.rest()
    }
    let held = 0
    for (const one of open.values()) held += one.size()
    for (const [other, one] of open) {
      if (held <= characters) return
      if (other === id || !one.isIdle() || one.size() === 0) continue
      held -= one.size()
      one.session.close()
    }
  }
  return {
    get(id) {
      const session = open.get(id)
      if (session !== undefined) use(id, session)
      return session
    },
    add: use,
    find(segment) {
      for (const [id, session] of open) if (keySegment(id) === segment) return session
      return undefined
    },
  }
}
