import { begunOtherwise } from '../../state/begun-otherwise.ts'
import { adoptReady } from './ahead.ts'
import { mostConflicts } from './committed.ts'
import { compacted } from './compacted.ts'
import type { Planned } from './decide.ts'
import { leaseTime, patience } from './lease.ts'
import { type Held, type Memory, withState } from './memory.ts'
import type { Read } from './read.ts'
import type { SessionParts } from './session-parts.ts'
import type { ModelCall, Prepared } from './session-types.ts'

/** Where a request stands that may have to go round again. */
export interface Round {
  readonly started: number
  conflicts: number
  /** Whether it was looked for what another process has written. */
  looked: boolean
  /** Whether a checkpoint was looked for that applies but for the first message. */
  rebegun?: boolean
  /** Why no model is asked: another process is writing the summary, or whoever tried was ended before it was there. */
  away?: 'elsewhere' | 'in vain'
}

/** One compaction: waited for, written, or taken over. @returns undefined where the request has to be looked at again. */
export async function oneCompaction<M>(
  parts: SessionParts<M>,
  held: Held<M>,
  found: Read<M>,
  planned: Planned,
  call: ModelCall,
  round: Round,
  taken: () => Promise<Memory<M> | undefined>,
): Promise<Prepared<M> | undefined> {
  const { plan, input } = planned
  const { messages } = found
  const { checkpoints, forgotten } = held.memory.state
  if (plan.summary !== undefined && input.checkpoint === undefined && !forgotten && !round.rebegun) {
    // Once: what it covers may be too little for this call.
    round.rebegun = true
    const again = begunOtherwise(checkpoints, messages, parts.redaction.withhold)
    if (again !== undefined) {
      held.memory = withState(held.memory, { ...held.memory.state, checkpoints: checkpoints.map((one) => (one.id === again.id ? again : one)) })
      return undefined
    }
  }
  // A summary that is being written already is waited for rather than paid for twice, unless it was in vain before.
  const running = plan.summary && !input.summaryModelAway && parts.background.running()
  const waited = running && (await (await import('./patiently.ts')).patiently(parts, 'usual', running.done, call.signal))
  if (waited && (await adoptReady(parts, held, messages))) return undefined
  const pays = parts.paid && plan.summary?.author === 'model'
  const lease = pays ? await parts.leases.take(parts.id, messages, leaseTime(parts.policy)) : undefined
  if (lease === 'in vain') {
    round.away = lease
    return undefined
  }
  if (pays && lease === undefined && round.away === undefined) {
    const isFree = round.conflicts < mostConflicts && (await parts.leases.free(parts.id, messages, patience, call.signal))
    // Whoever writes it may be slow, or dead: the record made by code speaks until it is there.
    if (!isFree) round.away = 'elsewhere'
    round.looked = !isFree
    return undefined
  }
  // Between the look and the lease somebody may have finished.
  const finished = lease && (await taken())
  if (finished) {
    held.memory = finished
    await lease?.release()
    return undefined
  }
  const how = { started: round.started, elsewhere: round.away === 'elsewhere', yielding: round.conflicts < mostConflicts }
  return compacted(parts, held, found, planned, call, how).finally(() => lease?.release((parts.breakers.givenUp.get(parts.id)?.until ?? 0) > parts.clock.now()))
}
