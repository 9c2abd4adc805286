import { usableInput } from '../../budget/limits.ts'
import { InvalidConfigurationError } from '../../errors.ts'
import { jsonText } from '../../history/json.ts'
import { digestWith } from '../../history/sha256.ts'
import { checkOptions } from '../../policy/merge.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import { personalRules } from '../../privacy/rules.ts'
import { noSummarizer } from '../../summary/summarizer.ts'
import { breakersBeside, createBreakers } from '../breaker.ts'
import { retentionTime, usualRetention } from '../deletion/retention.ts'
import { createEffects, type Effects } from '../effects.ts'
import { platformSha256 } from '../platform/sha256.ts'
import { checkRedactor, createRedactor } from '../redactor.ts'
import { boundedStorage } from '../session/host/bounded.ts'
import { createGuard, guardedSession } from '../session/host/guard.ts'
import { modelRules } from '../session/host/model-rules.ts'
import { atOnce, createTried, ownClock, ownCode } from '../session/host/own-code.ts'
import type { GivenParts } from '../session/host/parts.ts'
import { createRedaction } from '../session/host/redaction.ts'
import { createSession } from '../session/session.ts'
import type { CompactionSession } from '../session/session-types.ts'
import { checkedStorage } from '../storage/checked-storage.ts'
import { memoryStorage } from '../storage/memory-storage.ts'
import { createEmitter } from '../telemetry/emitter.ts'
import { redactedTrace } from '../telemetry/trace.ts'
import { conversationIds } from './beginning.ts'
import type { Compactor, CompactorOptions } from './compactor-types.ts'
import { createOpenSessions } from './open-sessions.ts'
import { checkNames } from './option-names.ts'

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
  if (typeof options?.codec?.read !== 'function') throw new InvalidConfigurationError('codec', options?.codec, 'expected a MessageCodec; adapters export one')
  checkNames(options)
  const { effectDeadline = patience, maxMemory = mostMemory, restAfter = Infinity, summarizer = noSummarizer, fullSummarizer = summarizer } = options
  const { codec, directives, retention = usualRetention, personalData, tools, embedder, archive, outputs, queue, redact, limits, errorPatterns } = options
  checkOptions({ effectDeadline, maxMemory, restAfter, personalData, tools })
  retentionTime(retention)
  digestWith(platformSha256())
  const clock = ownClock(options.clock, (what, work) => tried(what, work))
  const storage = checkedStorage(options.storage ?? memoryStorage({ characters: maxMemory * shareStored }))
  const personal = personalData === 'keep' ? undefined : createRedactor(personalRules)
  const redaction = createRedaction(redact ?? createRedactor(), personal, options.storage !== undefined, clock, (error) =>
    tried('redact', () => {
      throw error
    }),
  )
  const exported: Redactor = (text) => (redaction.personal ?? String)(redaction.redact(text))
  const emitter = createEmitter(options.exporters ?? [], clock, exported)
  const guarding = createGuard(emitter, options.onReport)
  const tried = createTried(guarding.fault)
  if (redact) checkRedactor(redact)
  const rulesFor = modelRules(options, tried)
  const { policy, estimator } = rulesFor(undefined)
  if (limits !== undefined && typeof limits !== 'function') usableInput(atOnce('limits', limits), policy.trigger.outputCap)
  const parts: GivenParts<M> = {
    codec,
    limitsOf: (model) =>
      typeof limits === 'function'
        ? atOnce(
            'limits',
            tried('limits', () => limits(model)),
          )
        : limits,
    policy,
    rulesFor,
    directives,
    ...ownCode(options, tried),
    tools,
    summarizer,
    fullSummarizer,
    estimator,
    embedder,
    storage,
    archive,
    outputs,
    redacts: redact !== false,
    redaction,
    paid: fullSummarizer !== noSummarizer,
    breakers: (options.storage && breakersBeside.get(options.storage)) ?? createBreakers(),
    learned: new Map(),
    errorPatterns,
    clock,
    emitter,
    trace: options.trace && redactedTrace(options.trace, exported),
    queue,
  }
  const open = createOpenSessions<M>(codec, maxMemory * (options.storage ? 1 : 1 - shareStored), restAfter, clock)
  // What most model calls do not need is loaded when it is asked for.
  const deletion = async () => (await import('./deletion.ts')).createDeletion(parts, options, open, retention)
  let lookUps: Compactor<M>['lookUp'] | undefined
  const effectsOf = (id: string): Effects => createEffects(effectDeadline, emitter, id)
  const session = (id: string, known?: unknown, history?: readonly M[], earlier?: string): CompactionSession<M> => {
    if (typeof id !== 'string' || !id) throw new InvalidConfigurationError('session', id, 'expected a text: String(id), say')
    const found = open.get(id, history)
    if (found) {
      found.know(known)
      return found.session
    }
    // What a host carries is read as what a storage holds: checked, and set aside where it cannot be read.
    const written = known ? jsonText(known) : undefined
    const effects = effectsOf(id)
    const made = createSession(id, { ...parts, effects, storage: boundedStorage(storage, effects) }, guarding.report, written, earlier)
    const session = guardedSession(made.session, guarding)
    open.add(id, { ...made, session }, history)
    return session
  }
  return {
    session,
    conversation(history) {
      const [id, earlier] = conversationIds(history, codec)
      // What was learned, and stored, while it said less.
      return open.get(id, history)?.session ?? session(id, earlier && open.get(earlier, history)?.session.state(), history, earlier)
    },
    async fork(from, to) {
      const { storeFork } = await import('./store-fork.ts')
      await storeFork(boundedStorage(storage, effectsOf(to)), to, await session(from).forked(), clock.now())
      return session(to)
    },
    async receiveOutput(tool, output, { signal } = {}) {
      const { receive } = await import('./receive.ts')
      return receive(tool, output, parts, guarding.guard, effectsOf(''), signal)
    },
    joins: (model) => rulesFor(model).policy.summary.neighbors === 'joined',
    async lookUp(id, round) {
      const { createLookUps } = await import('../recall/look-ups.ts')
      lookUps ??= createLookUps({ ...parts, open, guard: guarding.guard, effectsOf })
      return lookUps(id, round)
    },
    forget: async (id, how) => (await deletion()).forget(id, how),
    gc: async (how) => (await deletion()).gc(how),
    guard: guarding.guard,
    flush: () => emitter.flush(),
    async shutdown() {
      const { stopWork } = await import('./stop-work.ts')
      await stopWork(open.all.keys())
      await emitter.shutdown()
    },
  }
}
