import { calibrate, calibrateByRatio, noteAccepted } from '../../budget/calibrate.ts'
import { createTokenMemo } from '../../budget/estimate.ts'
import { type ModelLimits, replyReserve } from '../../budget/limits.ts'
import { classifyError } from '../../budget/overflow.ts'
import { answerRefusal, type Overflow } from '../../budget/refusal.ts'
import { promptTokens } from '../../budget/usage.ts'
import { CompactionError, InsufficientBudgetError } from '../../errors.ts'
import { fingerprint } from '../../history/fingerprint.ts'
import type { Message, Tokens } from '../../history/message.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { type PlanInput, usableOf } from '../../plan/context.ts'
import { layersOf } from '../../plan/layers.ts'
import { type CompactionPlan, paysOff, planCompaction } from '../../plan/plan.ts'
import type { CompactionReport } from '../../plan/report.ts'
import { measureContext } from '../../plan/shorten.ts'
import { levels } from '../../plan/trigger.ts'
import { newestValid } from '../../state/checkpoint.ts'
import {
  type CompactionState,
  initialState,
  type PendingCompaction,
  withCheckpoint,
  withFailure,
  withoutAnchor,
  withoutCheckpoint,
  withPending,
} from '../../state/state.ts'
import { renderHandoff } from '../../summary/render.ts'
import { orAborted } from '../abort.ts'
import { type EventDraft, eventsOf } from '../telemetry/events.ts'
import { traceOf } from '../telemetry/trace.ts'
import { createBackground } from './background.ts'
import { executePlan, type Step } from './execute.ts'
import { handoffSummary } from './handoff.ts'
import { createHistoryReader } from './history-reader.ts'
import { createLeases } from './lease.ts'
import { createOutputKeeper } from './output-keeper.ts'
import type { CompactorParts } from './parts.ts'
import type { BackgroundJob } from './queue.ts'
import { finishedEvent, reportOf } from './receipt.ts'
import { relatedTo } from './related.ts'
import { createRenderer } from './renderer.ts'
import type { BackgroundCompaction, CompactionSession, ModelCall, Prepared } from './session-types.ts'
import { createStateStore } from './state-store.ts'
import { compactContextTool } from './tools.ts'

interface Sent<M> {
  readonly length: number
  readonly checkpoint: string | null
  readonly model: string | null
  readonly estimate: Tokens
  readonly total: Tokens
  readonly context: readonly M[]
  readonly at: number
}

/** A history as one call found it: what the caller gave, the full history behind it, and the reading of that. */
interface Read<M> {
  readonly given: readonly M[]
  readonly source: readonly M[]
  readonly messages: readonly Message[]
}

/** What is asked of a plan, and what a refusal leaves it. */
type Request = Pick<PlanInput, 'asked' | 'focus' | 'ceiling'>

interface Planned {
  readonly plan: CompactionPlan
  readonly input: PlanInput
}

const mostConflicts = 3

/**
 * One conversation. Calls are served one after another, so that a session never pays for two summaries at once.
 *
 * @param known - The state that the caller remembers, as JSON, for a storage that has none.
 */
export function createSession<M>(id: string, parts: CompactorParts<M>, known?: string): CompactionSession<M> {
  const { codec, policy, estimator, clock, archive, outputs, effects } = parts
  const store = createStateStore(parts.storage, id, known)
  const reader = createHistoryReader(codec)
  const tokens = createTokenMemo(estimator, policy.trigger.media)
  const keeper = outputs === undefined ? undefined : createOutputKeeper(outputs, parts.redact)
  const redaction = { redact: parts.redact, ...omitUndefined({ personal: parts.personal }) }
  const background = createBackground<Step>()
  const leases = createLeases(parts.storage, clock, effects)
  /** How long one summary may take in all, until it counts as abandoned. */
  const leaseTime = policy.summary.deadline + 30_000
  let state = initialState
  let loading: Promise<void> | undefined
  let queue: Promise<unknown> = Promise.resolve()
  const render = createRenderer(codec, policy.summary)
  let last: Sent<M> | undefined
  /** Refusals of the request under way. */
  let refusals = 0
  /** The reply that a refused body asked for, where the caller had named another or none: the provider's client fills it in. */
  let told: { readonly model: string | undefined; readonly asked: Tokens | undefined; readonly reply: Tokens } | undefined
  const replyOf = ({ model, nextModel, maxOutput }: ModelCall): Tokens | undefined =>
    told !== undefined && told.model === (nextModel ?? model) && told.asked === maxOutput ? Math.max(told.reply, maxOutput ?? 0) : maxOutput

  const emit = (event: EventDraft['event'], severity: EventDraft['severity'], attributes: EventDraft['attributes']): void =>
    parts.emitter.emit(id, [{ event, severity, attributes }])
  const redactedFocus = (focus: string | undefined): string | undefined => (focus === undefined ? undefined : parts.redact(focus))
  const rejected = (reason: string): void => emit('compact.checkpoint_rejected', 'warning', { reason })

  /** What is stored, but for what was measured here. */
  const restore = (stored: CompactionState): void => {
    state = { ...stored, calibration: state.calibration.last === undefined ? stored.calibration : state.calibration }
  }

  /** What is stored, or what is known where the storage does not say. */
  const fromStore = async (): Promise<CompactionState> => {
    const { state: stored, problem, aside } = await store.load()
    if (problem !== undefined) {
      rejected(problem)
      effects.note(aside === undefined ? problem : `${problem}; its bytes are kept under ${aside}`)
      if (aside !== undefined) emit('compact.state_set_aside', 'warning', { to: aside })
    }
    return stored ?? state
  }

  const load = (): Promise<void> => {
    loading ??= fromStore().then((stored) => {
      restore(stored)
      if (!parts.redacts) emit('compact.redaction_disabled', 'high', { by: 'the host' })
    })
    return loading
  }

  /** Calls are served one after another, and none before what is stored was read. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(effects.begin).then(load).then(work)
    queue = result.catch(() => {})
    return result
  }

  const read = (given: readonly M[]): Read<M> => {
    const source = reader.source(given)
    return { given, source, messages: reader.read(source) }
  }

  const inputFor = (messages: readonly Message[], call: ModelCall, more: Request & Pick<PlanInput, 'stored'> = {}): PlanInput => {
    const model = call.nextModel ?? call.model
    const limits: ModelLimits | undefined = typeof parts.limits === 'function' ? parts.limits(model ?? '') : parts.limits
    return {
      messages,
      tokens,
      estimator,
      policy,
      limits,
      // What is no number counts as nothing.
      overhead: { system: call.overhead?.system || 0, tools: call.overhead?.tools || 0, memory: call.overhead?.memory || 0 },
      state,
      checkpoint: newestValid(state.checkpoints, messages),
      stored: outputs !== undefined,
      redacted: parts.redacted,
      ...omitUndefined({ tools: parts.tools }),
      ...(last !== undefined && { idle: clock.now() - last.at }),
      ...omitUndefined({ model, maxOutput: replyOf(call) }),
      ...more,
    }
  }

  /** The request that waits for the next call, if there is one. */
  const queued = (): Request => {
    const { pending } = state
    if (pending === undefined) return {}
    return { asked: pending.by === 'agent' ? 'agent' : 'marker', ...omitUndefined({ focus: pending.focus }) }
  }

  /** The pure decision, and what it needs from outside: vectors for what is related, a store that took the whole outputs. */
  const planFor = async (messages: readonly Message[], call: ModelCall, request: Request): Promise<Planned> => {
    let input = inputFor(messages, call, request)
    let plan = planCompaction(input)
    const again = (more: Partial<PlanInput>): void => {
      input = { ...input, ...more }
      plan = planCompaction(input)
    }
    if (call.nextModel !== undefined && plan.decision.action !== 'none' && input.asked === undefined) again({ asked: 'downshift' })
    if (plan.summary !== undefined && policy.retain.semantic !== undefined && parts.embedder !== undefined) {
      const related = await relatedTo(plan, { ...input, messages: messages.map(parts.redacted.message) }, parts.embedder, call.signal)
      if (related.size > 0) again({ related })
    }
    try {
      await keeper?.keep(plan, messages, call.signal)
    } catch (error) {
      call.signal?.throwIfAborted()
      emit('compact.output_store_failed', 'warning', { reason: nameOf(error) })
      if (call.replaces === true) throw new CompactionError('the whole outputs could not be stored, and nothing else would hold them')
      again({ stored: false }) // a reference that leads nowhere is worse than none
    }
    return { plan, input }
  }

  const prepare = async (history: readonly M[], call: ModelCall, request: Request = {}): Promise<Prepared<M>> => {
    call.signal?.throwIfAborted()
    const started = clock.now()
    const found = read(history)
    const { messages } = found
    await adopt(messages)
    let looked = false
    for (let conflicts = 0; ; conflicts++) {
      const { plan, input } = await planFor(messages, call, request.asked === undefined ? queued() : request)
      const { decision } = plan
      const hard = decision.usable === null ? 0 : levels(policy.trigger, decision.usable).hard
      parts.emitter.emit(id, eventsOf(plan, { hard, model: input.model ?? '', window: input.limits?.contextWindow ?? 0 }))
      if (decision.action === 'infeasible' && decision.culprit !== undefined) throw new InsufficientBudgetError(decision.culprit)
      // Another process may have written the summary already: to look costs less than to write.
      const ahead = parts.queue !== undefined && decision.reason === 'soft'
      if ((plan.summary !== undefined || ahead) && !looked) {
        looked = true
        if (await takeOver()) continue
      }
      if (decision.action === 'none') {
        // A request that asked for nothing that could be done is answered too.
        if (state.pending !== undefined) await keep(withPending(state, undefined))
        if (call.replaces === true && input.checkpoint !== undefined) await archived(found, call)
        const prepared = handOut(
          found,
          { plan, input },
          { outcome: input.checkpoint === undefined ? 'unchanged' : 'projected', warnings: plan.warnings, started },
        )
        if (decision.reason === 'soft' && policy.trigger.background) askAhead(history, call)
        return prepared
      }
      // A summary that is being written already is waited for rather than paid for twice.
      const running = plan.summary === undefined ? undefined : background.running()
      if (running !== undefined && (await orAborted(running.done, call.signal)) && (await adopt(messages))) continue
      const shared = parts.queue !== undefined && plan.summary !== undefined
      const lease = shared ? await leases.take(id, leaseTime) : undefined
      if (shared && lease === undefined && conflicts < mostConflicts) {
        await leases.free(id, leaseTime, call.signal)
        looked = false
        continue
      }
      const prepared = await parts
        .trace(traceOf(plan, messages), async (done) => {
          const recorded = (plan.summary === undefined && call.replaces !== true) || (await archived(found, call))
          const summarizer = request.focus === undefined ? parts.summarizer : parts.fullSummarizer
          const step = await executePlan(plan, input, parts, {
            signal: call.signal,
            summarizer,
            window: windowFor(plan, messages, call),
            ...ridden(found, input),
          })
          parts.emitter.emit(id, step.events)
          const kept = await commit(step, conflicts < mostConflicts)
          if (kept === 'conflict') return undefined
          const warnings = [
            ...plan.warnings,
            ...step.warnings,
            ...(kept === 'saved' ? [] : ['the checkpoint could not be stored; it holds in this process only']),
            ...(recorded ? [] : ['the transcript could not be archived; the history itself is untouched']),
          ]
          const after = { plan, input: inputFor(messages, call, { stored: input.stored === true }) }
          const result = handOut(found, after, { outcome: step.outcome, warnings, started, step })
          const { outcome, tokens, spent } = result.report
          done({ outcome, tokens_after: tokens.after, messages_after: result.messages.length, summary_prompt: spent.prompt, summary_reply: spent.reply })
          return result
        })
        .finally(() => lease?.release())
      if (prepared !== undefined) return prepared
    }
  }

  /** Tokens that the model which is in use now can read, for its summaries. */
  const windowFor = (plan: CompactionPlan, messages: readonly Message[], { nextModel, ...current }: ModelCall): Tokens => {
    const own = nextModel === undefined ? (plan.decision.usable ?? Infinity) : usableOf(inputFor(messages, current))
    return Number.isFinite(own) ? own : plan.decision.used
  }

  /** The context as it would be sent now, where the policy wants the summary's request to ride on it and nothing in it waits for an answer. */
  const ridden = ({ source, messages }: Read<M>, input: PlanInput): { readonly prefix?: { readonly messages: readonly M[]; readonly tokens: Tokens } } => {
    if (policy.summary.request !== 'prefix') return {}
    const waits = messages.at(-1)?.parts.some((part) => part.type === 'tool-call' || part.type === 'approval') ?? true
    if (waits) return {}
    const measured = measureContext(input)
    return { prefix: { messages: render(source, input.checkpoint, measured), tokens: measured.total } }
  }

  /** The untouched transcript goes on record before anything leaves the context. */
  const archived = async ({ source, messages }: Read<M>, { signal, replaces }: ModelCall): Promise<boolean> => {
    try {
      await archive?.saveTranscript(id, source, messages, signal, redaction)
      return true
    } catch (error) {
      signal?.throwIfAborted()
      emit('compact.archive_failed', 'warning', { what: 'transcript', reason: nameOf(error) })
      if (replaces === true) throw new CompactionError('the transcript could not be archived, and nothing else would hold it')
      return false
    }
  }

  /** The state from now on, here and in the storage. */
  const keep = async (next: CompactionState): Promise<void> => {
    state = next
    await store.save(state)
  }

  /** Takes over what another process has stored since. Only where storage is shared does that ever happen. */
  const takeOver = async (): Promise<boolean> => {
    const stored = await store.changed()
    if (stored === undefined) return false
    restore(stored)
    return true
  }

  /** Adds a checkpoint to the state in memory and in the storage. `yielding`: when another worker was faster, its state is taken over instead. */
  const commit = async ({ checkpoint, failed }: Step, yielding: boolean): Promise<'saved' | 'conflict' | 'failed'> => {
    const next = withCheckpoint(failed === undefined ? state : withFailure(state, failed), checkpoint)
    const result = await store.save(next)
    if (result === 'conflict' && yielding) {
      rejected('another worker was faster')
      const { calibration } = state
      state = { ...(await fromStore()), calibration }
      return result
    }
    // Not stored is not lost: it holds here, and the next one is stored over what is there then.
    state = next
    const { id: checkpointId, version, covered } = checkpoint
    if (result === 'saved') emit('compact.checkpoint_committed', 'info', { checkpoint: checkpointId, version, covered })
    else rejected(result === 'conflict' ? 'other workers were always faster' : 'the storage failed')
    await archive?.saveCheckpoint(id, checkpoint, clock.now(), redaction).catch((error: unknown) => {
      emit('compact.archive_failed', 'warning', { what: 'checkpoint', reason: nameOf(error) })
    })
    return result === 'saved' ? 'saved' : 'failed'
  }

  /** Takes over what was prepared in the background, if the history that it covers and the checkpoint that it follows are still the same. */
  const adopt = async (messages: readonly Message[]): Promise<boolean> => {
    const step = background.take()
    if (step === undefined) return false
    const { checkpoint } = step
    const same = checkpoint.covered <= messages.length && checkpoint.fingerprint === fingerprint(messages, checkpoint.covered)
    if (!same || newestValid(state.checkpoints, messages)?.id !== checkpoint.parent) {
      rejected('the history changed while the summary was written')
      return false
    }
    return (await commit(step, true)) !== 'conflict'
  }

  /** Has a summary written before it is needed: by whoever works on the queue, or by this process. */
  const askAhead = (history: readonly M[], { signal: _callers, ...call }: ModelCall): void => {
    if (parts.queue === undefined) {
      runAhead(history, call)
      return
    }
    const { model, maxOutput, overhead } = call
    const job: BackgroundJob = {
      session: id,
      call: omitUndefined({ model, maxOutput, overhead }),
    }
    // Not waited for: a queue that is away must not keep the agent.
    parts.queue.enqueue(job).catch((error: unknown) => emit('compact.fallback', 'warning', { from: 'queue', to: 'later', reason: nameOf(error) }))
  }

  /** Does what a plan wants; the checkpoint that comes of it is nobody's yet. */
  const carriedOut = async ({ plan, input }: Planned, found: Read<M>, call: ModelCall): Promise<Step> => {
    await archived(found, call)
    const work = { signal: call.signal, summarizer: parts.summarizer, window: windowFor(plan, found.messages, call) }
    const step = await parts.trace(traceOf(plan, found.messages), () => executePlan(plan, input, parts, work))
    parts.emitter.emit(id, step.events)
    return step
  }

  const compactAhead = async (history: readonly M[], call: ModelCall): Promise<'done' | 'nothing' | 'busy' | 'stale' | 'failed'> => {
    await takeOver()
    const found = read(history)
    const { decision } = planCompaction(inputFor(found.messages, call))
    if (decision.reason !== 'soft' && (decision.action === 'none' || decision.action === 'infeasible')) return 'nothing'
    const lease = await leases.take(id, leaseTime)
    if (lease === undefined) return 'busy'
    try {
      // Between the look and the lease somebody may have finished.
      if (await takeOver()) return 'stale'
      const { plan, input } = await planFor(found.messages, call, { asked: 'background' })
      if (plan.summary === undefined) return 'nothing'
      const step = await carriedOut({ plan, input }, found, call)
      if (step.failed === true) return 'failed'
      return (await commit(step, true)) === 'saved' ? 'done' : 'stale'
    } finally {
      await lease.release()
    }
  }

  const runAhead = (history: readonly M[], call: ModelCall): BackgroundCompaction => {
    const { signal: _callers, ...rest } = call
    return background.start(async (signal) => {
      await new Promise((resolve) => setTimeout(resolve)) // the request that is waited for goes out first
      effects.begin()
      await load()
      const found = read(history)
      const { plan, input } = await planFor(found.messages, { ...rest, signal }, { asked: 'background' })
      if (plan.summary === undefined || !paysOff(plan, input)) return undefined
      const step = await carriedOut({ plan, input }, found, { ...call, signal })
      // Nobody is in need yet: what a model failed to write is not adopted.
      if (step.failed === true) return undefined
      emit('compact.background_ready', 'info', { checkpoint: step.checkpoint.id, covered: step.checkpoint.covered })
      return step
    })
  }

  const handOut = (
    { given, source }: Read<M>,
    { plan, input }: Planned,
    done: { readonly outcome: CompactionReport['outcome']; readonly warnings: readonly string[]; readonly started: number; readonly step?: Step },
  ): Prepared<M> => {
    const { checkpoint } = input
    const measured = measureContext(input)
    const context = render(source, checkpoint, measured)
    reader.handedOut(source, context)
    const at = clock.now()
    const warm = last !== undefined && at - last.at < policy.cost.cacheTtl
    const { total, estimate } = measured
    last = { length: source.length, checkpoint: checkpoint?.id ?? null, model: input.model ?? null, estimate, total, context, at }
    const report = reportOf({
      plan,
      input,
      measured,
      outcome: done.outcome,
      warnings: [...done.warnings, ...effects.takeNotes()],
      step: done.step,
      warm,
      duration: at - done.started,
    })
    if (done.step !== undefined) parts.emitter.emit(id, [finishedEvent(report, input)])
    // Nothing to do: the caller's own array, unless it grew meanwhile.
    return { messages: context === source && given.length === source.length ? given : context, report }
  }

  /** What a provider's refusal teaches; the last accepted measurement is none of what was refused. @returns how small the next attempt has to be. */
  const learnFrom = (refusal: Overflow, messages: readonly Message[], call: ModelCall): readonly Tokens[] => {
    const reply = refusal.reply ?? refusal.sent
    if (reply !== undefined) told = { model: call.nextModel ?? call.model, asked: call.maxOutput, reply }
    const input = inputFor(messages, call)
    const { limits, model = null, maxOutput } = input
    const { estimate, total } = last ?? measureContext(input)
    const published = limits === undefined ? Infinity : usableOf({ ...input, state: initialState })
    const reserve = (contextWindow: Tokens): Tokens => replyReserve({ ...limits, contextWindow }, policy.trigger.outputCap, maxOutput)
    const answer = answerRefusal(state.calibration, refusal, { estimate, total, model, attempt: ++refusals, published, reserve })
    state = { ...withoutAnchor(state), calibration: answer.calibration }
    return answer.ceilings
  }

  const recover = async (history: readonly M[], error: unknown, call: ModelCall): Promise<Prepared<M> | undefined> => {
    const found = classifyError(error, parts.errorPatterns)
    if (found.kind === 'other' || found.kind === 'output') return undefined
    const sent = last
    const ceilings = found.kind === 'malformed' ? [undefined] : learnFrom(found, read(history).messages, call)
    let prepared: Prepared<M> | undefined
    let first: unknown
    for (const ceiling of ceilings) {
      try {
        prepared = await prepare(history, call, found.kind === 'malformed' ? {} : { asked: 'overflow', ...omitUndefined({ ceiling }) })
        break
      } catch (failure) {
        if (!InsufficientBudgetError.isInstance(failure)) throw failure
        first ??= failure
      }
    }
    // A number says what has to fit; without one the refusal itself says more.
    if (prepared === undefined && ceilings.length > 1) throw first
    if (prepared === undefined) return undefined
    const { messages, report } = prepared
    const same = sent?.context.length === messages.length && messages.every((message, at) => message === sent.context[at])
    if (same) return undefined
    emit('compact.recovered', 'warning', { from: found.kind, tokens_after: report.tokens.after })
    return prepared
  }

  /** A new request: nothing of it was refused yet. */
  const anew = (history: readonly M[], call: ModelCall, request: Request = {}): Promise<Prepared<M>> => {
    refusals = 0
    return prepare(history, call, request)
  }

  const schedule = (request: Partial<PendingCompaction> = {}): Promise<void> =>
    inTurn(async () => {
      const pending: PendingCompaction = { by: request.by ?? 'user', ...omitUndefined({ focus: redactedFocus(request.focus) }) }
      emit('compact.scheduled', 'info', { by: pending.by })
      await keep(withPending(state, pending))
    })

  return {
    id,
    beforeModelCall: (history, call = {}) => inTurn(() => anew(history, call)),
    compact: (history, { focus, ...call } = {}) => inTurn(() => anew(history, call, { asked: 'manual', ...omitUndefined({ focus: redactedFocus(focus) }) })),
    view: (history) =>
      inTurn(async () => {
        const found = read(history)
        const input = inputFor(found.messages, {})
        const context = render(found.source, input.checkpoint, measureContext(input))
        return context === found.source ? history : context
      }),
    plan: (history, { asked, ...call } = {}) => planCompaction(inputFor(read(history).messages, call, asked === undefined ? queued() : { asked })),
    afterModelCall({ usage }) {
      if (usage === undefined || last === undefined) return
      const prompt = promptTokens(usage)
      last = { ...last, at: clock.now() }
      // Three times what we sent is not a reading of it: some servers report the sum of several calls, others nothing.
      if (!(prompt > 0 && prompt <= 3.5 * Math.max(last.total, 500))) return
      const learn = policy.trigger.accounting === 'calibrated' ? calibrateByRatio : calibrate
      const anchor = { length: last.length, checkpoint: last.checkpoint, model: last.model, usage }
      state = { ...state, calibration: noteAccepted(learn(state.calibration, last.estimate, prompt), prompt, last.model), anchor }
    },
    recover: (history, error, call = {}) => inTurn(() => recover(history, error, call)),
    schedule,
    background: (history, call = {}) => runAhead(history, call),
    compactAhead: (history, call = {}) => inTurn(() => compactAhead(history, call)),
    handoff: (history, { focus: given, signal } = {}) =>
      inTurn(async () => {
        const focus = redactedFocus(given)
        const input = inputFor(read(history).messages, {}, { asked: 'manual', ...omitUndefined({ focus }) })
        return renderHandoff(await handoffSummary(planCompaction(input), input, parts, focus, signal), focus)
      }),
    remembered: (history, call = {}) => layersOf(inputFor(read(history).messages, call)),
    rewind: (checkpoint) => inTurn(() => keep(withoutCheckpoint(state, checkpoint))),
    tools: () => [compactContextTool({ schedule }), ...(outputs?.tools() ?? []), ...(archive === undefined ? [] : [archive.recallTool(id, codec)])],
    state: () => state,
    forked: () => inTurn(async () => withPending(state, undefined)),
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}
