import { InsufficientBudgetError } from '../../errors.ts'
import { fingerprint } from '../../history/fingerprint.ts'
import type { Message } from '../../history/message.ts'
import { levels } from '../../plan/trigger.ts'
import { newestValid } from '../../state/checkpoint.ts'
import { withPending } from '../../state/state.ts'
import { orAborted } from '../abort.ts'
import { eventsOf } from '../telemetry/events.ts'
import { traceOf } from '../telemetry/trace.ts'
import { askAhead } from './ahead.ts'
import { archived, carryOut } from './carry-out.ts'
import { commit, rejected, takenOver } from './commit.ts'
import { decide, type Planned } from './decide.ts'
import { handOut } from './hand-out.ts'
import { leaseTime } from './lease.ts'
import { inputOf, queuedRequest, type Request } from './measure.ts'
import { type Held, withState } from './memory.ts'
import type { SessionParts } from './parts.ts'
import { type Read, read } from './read.ts'
import type { ModelCall, Prepared } from './session-types.ts'

/** Other processes that may be faster, one after another, before what was written here is kept whatever they did. */
const mostConflicts = 3

/** One request on its way: read → measure → decide → carry out → commit → hand out, and round again where another process was faster. */
export async function prepare<M>(parts: SessionParts<M>, held: Held<M>, history: readonly M[], call: ModelCall, request: Request = {}): Promise<Prepared<M>> {
  call.signal?.throwIfAborted()
  const started = parts.clock.now()
  const found = read(parts, history)
  const { messages } = found
  await adopt(parts, held, messages)
  let looked = false
  for (let conflicts = 0; ; conflicts++) {
    const planned = await decide(parts, held.memory, messages, call, request.asked === undefined ? queuedRequest(held.memory.state) : request)
    const { plan } = planned
    announce(parts, planned)
    if (plan.decision.action === 'infeasible' && plan.decision.culprit !== undefined) throw new InsufficientBudgetError(plan.decision.culprit)
    // Another process may have written the summary already: to look costs less than to write.
    const ahead = parts.queue !== undefined && plan.decision.reason === 'soft'
    if ((plan.summary !== undefined || ahead) && !looked) {
      looked = true
      const taken = await takenOver(parts, held.memory)
      if (taken !== undefined) {
        held.memory = taken
        continue
      }
    }
    if (plan.decision.action === 'none') return nothingToDo(parts, held, found, planned, call, started)
    // A summary that is being written already is waited for rather than paid for twice.
    const running = plan.summary === undefined ? undefined : parts.background.running()
    if (running !== undefined && (await orAborted(running.done, call.signal)) && (await adopt(parts, held, messages))) continue
    const shared = parts.queue !== undefined && plan.summary !== undefined
    const lease = shared ? await parts.leases.take(parts.id, leaseTime(parts.policy)) : undefined
    if (shared && lease === undefined && conflicts < mostConflicts) {
      await parts.leases.free(parts.id, leaseTime(parts.policy), call.signal)
      looked = false
      continue
    }
    const prepared = await compacted(parts, held, found, planned, call, { started, yielding: conflicts < mostConflicts }).finally(() => lease?.release())
    if (prepared !== undefined) return prepared
  }
}

function announce<M>(parts: SessionParts<M>, { plan, input }: Planned): void {
  const { usable } = plan.decision
  const hard = usable === null ? 0 : levels(parts.policy.trigger, usable).hard
  parts.emitter.emit(parts.id, eventsOf(plan, { hard, model: input.model ?? '', window: input.limits?.contextWindow ?? 0 }))
}

async function nothingToDo<M>(parts: SessionParts<M>, held: Held<M>, found: Read<M>, planned: Planned, call: ModelCall, started: number): Promise<Prepared<M>> {
  const { plan, input } = planned
  // A request that asked for nothing that could be done is answered too.
  if (held.memory.state.pending !== undefined) {
    held.memory = withState(held.memory, withPending(held.memory.state, undefined))
    await parts.store.save(held.memory.state)
  }
  if (call.replaces === true && input.checkpoint !== undefined) await archived(parts, found, call)
  const outcome = input.checkpoint === undefined ? 'unchanged' : 'projected'
  const { memory, prepared } = handOut(parts, held.memory, found, planned, { outcome, warnings: plan.warnings, started })
  held.memory = memory
  if (plan.decision.reason === 'soft' && parts.policy.trigger.background) askAhead(parts, held, found.given, call)
  return prepared
}

/** @returns undefined when another process was faster, and its state is the memory now. */
function compacted<M>(
  parts: SessionParts<M>,
  held: Held<M>,
  found: Read<M>,
  planned: Planned,
  call: ModelCall,
  { started, yielding }: { readonly started: number; readonly yielding: boolean },
): Promise<Prepared<M> | undefined> {
  const { plan, input } = planned
  return parts.trace(traceOf(plan, found.messages), async (done) => {
    const { step, recorded } = await carryOut(parts, held.memory, found, planned, call)
    const { memory, kept } = await commit(parts, held.memory, step, yielding)
    held.memory = memory
    if (kept === 'conflict') return undefined
    const warnings = [
      ...plan.warnings,
      ...step.warnings,
      ...(kept === 'saved' ? [] : ['the checkpoint could not be stored; it holds in this process only']),
      ...(recorded ? [] : ['the transcript could not be archived; the history itself is untouched']),
    ]
    const after = { plan, input: inputOf(parts, memory, found.messages, call, { stored: input.stored === true }) }
    const handed = handOut(parts, memory, found, after, { outcome: step.outcome, warnings, started, step })
    held.memory = handed.memory
    const { messages, report } = handed.prepared
    const { outcome, tokens, spent } = report
    done({ outcome, tokens_after: tokens.after, messages_after: messages.length, summary_prompt: spent.prompt, summary_reply: spent.reply })
    return handed.prepared
  })
}

/** Takes over what was prepared in the background, if the history that it covers and the checkpoint that it follows are still the same. */
async function adopt<M>(parts: SessionParts<M>, held: Held<M>, messages: readonly Message[]): Promise<boolean> {
  const step = parts.background.take()
  if (step === undefined) return false
  const { covered, fingerprint: mark, parent } = step.checkpoint
  const same = covered <= messages.length && mark === fingerprint(messages, covered)
  if (!same || newestValid(held.memory.state.checkpoints, messages)?.id !== parent) {
    rejected(parts, 'the history changed while the summary was written')
    return false
  }
  const { memory, kept } = await commit(parts, held.memory, step, true)
  held.memory = memory
  return kept !== 'conflict'
}
