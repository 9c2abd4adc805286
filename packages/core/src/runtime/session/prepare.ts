import { readForFingerprint } from '../../history/fingerprint.ts'
import { inSlices } from '../platform/slices.ts'
import { adoptReady, askAhead } from './compacting/ahead.ts'
import { handOut, warningsOf } from './compacting/hand-out.ts'
import { decide, type Planned } from './deciding/decide.ts'
import { type Request, servedBy } from './measuring/measure.ts'
import type { Held } from './memory.ts'
import { type Read, readInPieces } from './read.ts'
import type { Round } from './round.ts'
import type { SessionParts } from './session-parts.ts'
import type { ModelCall, Prepared } from './session-types.ts'

/** Share (0–1) of the usable window. Once this much is used, what a compaction will need is read ahead, between two calls. */
const near = 0.4

/** The way of one request: read → measure → decide → carry out → commit → hand out. Where another process was faster, it is decided again on what that has stored. */
export async function prepare<M>(parts: SessionParts<M>, held: Held<M>, history: readonly M[], call: ModelCall, request: Request = {}): Promise<Prepared<M>> {
  call.signal?.throwIfAborted()
  parts.reading.stop()
  const started = parts.clock.now()
  const found = await inSlices(readInPieces(parts, history), call.signal)
  const { messages } = found
  // Fingerprints are needed only where something is stored that may apply to this history.
  const { checkpoints, forgotten } = held.memory.state
  if (checkpoints.length > 0 || forgotten) await inSlices(readForFingerprint(messages), call.signal)
  await adoptReady(parts, held, messages)
  // Something newer is stored; or a record of ours stands in for a summary that another process may have written by now.
  if (parts.store.outdated() || held.memory.unstored?.until) await (await import('./committing/take-news.ts')).takeNews(parts, held, messages, call, started)
  const round: Round = { started, conflicts: 0, looked: false }
  for (; ; round.conflicts++) {
    // An earlier call asked for a compaction (`schedule`, a tool), which has not been done yet.
    const { state } = held.memory
    const waits = request.asked === undefined && state.pending !== undefined
    const asked = waits ? { ...request, ...(await import('./committing/pending.ts')).requestFor(state, messages) } : request
    const planned = await decide(parts, held.memory, messages, call, round.away ? { ...asked, summaryModelAway: true } : asked)
    const { plan, input } = planned
    const { action, culprit } = plan.decision
    if (
      state.checkpoints[0] &&
      !input.checkpoint &&
      (await (await import('./committing/found-again.ts')).foundAgain(parts, held, messages, plan.summary !== undefined, round))
    )
      continue
    if (parts.emitter.heard) parts.emitter.emit(parts.id, (await import('../telemetry/decision-events.ts')).decisionEvents(plan, input))
    if (culprit) return (await import('./smallest.ts')).smallest(held, planned, (ceiling) => prepare(parts, held, history, call, { ...request, ceiling }))
    // Another process may have written the summary already: looking for it costs less than writing one.
    const ahead = parts.policy.trigger.background && plan.decision.reason === 'soft' && !parts.background.running()
    // Before the archive takes a transcript too: the host will not hand over this history again.
    const records = call.replaces && parts.archive && input.checkpoint
    if ((plan.summary || ahead || records) && !round.looked) {
      round.looked = true
      const news = await (await import('./committing/take-over.ts')).takenOver(parts, held.memory, messages, started)
      if (news) {
        held.memory = news
        continue
      }
    }
    if (action === 'none') return nothingToDo(parts, held, found, planned, call, started)
    const prepared = await (await import('./compacting/one-compaction.ts')).oneCompaction(parts, held, found, planned, call, round)
    if (prepared) return prepared
  }
}

async function nothingToDo<M>(parts: SessionParts<M>, held: Held<M>, found: Read<M>, planned: Planned, call: ModelCall, started: number): Promise<Prepared<M>> {
  const { plan, input } = planned
  // A compaction that was asked for counts as done, as there is nothing to do.
  if (held.memory.state.pending) await (await import('./committing/pending.ts')).setPending(parts, held)
  if (call.replaces && input.checkpoint) await (await import('./compacting/carry-out.ts')).archived(parts, held.memory, found, call)
  const outcome = input.checkpoint ? 'projected' : 'unchanged'
  const warnings = await warningsOf(planned, held.memory)
  const { memory, prepared } = handOut(parts, held.memory, found, planned, { outcome, warnings, started }, servedBy(call))
  held.memory = memory
  const { used, usable } = plan.decision
  if (usable !== null && used >= usable * near) parts.reading.go(found.messages, parts.redaction.redacted())
  if (plan.decision.reason === 'soft' && parts.policy.trigger.background) await askAhead(parts, held, found.given, call)
  return prepared
}
