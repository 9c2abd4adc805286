import { builtInEstimator } from '../../budget/estimate.ts'
import { usableInput } from '../../budget/limits.ts'
import { InvalidConfigurationError } from '../../errors.ts'
import { jsonText } from '../../history/json.ts'
import { digestWith } from '../../history/sha256.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import { personalRules } from '../../privacy/rules.ts'
import { saidIn } from '../../state/forgotten.ts'
import { createBreakers } from '../breaker.ts'
import { retentionTime, usualRetention } from '../deletion/retention.ts'
import { createEffects, type Effects } from '../effects.ts'
import type { Clock } from '../platform/clock.ts'
import { isDisabled } from '../platform/disabled.ts'
import { errorName } from '../platform/error-name.ts'
import { platformSha256 } from '../platform/sha256.ts'
import { createRedactor } from '../redactor.ts'
import { bounded, boundedStorage } from '../session/bounded.ts'
import { createGuard, guardedSession } from '../session/guard.ts'
import { modelRules } from '../session/model-rules.ts'
import type { GivenParts } from '../session/parts.ts'
import { recordSummarizer } from '../session/record-summarizer.ts'
import { createRedaction } from '../session/redaction.ts'
import { createSession } from '../session/session.ts'
import type { CompactionSession } from '../session/session-types.ts'
import { createStateStore } from '../session/state-store.ts'
import { checkedStorage } from '../storage/checked-storage.ts'
import { memoryStorage } from '../storage/memory-storage.ts'
import { createEmitter } from '../telemetry/emitter.ts'
import { redactedTrace, traced } from '../telemetry/trace.ts'
import { conversationIds } from './beginning.ts'
import type { Compactor, CompactorOptions } from './compactor-types.ts'
import { createOpenSessions } from './open-sessions.ts'
import { checkNames } from './option-names.ts'
import { ownCode } from './own-code.ts'

/** Characters of conversations that a process holds unless it is told otherwise. */
const mostMemory = 64_000_000
/** Share of that for what the default storage holds: states and summaries, without which a conversation is compacted anew. */
const shareStored = 1 / 4

/** Milliseconds that an agent waits for its notes. */
const patience = 5_000

/**
 * Keeps conversations within the window of their model. `codec` is all that it needs; sizes are in Tokens, times in milliseconds. Without `limits` nothing is
 * compacted before a provider refuses, without a `summarizer` code writes what stands in the place of older messages, without a `storage` all is kept in this process.
 *
 * @returns Conversations by id, or by their history; what each method throws stands there.
 * @throws InvalidConfigurationError for options, a policy or limits that cannot be meant.
 */
export function createCompactor<M>(options: CompactorOptions<M>): Compactor<M> {
  if (typeof options.codec?.read !== 'function') throw new InvalidConfigurationError('codec', options.codec, 'expected a MessageCodec; adapters export one')
  checkNames(options)
  const { clock = systemClock, effectDeadline = patience, maxMemory = mostMemory, restAfter = Infinity } = options
  if (!(effectDeadline > 0)) throw new InvalidConfigurationError('effectDeadline', effectDeadline, 'expected milliseconds, more than 0')
  if (!(maxMemory >= 0)) throw new InvalidConfigurationError('maxMemory', maxMemory, 'expected characters, 0 or more')
  if (!(restAfter >= 0)) throw new InvalidConfigurationError('restAfter', restAfter, 'expected milliseconds, 0 or more')
  const { retention = usualRetention } = options
  retentionTime(retention)
  digestWith(platformSha256())
  const rulesFor = modelRules(options, builtInEstimator)
  const { policy, estimator } = rulesFor(undefined)
  if (options.limits !== undefined && typeof options.limits !== 'function') usableInput(options.limits, policy.trigger.outputCap)
  const summarizer = options.summarizer ?? recordSummarizer(estimator)
  const storage = checkedStorage(options.storage ?? memoryStorage({ characters: maxMemory * shareStored }))
  const personal = options.personalData === 'keep' ? undefined : createRedactor(personalRules)
  const redaction = createRedaction(options.redact ?? createRedactor(), personal, options.storage !== undefined, clock)
  const exported: Redactor = (text) => (redaction.personal ?? ((clean) => clean))(redaction.redact(text))
  const emitter = createEmitter(options.exporters ?? [], clock, exported)
  const parts: GivenParts<M> = {
    codec: options.codec,
    limits: options.limits,
    policy,
    rulesFor,
    directives: options.directives,
    ...ownCode(options, emitter),
    tools: options.tools,
    summarizer,
    fullSummarizer: options.fullSummarizer ?? summarizer,
    estimator,
    embedder: options.embedder,
    storage,
    archive: options.archive,
    outputs: options.outputs,
    redacts: options.redact !== false,
    redaction,
    paid: options.summarizer !== undefined || options.fullSummarizer !== undefined,
    breakers: createBreakers(clock),
    learned: new Map(),
    errorPatterns: options.errorPatterns ?? [],
    clock,
    emitter,
    trace: options.trace && redactedTrace(options.trace, exported),
    queue: options.queue,
  }
  const open = createOpenSessions<M>(options.storage === undefined ? maxMemory * (1 - shareStored) : maxMemory, restAfter, clock)
  // What most model calls do not need is loaded when it is asked for.
  const deletion = async () => {
    const [{ forget }, { gc }, { placesOf }] = await Promise.all([
      import('../deletion/forget.ts'),
      import('../deletion/gc.ts'),
      import('../deletion/places.ts'),
    ])
    return { forget, gc, places: placesOf(storage, options.archive, options.outputs) }
  }
  const guarding = createGuard(emitter, (options.exporters ?? []).length > 0, options.onReport)
  let lookUps: Compactor<M>['lookUp'] | undefined
  const effectsOf = (id: string): Effects => createEffects(effectDeadline, emitter, id)
  const session = (id: string, known?: unknown, earlier?: string): CompactionSession<M> => {
    const found = open.get(id)
    found?.know(known)
    if (found !== undefined) return found.session
    const made = createSession(id, bounded(parts, effectsOf(id), id), guarding.report, written(known), earlier)
    const session = guardedSession(made.session, guarding)
    open.add(id, { ...made, session })
    return session
  }
  return {
    session,
    conversation(history) {
      const [id, earlier] = conversationIds(history, options.codec)
      if (earlier === undefined || open.get(id) !== undefined) return session(id)
      // What was learned, and stored, while it said less.
      return session(id, open.get(earlier)?.session.state(), earlier)
    },
    async fork(from, to) {
      await createStateStore(boundedStorage(storage, effectsOf(to)), to, clock).create(await session(from).forked())
      return session(to)
    },
    async receiveOutput(tool, output, { signal } = {}) {
      const { outputs } = parts
      if (outputs === undefined) throw new InvalidConfigurationError('outputs', null, 'expected a store for whole outputs: createToolOutputStore(storage)')
      const failed = (error: unknown): void =>
        emitter.emit('', [{ event: 'compact.output_store_failed', severity: 'warning', attributes: { reason: errorName(error) } }])
      if (isDisabled()) return wholeOf(output)
      const received = async (): Promise<string> => {
        const { receiveOutput } = await import('../storage/receive-output.ts')
        const effects = effectsOf('')
        await redaction.ready(boundedStorage(storage, effects))
        return receiveOutput(tool, output, { outputs, policy, tools: options.tools, estimator, redact: redaction.redact, failed, effects }, signal)
      }
      // Of a stream nothing is left to go back to.
      return typeof output === 'string' ? guarding.guard(received, () => output, signal) : received()
    },
    joins: (model) => rulesFor(model).policy.summary.neighbors === 'joined',
    async lookUp(id, round) {
      const { createLookUps } = await import('../recall/look-ups.ts')
      lookUps ??= createLookUps({ codec: options.codec, estimator, emitter, guard: guarding.guard, trace: (of) => traced(parts.trace, effectsOf(of)) })
      return lookUps(id, round)
    },
    async forget(id, how) {
      await emitter.flush() // events on their way to the archive would come after it
      const held = open.get(id)?.session
      const { forget, places } = await deletion()
      const done = await forget(places, id, clock.now(), saidIn(held?.state().checkpoints ?? []), how)
      if (how?.dryRun !== true) held?.close()
      return done
    },
    async gc(options = {}) {
      const { gc, places } = await deletion()
      return gc({
        places,
        now: clock.now(),
        options,
        retention,
        isUsed(segment, since) {
          const found = open.find(segment)
          return found !== undefined && (!found.isIdle() || found.usedAt() >= since)
        },
        close: (segment) => open.find(segment)?.session.close(),
      })
    },
    guard: guarding.guard,
    flush: () => emitter.flush(),
    shutdown: () => emitter.shutdown(),
  }
}

/** What a host carries is read as what a storage holds: checked, and set aside where it cannot be read. */
function written(known: unknown): string | undefined {
  return known === undefined ? undefined : jsonText(known)
}

async function wholeOf(output: string | AsyncIterable<string>): Promise<string> {
  if (typeof output === 'string') return output
  let whole = ''
  for await (const piece of output) whole += piece
  return whole
}

const systemClock: Clock = { now: () => Date.now(), id: () => crypto.randomUUID() }
