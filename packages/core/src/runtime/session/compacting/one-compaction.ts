import { mostConflicts } from '../committing/committed.ts'
import { takenOver } from '../committing/take-over.ts'
import type { Planned } from '../deciding/decide.ts'
import type { Held } from '../memory.ts'
import type { Read } from '../read.ts'
import { isCutEachTime } from '../reading/cut-each-time.ts'
import type { Round } from '../round.ts'
import type { SessionParts } from '../session-parts.ts'
import type { ModelCall, Prepared } from '../session-types.ts'
import { leaseTime, leasing, patience } from '../stored/leasing.ts'
import { adoptReady } from './ahead.ts'
import { compacted } from './compacted.ts'

/** One compaction: waited for, written, or taken over. @returns undefined where the request has to be looked at again. */
export async function oneCompaction<M>(
  parts: SessionParts<M>,
  held: Held<M>,
  found: Read<M>,
  planned: Planned,
  call: ModelCall,
  round: Round,
): Promise<Prepared<M> | undefined> {
  const { plan, input } = planned
  const { messages } = found
  // A summary that is being written already is waited for, not paid for twice; unless those who tried were ended before it was there.
  const running = plan.summary && !input.summaryModelAway && parts.background.running()
  const waited = running && (await (await import('./patiently.ts')).patiently(parts, 'usual', running.done, call.signal))
  if (waited && (await adoptReady(parts, held, messages))) return undefined
  const pays = parts.paid && plan.summary?.author === 'model'
  if (pays && !input.checkpoint && !round.away && isCutEachTime(parts.id, messages)) {
    round.away = 'cut'
    return undefined
  }
  const lease = pays ? await leasing(parts).take(parts.id, messages, leaseTime(parts.policy)) : undefined
  if (lease === 'in vain') {
    round.away = lease
    return undefined
  }
  if (pays && !lease && !round.away) {
    const isFree = round.conflicts < mostConflicts && (await leasing(parts).free(parts.id, messages, patience, call.signal))
    // The other process may be slow, or dead. We do not wait for it any longer: the record made by code stands in until its summary is stored.
    if (!isFree) round.away = 'elsewhere'
    round.looked = !isFree
    return undefined
  }
  // Another process may have finished after we looked and before we got the lease.
  const finished = lease && (await takenOver(parts, held.memory, messages, round.started))
  if (finished) {
    held.memory = finished
    await lease?.release()
    return undefined
  }
  const how = { started: round.started, away: round.away, yielding: round.conflicts < mostConflicts }
  return compacted(parts, held, found, planned, call, how).finally(() => lease?.release((parts.breakers.givenUp.get(parts.id)?.until ?? 0) > parts.clock.now()))
}
