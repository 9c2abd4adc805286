import { createTokenMemo } from '../../budget/estimate.ts'
import { jsonText } from '../../history/json.ts'
import { memoized } from '../../history/memoize.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import { layersOf } from '../../plan/layers.ts'
import { planCompaction } from '../../plan/plan.ts'
import { fingerprintsOf, forgottenLife } from '../../state/forgotten.ts'
import { type PendingCompaction, stateSize } from '../../state/state.ts'
import { loaded } from './committing/load.ts'
import { runAhead } from './compacting/ahead.ts'
import type { ModelRules } from './host/model-rules.ts'
import type { CompactorParts } from './host/parts.ts'
import { learnUsage } from './measuring/learn.ts'
import { inputOf, queuedRequest, type Request, withoutHistory } from './measuring/measure.ts'
import { emptyMemory, type Held, handedOut, restored, type Sent } from './memory.ts'
import { prepare } from './prepare.ts'
import { read } from './read.ts'
import { createHistoryReader } from './reading/history-reader.ts'
import { createReadingAhead } from './reading/read-ahead.ts'
import { createRenderer } from './reading/renderer.ts'
import type { SessionParts } from './session-parts.ts'
import type { CompactionSession, ModelCall, Prepared } from './session-types.ts'
import { noOutputs } from './stored/kept-outputs.ts'
import { createStateStore } from './stored/state-store.ts'
import { createBackground } from './summarizing/background.ts'
import { ownTools } from './tools.ts'

const nothing = (): void => {}

/** What somebody who asks for a compaction may say: what the summary is to look at, and a note for the checkpoint. */
interface Words {
  readonly focus?: string | undefined
  readonly note?: string | undefined
}

/** A session, and what the process that holds it wants to know of it. */
export interface OpenSession<M> {
  readonly session: CompactionSession<M>
  /** Takes a state that the host holds (in its own checkpoint, say), for the next call to use where it is newer than ours. */
  know(known: unknown): void
  /** Ends the compaction beside the agent. @returns a promise that resolves once its lease is given back, where there was one. */
  stop(): Promise<boolean> | undefined
  /** Characters that it holds in memory, about. */
  size(): number
  /** No call is under way, and no compaction beside the agent. */
  isIdle(): boolean
  /** When its last call began, in milliseconds since 1970. */
  usedAt(): number
  /** Lets go of what can be read again from the history that the next call hands over. */
  rest(): void
  /** Fingerprints of what it holds: of what its checkpoints cover, and of the history that was handed over last. */
  said(): readonly string[]
}

/**
 * One conversation: what it remembers, and the turn that its calls take. What a call does stands in a file for each step:
 * `read` → `measure` → `decide` → `carry-out` → `commit` → `hand-out`, composed in `prepare`.
 *
 * @param report - Is told of compactions that no request waited for.
 * @param known - The state that the caller remembers, as JSON, for a storage that has none.
 * @param earlier - Id that the conversation had while it said less.
 */
export function createSession<M>(id: string, given: CompactorParts<M>, report: SessionParts<M>['report'], known?: string, earlier?: string): OpenSession<M> {
  const { codec, outputs, effects } = given
  // Replaced when the session is closed: a call that is under way then goes on with the one it has.
  let held: Held<M> = { memory: emptyMemory }
  let loading: Promise<void> | undefined
  let queue: Promise<void> = Promise.resolve()
  let waiting = 0
  let usedAt = 0
  let news: string | undefined = known

  /** What depends on the model. */
  const ruledBy = ({ policy, estimator }: ModelRules): Pick<SessionParts<M>, 'policy' | 'estimator' | 'tokens' | 'render'> => ({
    policy,
    estimator,
    tokens: createTokenMemo(estimator, policy.trigger.media),
    render: createRenderer(codec, policy.summary),
  })
  const fresh = (): SessionParts<M> => ({
    ...given,
    ...ruledBy(given),
    id,
    report,
    store: createStateStore(given.storage, id, given.clock, known, earlier),
    reader: createHistoryReader(codec),
    background: createBackground(),
    reading: createReadingAhead(),
    kept: outputs && noOutputs(outputs, given, id),
    ready() {
      loading ??= loaded(parts, held.memory).then((stored) => {
        held.memory = restored(held.memory, stored)
        if (!given.redacts) parts.emit('compact.redaction_disabled', 'high', { by: 'the host' })
      })
      return loading.then(() => given.redaction.ready(given.storage))
    },
    soon: (work) => void inTurn(work).catch(nothing),
    emit: (event, severity, attributes) => given.emitter.emit(id, [{ event, severity, attributes }]),
  })
  let parts = fresh()
  const byRules = new Map<ModelRules, SessionParts<M>>()
  /** The parts for a call, by the rules of its model. */
  const partsFor = ({ nextModel, model }: { readonly nextModel?: string; readonly model?: string | null }): SessionParts<M> => {
    const rules = given.rulesFor(nextModel ?? model ?? undefined)
    if (rules.policy === parts.policy && rules.estimator === parts.estimator) return parts
    return memoized(byRules, rules, () => ({ ...parts, ...ruledBy(rules) }))
  }

  /** Takes over what others have stored since the last call: a conversation that was deleted meanwhile must not be continued. */
  const stillThere = async (): Promise<void> => {
    const now = given.clock.now()
    const away = usedAt && now - usedAt
    usedAt = now
    // After so long, even the note that says it was deleted may have been deleted: all is read anew.
    if (away >= forgottenLife) loading = undefined
    await parts.ready()
    const stored = await parts.store.changedSince(now)
    if (stored) held.memory = await (await import('./committing/take-over.ts')).adopted(held.memory, stored)
    await parts.store.touch(now, (parts.kept?.noted.size ?? 0) > 0)
    const told = news
    news = undefined
    if (told) (await import('./committing/take-known.ts')).takeKnown(held, told)
  }
  /** Serves calls one after another, each after reading what is stored: so a session never pays for two summaries at once. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    waiting++
    const result = queue
      .then(() => effects.begin())
      .then(() => stillThere())
      .then(work)
      .finally(() => {
        waiting--
        parts.store.glance(given.clock.now())
      })
    queue = result.then(nothing, nothing) // holds no result in memory
    return result
  }
  /** Prepares a new request: refusals of the last one are forgotten. */
  const anew = (history: readonly M[], call: ModelCall, request?: Request): Promise<Prepared<M>> => {
    held.memory = { ...held.memory, refusals: 0, believed: undefined }
    return prepare(partsFor(call), held, history, call, request)
  }
  const inputFor = (history: readonly M[], call: ModelCall, request?: Request) =>
    inputOf(partsFor(call), held.memory, read(parts, history).messages, call, request)
  /** Words as they may leave the process: redacted. */
  const said = ({ focus, note }: Words): Pick<Request, keyof Words> =>
    omitUndefined({ focus: focus && given.redaction.withhold(focus), note: note && given.redaction.withhold(note) })
  const manual = (words: Words): Request => ({ asked: 'manual', ...said(words) })

  const schedule = (request: Partial<PendingCompaction> = {}): Promise<void> =>
    inTurn(async () => (await import('./committing/pending.ts')).setPending(parts, held, { by: request.by ?? 'user', ...said(request) }))

  const stop = (): Promise<boolean> | undefined => {
    const running = parts.background.running()
    running?.abort()
    return running?.done
  }

  const session: CompactionSession<M> = {
    id,
    earlier,
    beforeModelCall: (history, call = {}) => inTurn(() => anew(history, call)),
    compact: (history, { focus, note, ...call } = {}) => inTurn(() => anew(history, call, manual({ focus, note }))),
    view: (history) => inTurn(async () => (await import('./view.ts')).view(partsFor({ ...held.memory.last?.served }), held.memory, history)),
    read: (history) => inTurn(async () => (await import('./view.ts')).readWhole(parts, history)),
    plan: (history, { asked, ...call } = {}) => planCompaction(inputFor(history, call, asked === undefined ? queuedRequest(held.memory.state) : { asked })),
    afterModelCall({ usage, report }) {
      const sent = report ? (handedOut.get(report.plan) as Sent<M> | undefined) : held.memory.last
      if (usage && sent) held.memory = learnUsage(partsFor(sent.served), held.memory, sent, usage)
    },
    recover: (history, error, call = {}) =>
      inTurn(async () => {
        const { recover } = await import('./recover.ts')
        return recover(partsFor(call), held, history, error, call)
      }),
    schedule,
    background: (history, { focus, ...call } = {}) => runAhead(partsFor(call), held, history, call, () => said({ focus })),
    compactAhead: (history, call = {}) => inTurn(async () => (await import('./compacting/compact-ahead.ts')).compactAhead(partsFor(call), held, history, call)),
    handoff: (history, { focus, signal } = {}) =>
      inTurn(async () => (await import('./handoff.ts')).handoff(parts, held.memory, history, manual({ focus }), signal)),
    remembered: (history, call = {}) => layersOf(inputFor(history, call)),
    rewind: (checkpoint) => inTurn(async () => (await import('./committing/pending.ts')).rewind(parts, held, checkpoint)),
    tools: () => ownTools({ id, schedule }, given, effects, async () => held.memory.last?.messages ?? []),
    state: () => held.memory.state,
    forked: () => inTurn(async () => (await import('./committing/forked.ts')).forked(parts, held)),
    close() {
      stop()
      parts.reading.stop()
      parts = fresh()
      byRules.clear()
      held = { memory: emptyMemory }
      loading = undefined
    },
  }
  return {
    session,
    stop,
    know(known) {
      // Its newest checkpoint, and those it took back, tell whether it is newer than ours. The rest is read only then.
      const { checkpoints, rewound } = Object(known) as { readonly checkpoints?: readonly { readonly id?: string }[]; readonly rewound?: readonly string[] }
      const isHeld = (one: unknown): boolean => held.memory.state.checkpoints.some(({ id }) => id === one)
      if (known && (!isHeld([checkpoints].flat().at(-1)?.id) || [rewound].flat().some(isHeld))) news = jsonText(known)
    },
    // A record has arrows in it, so each of its characters takes two bytes. A session without its history is counted fourfold: its conversation is over, as a rule, and it
    // should make way for others first.
    size: () => parts.reader.size() + (parts.reader.size() > 0 ? 2 : 8) * stateSize(held.memory.state),
    usedAt: () => usedAt,
    rest() {
      if (parts.reader.size() === 0) return
      parts.reading.stop()
      parts = { ...parts, ...ruledBy(given), reader: createHistoryReader(codec), reading: createReadingAhead() }
      byRules.clear()
      held.memory = withoutHistory(held.memory)
    },
    said: () => [...fingerprintsOf(held.memory.state.checkpoints), ...parts.reader.said(), ...(held.memory.last?.said ?? [])],
    isIdle: () => waiting === 0 && parts.background.running() === undefined,
  }
}
