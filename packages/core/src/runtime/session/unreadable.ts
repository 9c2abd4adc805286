import { rejected } from './committed.ts'
import type { SessionParts } from './session-parts.ts'

/** Says that what is stored cannot be used, and where it is kept. */
export function unreadable<M>(parts: SessionParts<M>, problem: string, aside: string | undefined): void {
  rejected(parts, problem)
  parts.effects.note(aside === undefined ? problem : `${problem}; its bytes are kept under ${aside}`)
  if (aside !== undefined) parts.emit('compact.state_set_aside', 'warning', { to: aside })
}
