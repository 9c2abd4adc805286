import { TamperedError } from '../../../errors.ts'
import type { SessionParts } from '../session-parts.ts'
import { rejected } from './committed.ts'

/** Says that what is stored cannot be used: what the storage threw, or where it is kept. */
export function unreadable<M>(parts: SessionParts<M>, error: unknown, aside: string | undefined): void {
  const problem = `the stored state cannot be ${TamperedError.isInstance(error) ? 'trusted' : 'read'}${aside === undefined ? '' : ' by this version'}`
  rejected(parts, problem)
  parts.effects.note(aside === undefined ? problem : `${problem}; its bytes are kept under ${aside}`)
  if (aside !== undefined) parts.emit('compact.state_set_aside', 'warning', { to: aside })
}
