import { applyPlan, createRenderMemo, type RenderMemo } from '../apply.ts'
import { calibrate, calibrateByRatio, learnWindow } from '../calibrate.ts'
import { type Checkpoint, fingerprint, newestValid, project } from '../checkpoint.ts'
import { type Measured, type Overhead, type PlanInput, usableOf } from '../context.ts'
import { isWorthRewriting, rewriteCost } from '../cost.ts'
import { InsufficientBudgetError } from '../errors.ts'
import { createTokenMemo } from '../estimate.ts'
import { eventsOf } from '../events.ts'
import { type ModelLimits, resolveAmount } from '../limits.ts'
import { isUserRequest, type Message, type Tokens } from '../message.ts'
import { classifyError } from '../overflow.ts'
import { type CompactionPlan, planCompaction } from '../plan.ts'
import { type Remembered, rememberedBy } from '../remember.ts'
import type { CompactionReport } from '../report.ts'
import { selectRelated, topicOf } from '../semantic.ts'
import { measureContext, referenceOf } from '../shorten.ts'
import { type CompactionState, initialState, type PendingCompaction, withCheckpoint, withFailure, withoutCheckpoint, withPending } from '../state.ts'
import { renderHandoff, renderSummary, summaryQuestion } from '../summary/render.ts'
import type { ToolDefinition } from '../tool.ts'
import { type Asked, levels } from '../trigger.ts'
import { promptTokens, type TokenUsage } from '../usage.ts'
import { executePlan, type Step } from './execute.ts'
import type { CompactorParts } from './parts.ts'
import { createHistoryReader } from './reading.ts'
import { createStateStore } from './state-store.ts'
import { summarise } from './summarise.ts'
import { compactContextTool } from './tools.ts'

/** What the session is told about one model call. */
export interface ModelCall {
  /** Tokens that the request carries besides the messages. */
  readonly overhead?: Partial<Overhead>
  /** Looked up when limits are a function. */
  readonly model?: string
  /** The model that the next calls will go to: the context is made to fit it, and the current model still writes the summary. */
  readonly nextModel?: string
  /** Output tokens that this call asks for. */
  readonly maxOutput?: Tokens
  readonly signal?: AbortSignal
}

export interface Prepared<M> {
  /** The context to send: the caller's own array when there is nothing to do. */
  readonly messages: readonly M[]
  readonly report: CompactionReport
}

/** A compaction that goes on beside the agent. */
export interface BackgroundCompaction {
  /** true: a summary is ready and will be adopted by the next call, if what it covers is still the same. Never rejects. */
  readonly done: Promise<boolean>
  abort(): void
}

export interface CompactionSession<M> {
  readonly id: string
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
  /** Queues a compaction for the next call. It is stored: whichever process makes that call will do it. */
  schedule(request?: Partial<PendingCompaction>): Promise<void>
  /** Starts a compaction that nobody waits for. One at a time: a second call gets the first one. */
  background(history: readonly M[], call?: ModelCall): BackgroundCompaction
  /** The first message for a new conversation that goes on from this one. Changes nothing here. */
  handoff(history: readonly M[], options?: { readonly focus?: string; readonly signal?: AbortSignal }): Promise<string>
  /** What the model is shown now, layer by layer. */
  remembered(history: readonly M[], call?: ModelCall): Remembered
  /** Forgets the checkpoint with this id and all after it; without an id, the newest. What they covered is shown again. */
  rewind(checkpoint?: string): Promise<void>
  /** Tools for the model: `compact_context`; `tool_output_cache` and `tool_output_cache_grep` with a store; `recall_history` with an archive. */
  tools(): readonly ToolDefinition[]
  state(): CompactionState
  /** The state that a copy of this conversation begins with. */
  forked(): Promise<CompactionState>
}

interface Sent<M> {
  readonly length: number
  readonly checkpoint: string | null
  readonly model: string | null
  readonly estimate: Tokens
  readonly total: Tokens
  readonly context: readonly M[]
  readonly at: number
}

const mostConflicts = 3

/** One conversation. Calls are served one after another, so that a session never pays for two summaries at once. */
export function createSession<M>(id: string, parts: CompactorParts<M>): CompactionSession<M> {
  const { codec, policy, estimator, clock, emitter, archive, outputs } = parts
  const store = createStateStore(parts.storage, id)
  const reader = createHistoryReader(codec)
  const tokens = createTokenMemo(estimator, policy.trigger.media)
  const storedOutputs = new Set<string>()
  let state = initialState
  let loading: Promise<void> | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let memo: { readonly checkpoint: string | null; readonly renders: RenderMemo<M> } = { checkpoint: null, renders: createRenderMemo() }
  let last: Sent<M> | undefined
  let ahead: { readonly handle: BackgroundCompaction; ready?: Step } | undefined

  const load = (): Promise<void> => {
    loading ??= store.load().then(({ state: stored, problem }) => {
      state = { ...stored, calibration: state.calibration.last === undefined ? stored.calibration : state.calibration }
      if (problem !== undefined) emitter.emit(id, [{ event: 'compact.checkpoint_rejected', severity: 'warning', attributes: { reason: problem } }])
      if (!parts.redacts) emitter.emit(id, [{ event: 'compact.redaction_disabled', severity: 'high', attributes: { by: 'the host' } }])
    })
    return loading
  }

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work, work)
    queue = result.catch(() => {})
    return result
  }

  const limitsOf = (model: string | undefined): ModelLimits | undefined => (typeof parts.limits === 'function' ? parts.limits(model ?? '') : parts.limits)

  const inputFor = (messages: readonly Message[], call: ModelCall, more: Pick<PlanInput, 'asked' | 'focus' | 'related' | 'stored'> = {}): PlanInput => {
    const model = call.nextModel ?? call.model
    return {
      messages,
      tokens,
      estimator,
      policy,
      limits: limitsOf(model),
      overhead: { system: call.overhead?.system ?? 0, tools: call.overhead?.tools ?? 0, memory: call.overhead?.memory ?? 0 },
      state,
      checkpoint: newestValid(state.checkpoints, messages),
      stored: outputs !== undefined,
      ...(parts.tools !== undefined && { tools: parts.tools }),
      ...(last !== undefined && { idle: clock.now() - last.at }),
      ...(model !== undefined && { model }),
      ...(call.maxOutput !== undefined && { maxOutput: call.maxOutput }),
      ...more,
    }
  }

  /** Tokens that the model which is in use now can read, for its summaries. */
  const windowFor = (messages: readonly Message[], call: ModelCall, plan: CompactionPlan): Tokens => {
    const { nextModel, ...current } = call
    const own = nextModel === undefined ? (plan.decision.usable ?? Infinity) : usableOf(inputFor(messages, current))
    return Number.isFinite(own) ? own : plan.decision.used
  }

  /** The request that waits for the next call, if there is one. */
  const queued = (): { readonly asked?: Asked; readonly focus?: string } => {
    const { pending } = state
    if (pending === undefined) return {}
    return { asked: pending.by === 'agent' ? 'agent' : 'marker', ...(pending.focus !== undefined && { focus: pending.focus }) }
  }

  const planFor = async (messages: readonly Message[], call: ModelCall, asked?: Asked, focus?: string): Promise<{ plan: CompactionPlan; input: PlanInput }> => {
    const request = asked === undefined ? queued() : { asked, ...(focus !== undefined && { focus }) }
    let input = inputFor(messages, call, request)
    let plan = planCompaction(input)
    if (call.nextModel !== undefined && plan.decision.action !== 'none' && input.asked === undefined) {
      input = { ...input, asked: 'downshift' }
      plan = planCompaction(input)
    }
    if (plan.summary !== undefined && policy.retain.semantic !== undefined && parts.embedder !== undefined) {
      const related = await relatedTo(plan, input, call.signal)
      if (related.size > 0) {
        input = { ...input, related }
        plan = planCompaction(input)
      }
    }
    if (outputs !== undefined && !(await storeOutputs(plan, messages, call.signal))) {
      input = { ...input, stored: false }
      plan = planCompaction(input)
    }
    return { plan, input }
  }

  /** What of a span speaks of the newest request; nothing when the embedder fails. */
  const relatedTo = async (plan: CompactionPlan, { messages }: PlanInput, signal: AbortSignal | undefined): Promise<ReadonlySet<number>> => {
    const { semantic } = policy.retain
    const newest = messages.findLastIndex(isUserRequest)
    if (semantic === undefined || parts.embedder === undefined || newest < 0) return new Set()
    try {
      const vectors = await parts.embedder.embed(
        [...plan.summarise, newest].map((index) => topicOf(messages[index] as Message)),
        signal,
      )
      const query = vectors.at(-1)
      if (query === undefined || vectors.length !== plan.summarise.length + 1) return new Set()
      const topics = plan.summarise.map((index, at) => ({ index, vector: vectors[at] ?? [], tokens: tokens.of(messages[index] as Message) }))
      const limit = resolveAmount(semantic.tokens, plan.decision.usable ?? plan.decision.used)
      return new Set(selectRelated(topics, query, { clusters: semantic.clusters, tokens: limit }))
    } catch {
      signal?.throwIfAborted()
      return new Set()
    }
  }

  /** Whole outputs go into the store before the model is shown less of them. @returns false when that failed. */
  const storeOutputs = async (plan: CompactionPlan, messages: readonly Message[], signal: AbortSignal | undefined): Promise<boolean> => {
    if (outputs === undefined) return true
    const shortened = new Set(plan.edits.map((edit) => edit.callId))
    try {
      for (const message of messages) {
        for (const part of message.parts) {
          if (part.type !== 'tool-result' || part.output === '' || (outputs.keep === 'shortened' && !shortened.has(part.callId))) continue
          const ref = referenceOf(part.output)
          if (storedOutputs.has(ref)) continue
          await outputs.save(part.output, { redact: parts.redact, ...(signal !== undefined && { signal }) })
          storedOutputs.add(ref)
        }
      }
      return true
    } catch (error) {
      signal?.throwIfAborted()
      emitter.emit(id, [{ event: 'compact.output_store_failed', severity: 'warning', attributes: { reason: nameOf(error) } }])
      return false
    }
  }

  const prepare = async (history: readonly M[], call: ModelCall, asked?: Asked, focus?: string): Promise<Prepared<M>> => {
    call.signal?.throwIfAborted()
    await load()
    const started = clock.now()
    const source = reader.source(history)
    const messages = reader.read(source)
    await adopt(messages)
    for (let conflicts = 0; ; conflicts++) {
      const { plan, input } = await planFor(messages, call, asked, focus)
      const { decision } = plan
      const hard = decision.usable === null ? 0 : levels(policy.trigger, decision.usable).hard
      emitter.emit(id, eventsOf(plan, { hard, model: input.model ?? '', window: input.limits?.contextWindow ?? 0 }))
      if (decision.action === 'infeasible' && decision.culprit !== undefined) throw new InsufficientBudgetError(decision.culprit)
      if (decision.action === 'none') {
        if (state.pending !== undefined) await settle()
        const prepared = handOut(history, source, input, plan, {
          outcome: input.checkpoint === undefined ? 'unchanged' : 'projected',
          warnings: plan.warnings,
          started,
        })
        if (decision.reason === 'soft' && policy.trigger.background) runAhead(history, call)
        return prepared
      }
      // A summary that is being written already is waited for rather than paid for twice.
      if (plan.summary !== undefined && ahead !== undefined && (await orAborted(ahead.handle.done, call.signal)) && (await adopt(messages))) continue
      const recorded = plan.summary === undefined || (await archived(source, messages, call.signal))
      const summarizer = focus === undefined ? parts.summarizer : parts.fullSummarizer
      const step = await executePlan(plan, input, parts, { signal: call.signal, summarizer, window: windowFor(messages, call, plan), ...ridden(source, input) })
      emitter.emit(id, step.events)
      const kept = await commit(step, conflicts < mostConflicts)
      if (kept === 'conflict') continue
      const warnings = [
        ...plan.warnings,
        ...step.warnings,
        ...(kept === 'saved' ? [] : ['the checkpoint could not be stored; it holds in this process only']),
        ...(recorded ? [] : ['the transcript could not be archived; the history itself is untouched']),
      ]
      return handOut(history, source, inputFor(messages, call, { stored: input.stored === true }), plan, { outcome: step.outcome, warnings, started, step })
    }
  }

  /** The context as it would be sent now, where the policy wants the summary's request to ride on it and nothing in it waits for an answer. */
  const ridden = (source: readonly M[], input: PlanInput): { readonly prefix?: { readonly messages: readonly M[]; readonly tokens: Tokens } } => {
    if (policy.summary.request !== 'prefix') return {}
    const measured = measureContext(input)
    const waits = source.length > 0 && codec.read(source.at(-1) as M).parts.some((part) => part.type === 'tool-call' || part.type === 'approval')
    return waits ? {} : { prefix: { messages: render(source, input.checkpoint, measured), tokens: measured.total } }
  }

  const archived = async (source: readonly M[], messages: readonly Message[], signal: AbortSignal | undefined): Promise<boolean> => {
    if (archive === undefined) return true
    try {
      await archive.saveTranscript(id, source, messages, signal)
      return true
    } catch (error) {
      signal?.throwIfAborted()
      emitter.emit(id, [{ event: 'compact.archive_failed', severity: 'warning', attributes: { what: 'transcript', reason: nameOf(error) } }])
      return false
    }
  }

  /** A request that asked for nothing that could be done is answered too. */
  const settle = async (): Promise<void> => {
    state = withPending(state, undefined)
    await store.save(state)
  }

  /** Adds a checkpoint to the state in memory and in the storage. `yielding`: when another worker was faster, its state is taken over instead. */
  const commit = async ({ checkpoint, failed }: Step, yielding: boolean): Promise<'saved' | 'conflict' | 'failed'> => {
    const next = withCheckpoint(failed === undefined ? state : withFailure(state, failed), checkpoint)
    const result = await store.save(next)
    if (result === 'conflict' && yielding) {
      rejected('another worker was faster')
      const { calibration } = state
      state = { ...(await store.load()).state, calibration }
      return result
    }
    // Not stored is not lost: it holds here, and the next one is stored over what is there then.
    state = next
    if (result === 'saved') {
      const { id: checkpointId, version, covered } = checkpoint
      emitter.emit(id, [{ event: 'compact.checkpoint_committed', severity: 'info', attributes: { checkpoint: checkpointId, version, covered } }])
    } else rejected(result === 'conflict' ? 'other workers were always faster' : 'the storage failed')
    if (archive !== undefined) {
      await archive.saveCheckpoint(id, checkpoint, clock.now()).catch((error: unknown) => {
        emitter.emit(id, [{ event: 'compact.archive_failed', severity: 'warning', attributes: { what: 'checkpoint', reason: nameOf(error) } }])
      })
    }
    return result === 'saved' ? 'saved' : 'failed'
  }

  const rejected = (reason: string): void => emitter.emit(id, [{ event: 'compact.checkpoint_rejected', severity: 'warning', attributes: { reason } }])

  /** Takes over what was prepared in the background, if the history that it covers and the checkpoint that it follows are still the same. */
  const adopt = async (messages: readonly Message[]): Promise<boolean> => {
    const step = ahead?.ready
    if (step === undefined) return false
    ahead = undefined
    const { checkpoint } = step
    const same = checkpoint.covered <= messages.length && checkpoint.fingerprint === fingerprint(messages, checkpoint.covered)
    if (!same || newestValid(state.checkpoints, messages)?.id !== checkpoint.parent) {
      rejected('the history changed while the summary was written')
      return false
    }
    return (await commit(step, true)) !== 'conflict'
  }

  const runAhead = (history: readonly M[], call: ModelCall): BackgroundCompaction => {
    if (ahead !== undefined) return ahead.handle
    const stop = new AbortController()
    const { signal: _callers, ...rest } = call
    const work = async (): Promise<boolean> => {
      await load()
      const source = reader.source(history)
      const messages = reader.read(source)
      const { plan, input } = await planFor(messages, { ...rest, signal: stop.signal }, 'background')
      if (plan.summary === undefined) return false
      const warm = input.idle !== undefined && input.idle < policy.cost.cacheTtl
      const rewrite = { ...plan.tokens, prefix: plan.prefix, summaryPrompt: plan.tokens.before - plan.tokens.after, summaryReply: plan.summary.tokens, warm }
      if (!isWorthRewriting(policy.cost, rewrite)) return false
      await archived(source, messages, stop.signal)
      const step = await executePlan(plan, input, parts, { signal: stop.signal, summarizer: parts.summarizer, window: windowFor(messages, call, plan) })
      emitter.emit(id, step.events)
      // Nobody is in need yet: what a model failed to write is not adopted.
      if (step.failed === true) return false
      if (mine.handle !== ahead?.handle) return false
      mine.ready = step
      emitter.emit(id, [
        { event: 'compact.background_ready', severity: 'info', attributes: { checkpoint: step.checkpoint.id, covered: step.checkpoint.covered } },
      ])
      return true
    }
    const done = work()
      .catch(() => false)
      .then((ready) => {
        if (!ready && ahead === mine) ahead = undefined
        return ready
      })
    const abort = (): void => {
      stop.abort()
      if (ahead === mine) ahead = undefined
    }
    const mine: { readonly handle: BackgroundCompaction; ready?: Step } = { handle: { done, abort } }
    ahead = mine
    return mine.handle
  }

  const render = (source: readonly M[], checkpoint: Checkpoint | undefined, measured: Pick<Measured, 'edits' | 'repairs'>): readonly M[] => {
    const key = checkpoint?.id ?? null
    if (memo.checkpoint !== key) memo = { checkpoint: key, renders: createRenderMemo() }
    const { role, continuation } = policy.summary
    const goOn = checkpoint?.automatic === true && continuation !== null ? continuation : undefined
    const summary = checkpoint?.summary && {
      role,
      text: renderSummary(checkpoint.summary, { dropped: checkpoint.dropped.length, continuation: role === 'assistant' ? null : (goOn ?? null) }),
      ...(role === 'assistant' && { question: summaryQuestion }),
      // Behind an assistant's own words somebody else has to speak.
      ...(role === 'assistant' && goOn !== undefined && { continuation: goOn }),
    }
    const rendering = { shown: project(source.length, checkpoint), edits: measured.edits, repairs: measured.repairs }
    return applyPlan(source, rendering, codec, summary, memo.renders)
  }

  const handOut = (
    history: readonly M[],
    source: readonly M[],
    input: PlanInput,
    plan: CompactionPlan,
    done: { outcome: CompactionReport['outcome']; warnings: readonly string[]; started: number; step?: Step },
  ): Prepared<M> => {
    const { checkpoint } = input
    const measured = measureContext(input)
    const context = render(source, checkpoint, measured)
    reader.handedOut(source, context)
    const at = clock.now()
    const warm = last !== undefined && at - last.at < policy.cost.cacheTtl
    last = {
      length: source.length,
      checkpoint: checkpoint?.id ?? null,
      model: input.model ?? null,
      estimate: measured.estimate,
      total: measured.total,
      context,
      at,
    }
    const { step } = done
    const before = step === undefined ? measured.total : plan.tokens.before
    const { prices } = policy.cost
    const rewrite = { before, after: measured.total, prefix: plan.prefix, summaryPrompt: step?.spent.prompt ?? 0, summaryReply: step?.spent.reply ?? 0, warm }
    const summary = checkpoint?.summary
    const report: CompactionReport = {
      plan,
      outcome: done.outcome,
      tokens: { before, after: measured.total, budget: plan.decision.usable },
      regions: { before: plan.regions.before, after: measured.regions },
      messages: { kept: plan.keep.length, edited: plan.edits.length, summarised: plan.summarise.length, dropped: plan.drop.length },
      ...(checkpoint !== undefined && { checkpoint: checkpoint.id }),
      ...(prices !== undefined && step !== undefined && { cost: rewriteCost(prices, rewrite) }),
      compression: before === 0 ? 1 : measured.total / before,
      cacheable: measured.total === 0 ? 1 : Math.min(1, plan.prefix / measured.total),
      ...(summary !== undefined && { quality: { ...summary.quality, missing: summary.missing } }),
      prunedCallIds: plan.edits.map((edit) => edit.callId).filter((callId) => callId !== ''),
      warnings: done.warnings,
      duration: at - done.started,
    }
    if (step !== undefined) {
      emitter.emit(id, [
        {
          event: 'compact.finished',
          severity: done.outcome === 'degraded' || done.outcome === 'emergency' ? 'warning' : 'info',
          attributes: {
            outcome: done.outcome,
            tokens_before: before,
            tokens_after: measured.total,
            duration_ms: report.duration,
            turn: input.messages.filter(isUserRequest).length,
          },
        },
      ])
    }
    // Nothing to do: the caller's own array, unless it grew meanwhile.
    return { messages: context === source && history.length === source.length ? history : context, report }
  }

  const schedule = (request: Partial<PendingCompaction> = {}): Promise<void> =>
    inTurn(async () => {
      await load()
      const pending: PendingCompaction = { by: request.by ?? 'user', ...(request.focus !== undefined && { focus: request.focus }) }
      state = withPending(state, pending)
      emitter.emit(id, [{ event: 'compact.scheduled', severity: 'info', attributes: { by: pending.by } }])
      await store.save(state)
    })

  return {
    id,
    beforeModelCall: (history, call = {}) => inTurn(() => prepare(history, call)),
    compact: (history, { focus, ...call } = {}) => inTurn(() => prepare(history, call, 'manual', focus)),
    plan: (history, { asked, ...call } = {}) => planCompaction(inputFor(reader.read(reader.source(history)), call, asked === undefined ? queued() : { asked })),
    afterModelCall({ usage }) {
      if (usage === undefined || last === undefined) return
      const prompt = promptTokens(usage)
      last = { ...last, at: clock.now() }
      // Three times what we sent is not a reading of it: some servers report the sum of several calls.
      if (prompt > 3.5 * Math.max(last.total, 500)) return
      const learn = policy.trigger.accounting === 'calibrated' ? calibrateByRatio : calibrate
      state = {
        ...state,
        calibration: learn(state.calibration, last.estimate, prompt),
        anchor: { length: last.length, checkpoint: last.checkpoint, model: last.model, usage },
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
    schedule,
    background: (history, call = {}) => runAhead(history, call),
    handoff: (history, { focus, signal } = {}) =>
      inTurn(async () => {
        await load()
        const messages = reader.read(reader.source(history))
        const input = inputFor(messages, {}, { asked: 'manual', ...(focus !== undefined && { focus }) })
        const plan = planCompaction(input)
        const summary = await handoffSummary(plan, input, parts, focus, signal)
        return renderHandoff(summary, focus)
      }),
    remembered: (history, call = {}) => rememberedBy(inputFor(reader.read(reader.source(history)), call)),
    rewind: (checkpoint) =>
      inTurn(async () => {
        await load()
        state = withoutCheckpoint(state, checkpoint)
        await store.save(state)
      }),
    tools: () => [compactContextTool({ schedule }), ...(outputs?.tools() ?? []), ...(archive === undefined ? [] : [archive.recallTool(id, codec)])],
    state: () => state,
    forked: () =>
      inTurn(async () => {
        await load()
        return withPending(state, undefined)
      }),
  }
}

/** Everything in one summary, by the full model: nothing of the conversation goes along. */
async function handoffSummary<M>(plan: CompactionPlan, input: PlanInput, parts: CompactorParts<M>, focus: string | undefined, signal: AbortSignal | undefined) {
  const { policy, estimator, redact } = parts
  const represented = new Set(plan.represented)
  const everything = input.messages.map((_, index) => index).filter((index) => !represented.has(index))
  const size = Math.min(plan.decision.usable ?? handoffSize, handoffSize)
  const order = {
    version: 1,
    style: policy.summary.style,
    author: policy.summary.author,
    tokens: Math.max(400, resolveAmount(policy.summary.tokens, size)),
    room: size,
    digest: Math.floor(size / 4),
    requests: Math.floor(size / 8),
    ...(focus !== undefined && { focus }),
  }
  const { summary } = await summarise({
    messages: input.messages,
    plan: { ...plan, summarise: everything, drop: [] },
    order,
    previous: input.checkpoint?.summary,
    policy: { ...policy, summary: { ...policy.summary, request: 'serialised' } },
    summarizer: parts.fullSummarizer,
    estimator,
    window: plan.decision.usable ?? plan.decision.used,
    redact,
    signal,
  })
  return summary
}

/** Most Tokens that a handoff may carry into a new conversation. */
const handoffSize = 16_000

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  signal.throwIfAborted()
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}
