import { applyPlan, createRenderMemo, type RenderMemo } from '../apply.ts'
import { type Calibration, calibrate, learnWindow } from '../calibrate.ts'
import { type Checkpoint, fingerprint, newestValid, project } from '../checkpoint.ts'
import { measureContext, type Overhead, type PlanInput } from '../context.ts'
import { InsufficientBudgetError } from '../errors.ts'
import { createTokenMemo, type TokenEstimator } from '../estimate.ts'
import { eventsOf } from '../events.ts'
import type { ModelLimits } from '../limits.ts'
import type { Message, Tokens } from '../message.ts'
import { classifyError, type ErrorPattern } from '../overflow.ts'
import { type CompactionPlan, planCompaction } from '../plan.ts'
import type { CompactionPolicy } from '../policy.ts'
import type { Clock, MessageCodec, StorageDriver, Summarizer } from '../ports.ts'
import type { Redactor } from '../redact.ts'
import type { CompactionReport } from '../report.ts'
import { type CompactionState, initialState, withCheckpoint, withFailure, withoutCheckpoint } from '../state.ts'
import { renderSummary } from '../summary/render.ts'
import { levels } from '../trigger.ts'
import { promptTokens, type TokenUsage } from '../usage.ts'
import type { Emitter } from './emitter.ts'
import { createHistoryReader } from './reading.ts'
import { createStateStore } from './state-store.ts'
import { summarise } from './summarise.ts'

/** Options with every default in place. */
export interface CompactorParts<M> {
  readonly codec: MessageCodec<M>
  readonly limits: ModelLimits | ((model: string) => ModelLimits | undefined) | undefined
  readonly policy: CompactionPolicy
  readonly summarizer: Summarizer
  readonly estimator: TokenEstimator
  readonly storage: StorageDriver
  readonly redact: Redactor
  readonly errorPatterns: readonly ErrorPattern[]
  readonly clock: Clock
  readonly emitter: Emitter
}

/** What the session is told about one model call. */
export interface ModelCall {
  /** Tokens that the request carries besides the messages. */
  readonly overhead?: Partial<Overhead>
  /** Looked up when limits are a function. */
  readonly model?: string
  /** Output tokens that this call asks for. */
  readonly maxOutput?: Tokens
  readonly signal?: AbortSignal
}

export interface Prepared<M> {
  /** The context to send: the caller's own array when there is nothing to do. */
  readonly messages: readonly M[]
  readonly report: CompactionReport
}

export interface CompactionSession<M> {
  /**
   * The context for the next call. Compacts first when the policy says so.
   * @throws InsufficientBudgetError when what must stay does not fit; InvalidConfigurationError; the abort reason of `call.signal`. Nothing else.
   */
  beforeModelCall(history: readonly M[], call?: ModelCall): Promise<Prepared<M>>
  /** Learns from what the provider counted. */
  afterModelCall(outcome: { readonly usage?: TokenUsage | undefined }): void
  /** A provider refused the request. @returns a smaller or mended context, or undefined when compaction cannot help. */
  recover(history: readonly M[], error: unknown, call?: ModelCall): Promise<Prepared<M> | undefined>
  /** Compacts now, whatever the level. `focus`: what the summary shall dwell on. */
  compact(history: readonly M[], options?: ModelCall & { readonly focus?: string }): Promise<Prepared<M>>
  /** What `beforeModelCall` (or, with `asked`, `compact`) would do. Uses the state in memory; changes nothing. */
  plan(history: readonly M[], call?: ModelCall & { readonly asked?: 'manual' }): CompactionPlan
  /** Forgets the checkpoint with this id and all after it; without an id, the newest. What they covered is shown again. */
  rewind(checkpoint?: string): Promise<void>
  state(): CompactionState
}

const mostConflicts = 3

/** One conversation. Calls are served one after another, so that a session never pays for two summaries at once. */
export function createSession<M>(id: string, parts: CompactorParts<M>): CompactionSession<M> {
  const { codec, policy, estimator, clock, emitter } = parts
  const store = createStateStore(parts.storage, id)
  const reader = createHistoryReader(codec)
  const tokens = createTokenMemo(estimator, policy.trigger.media)
  let state = initialState
  let loading: Promise<void> | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let memo: { readonly checkpoint: string | null; readonly renders: RenderMemo<M> } = { checkpoint: null, renders: createRenderMemo() }
  let last:
    | {
        readonly length: number
        readonly checkpoint: string | null
        readonly model: string | null
        readonly estimate: Tokens
        readonly total: Tokens
        readonly context: readonly M[]
      }
    | undefined

  const load = (): Promise<void> => {
    loading ??= store.load().then(({ state: stored, problem }) => {
      state = { ...stored, calibration: state.calibration.last === undefined ? stored.calibration : state.calibration }
      if (problem !== undefined) emitter.emit(id, [{ event: 'compact.checkpoint_rejected', severity: 'warning', attributes: { reason: problem } }])
    })
    return loading
  }

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work, work)
    queue = result.catch(() => {})
    return result
  }

  const limitsFor = (call: ModelCall): ModelLimits | undefined => (typeof parts.limits === 'function' ? parts.limits(call.model ?? '') : parts.limits)

  const inputFor = (messages: readonly Message[], call: ModelCall, asked?: 'manual' | 'overflow', focus?: string): PlanInput => ({
    messages,
    tokens,
    estimator,
    policy,
    limits: limitsFor(call),
    overhead: { system: call.overhead?.system ?? 0, tools: call.overhead?.tools ?? 0, memory: call.overhead?.memory ?? 0 },
    state,
    checkpoint: newestValid(state.checkpoints, messages),
    ...(call.model !== undefined && { model: call.model }),
    ...(call.maxOutput !== undefined && { maxOutput: call.maxOutput }),
    ...(asked !== undefined && { asked }),
    ...(focus !== undefined && { focus }),
  })

  const prepare = async (history: readonly M[], call: ModelCall, asked?: 'manual' | 'overflow', focus?: string): Promise<Prepared<M>> => {
    call.signal?.throwIfAborted()
    await load()
    const started = clock.now()
    const source = reader.source(history)
    const messages = reader.read(source)
    for (let conflicts = 0; ; conflicts++) {
      const input = inputFor(messages, call, asked, focus)
      const plan = planCompaction(input)
      emitter.emit(id, eventsOf(plan, { hard: plan.decision.usable === null ? 0 : levels(policy.trigger, plan.decision.usable).hard }))
      if (plan.decision.action === 'infeasible' && plan.decision.culprit !== undefined) throw new InsufficientBudgetError(plan.decision.culprit)
      if (plan.decision.action === 'none') {
        return handOut(source, input, plan, { outcome: input.checkpoint === undefined ? 'unchanged' : 'projected', warnings: plan.warnings, started, call })
      }
      const step = await execute(plan, input, call)
      const kept = await commit(step.checkpoint, step.failed, conflicts < mostConflicts)
      if (kept === 'conflict') continue
      const warnings = [...plan.warnings, ...step.warnings, ...(kept === 'saved' ? [] : ['the checkpoint could not be stored; it holds in this process only'])]
      return handOut(source, inputFor(messages, call), plan, { outcome: step.outcome, warnings, started, call })
    }
  }

  /** Turns a plan into a checkpoint. Nothing of the session changes here. */
  const execute = async (plan: CompactionPlan, input: PlanInput, call: ModelCall) => {
    const { checkpoint: parent } = input
    const warnings: string[] = []
    let summary = parent?.summary
    let outcome: CompactionReport['outcome'] = plan.drop.length > 0 ? 'emergency' : 'pruned'
    let failed: boolean | undefined
    if (plan.summary !== undefined) {
      const window = plan.decision.usable ?? plan.decision.used
      const result = await summarise({
        messages: input.messages,
        plan,
        order: plan.summary,
        previous: summary,
        policy,
        summarizer: parts.summarizer,
        estimator,
        window,
        redact: parts.redact,
        signal: call.signal,
      })
      emitter.emit(id, result.events)
      summary = result.summary
      failed = plan.summary.askModel ? result.failures.length > 0 && summary.text === (parent?.summary?.text ?? '') : undefined
      if (result.failures.length > 0) warnings.push(`summary attempts failed: ${result.failures.join(', ')}`)
      outcome = plan.drop.length > 0 || plan.decision.action === 'emergency' ? 'emergency' : failed === true ? 'degraded' : 'summarised'
    }
    return { checkpoint: checkpointOf(plan, input, summary), failed, outcome, warnings }
  }

  const checkpointOf = (plan: CompactionPlan, input: PlanInput, summary: Checkpoint['summary']): Checkpoint => {
    const { checkpoint: parent, messages } = input
    let covered = parent?.covered ?? 0
    for (const index of plan.summarise) covered = Math.max(covered, index + 1)
    for (const index of plan.drop) covered = Math.max(covered, index + 1)
    for (const edit of plan.edits) covered = Math.max(covered, edit.index + 1)
    const draft: Checkpoint = {
      id: clock.id(),
      version: plan.summary?.version ?? parent?.version ?? 0,
      covered,
      fingerprint: fingerprint(messages, covered),
      kept: plan.keep.filter((index) => index < covered),
      dropped: [...(parent?.dropped ?? []), ...plan.drop],
      edits: plan.edits.map((edit) => ({ ...edit, text: parts.redact(edit.text) })),
      ...(summary !== undefined && { summary }),
      reason: plan.decision.reason,
      tokens: { before: plan.tokens.before, after: plan.tokens.after },
      ...(parent !== undefined && { parent: parent.id }),
    }
    const measured = measureContext({ ...input, checkpoint: draft })
    return { ...draft, tokens: { before: plan.tokens.before, after: measured.total } }
  }

  /** Adds a checkpoint to the state in memory and in the storage. `yielding`: when another worker was faster, its state is taken over instead. */
  const commit = async (checkpoint: Checkpoint, failed: boolean | undefined, yielding: boolean): Promise<'saved' | 'conflict' | 'failed'> => {
    const next = withCheckpoint(failed === undefined ? state : withFailure(state, failed), checkpoint)
    const result = await store.save(next)
    if (result === 'conflict' && yielding) {
      emitter.emit(id, [{ event: 'compact.checkpoint_rejected', severity: 'warning', attributes: { reason: 'another worker was faster' } }])
      const { calibration } = state
      state = { ...(await store.load()).state, calibration }
      return result
    }
    // Not stored is not lost: it holds here, and the next one is stored over what is there then.
    state = next
    emitter.emit(id, [
      result === 'saved'
        ? {
            event: 'compact.checkpoint_committed',
            severity: 'info',
            attributes: { checkpoint: checkpoint.id, version: checkpoint.version, covered: checkpoint.covered },
          }
        : {
            event: 'compact.checkpoint_rejected',
            severity: 'warning',
            attributes: { reason: result === 'conflict' ? 'other workers were always faster' : 'the storage failed' },
          },
    ])
    return result === 'saved' ? 'saved' : 'failed'
  }

  const handOut = (
    source: readonly M[],
    input: PlanInput,
    plan: CompactionPlan,
    done: { outcome: CompactionReport['outcome']; warnings: readonly string[]; started: number; call: ModelCall },
  ): Prepared<M> => {
    const { checkpoint } = input
    const key = checkpoint?.id ?? null
    if (memo.checkpoint !== key) memo = { checkpoint: key, renders: createRenderMemo() }
    const measured = plan.decision.action === 'none' ? measuredBy(plan, state.calibration) : measureContext(input)
    const automatic = checkpoint?.reason === 'hard' || checkpoint?.reason === 'emergency'
    const summary = checkpoint?.summary && {
      role: policy.summary.role,
      text: renderSummary(checkpoint.summary, { dropped: checkpoint.dropped.length, continuation: automatic ? policy.summary.continuation : null }),
    }
    const rendering = { shown: project(source.length, checkpoint), edits: checkpoint?.edits ?? [], repairs: measured.repairs }
    const context = applyPlan(source, rendering, codec, summary, memo.renders)
    reader.handedOut(source, context)
    last = { length: source.length, checkpoint: key, model: input.model ?? null, estimate: measured.estimate, total: measured.total, context }
    const acted = done.outcome !== 'unchanged' && done.outcome !== 'projected'
    const report: CompactionReport = {
      plan,
      outcome: done.outcome,
      tokens: { before: acted ? plan.tokens.before : measured.total, after: measured.total, budget: plan.decision.usable },
      regions: { before: plan.regions.before, after: measured.regions },
      messages: { kept: plan.keep.length, edited: plan.edits.length, summarised: plan.summarise.length, dropped: plan.drop.length },
      ...(checkpoint !== undefined && { checkpoint: checkpoint.id }),
      prunedCallIds: plan.edits.map((edit) => edit.callId),
      warnings: done.warnings,
      duration: clock.now() - done.started,
    }
    if (acted) {
      const { before, after } = report.tokens
      emitter.emit(id, [
        {
          event: 'compact.finished',
          severity: done.outcome === 'degraded' || done.outcome === 'emergency' ? 'warning' : 'info',
          attributes: { outcome: done.outcome, tokens_before: before, tokens_after: after, duration_ms: report.duration },
        },
      ])
    }
    return { messages: context, report }
  }

  return {
    beforeModelCall: (history, call = {}) => inTurn(() => prepare(history, call)),
    compact: (history, { focus, ...call } = {}) => inTurn(() => prepare(history, call, 'manual', focus)),
    plan: (history, { asked, ...call } = {}) => planCompaction(inputFor(reader.read(reader.source(history)), call, asked)),
    afterModelCall({ usage }) {
      if (usage === undefined || last === undefined) return
      const prompt = promptTokens(usage)
      // Three times what we sent is not a reading of it: some servers report the sum of several calls.
      if (prompt > 3.5 * Math.max(last.total, 500)) return
      state = {
        ...state,
        calibration: calibrate(state.calibration, last.estimate, prompt),
        anchor: { length: last.length, checkpoint: last.checkpoint, model: last.model, prompt, output: usage.output },
      }
    },
    recover: (history, error, call = {}) =>
      inTurn(async () => {
        await load()
        const found = classifyError(error, parts.errorPatterns)
        if (found.kind === 'other' || found.kind === 'output') return undefined
        const sent = last
        if (found.kind === 'overflow' && found.unit === 'tokens') {
          const requested = found.requested ?? sent?.total ?? 0
          if (requested > 0)
            state = { ...state, calibration: learnWindow(state.calibration, { requested, ...(found.limit !== undefined && { limit: found.limit }) }) }
          // What it counted is a measurement like any other, and the first one where the very first prompt was too long.
          if (found.requested !== undefined && sent !== undefined)
            state = { ...state, calibration: calibrate(state.calibration, sent.estimate, found.requested) }
        }
        const prepared = await prepare(history, call, found.kind === 'overflow' ? 'overflow' : undefined)
        const same =
          sent !== undefined && prepared.messages.length === sent.context.length && prepared.messages.every((message, at) => message === sent.context[at])
        if (same) return undefined
        emitter.emit(id, [{ event: 'compact.recovered', severity: 'warning', attributes: { from: found.kind, tokens_after: prepared.report.tokens.after } }])
        return prepared
      }),
    rewind: (checkpoint) =>
      inTurn(async () => {
        await load()
        state = withoutCheckpoint(state, checkpoint)
        await store.save(state)
      }),
    state: () => state,
  }
}

/** A plan that does nothing has measured what is sent. */
function measuredBy(plan: CompactionPlan, { factor, overhead }: Calibration): ReturnType<typeof measureContext> {
  const total = plan.tokens.after
  return { total, estimate: Math.round((total - overhead) / factor), regions: plan.regions.after, repairs: plan.repairs }
}
