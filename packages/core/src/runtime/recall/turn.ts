import { builtInEstimator, estimateMessage } from '../../budget/estimate.ts'
import type { MessageCodec } from '../../history/codec.ts'
import type { Message, Tokens } from '../../history/message.ts'
import type { CompactionReport, RecallReceipt } from '../../plan/report.ts'
import { lastLookUp, noMoreLookUps, type RecallMemory, remembers, withLookUps } from '../../recall/adapters.ts'
import { recallTool } from '../../recall/look-up.ts'
import { mayRefuseTool, offersRecall } from '../../recall/offer.ts'
import { mayLookUp, type RoundPlace, roundPlace, shownRounds, splitCalls } from '../../recall/rounds.ts'
import type { CompactionSession, ModelCall, Prepared } from '../session/session-types.ts'
import type { RecallRound } from './answer-look-ups.ts'
import { createPassages } from './bring-back.ts'
import type { RecallAnswers } from './look-ups.ts'
import { readWhole } from './read-whole.ts'

/** A call of a model, as an adapter knows it. `R`: its rounds, as later requests show them. */
export interface LookUpTurnOptions<M, R> {
  readonly compactor: { joins(model: string | undefined): boolean; lookUp(session: string, round: RecallRound<M>): Promise<RecallAnswers> }
  readonly codec: MessageCodec<M>
  readonly memory: RecallMemory<R>
  /** Id of the session. */
  readonly session: string
  readonly history: readonly M[]
  /** Names of the functions that the call itself offers. */
  readonly tools: readonly string[]
  /** Under this name a model is remembered that refuses our tool. */
  readonly model: () => string
  /** Our tool may stand in the list. */
  readonly mayOffer: boolean
  /** Calls of it are answered within this call. */
  readonly answers: boolean
  /** What the newest message asks about comes back without a look-up. */
  readonly unasked: boolean
  /** The provider keeps the conversation or the prompt: `isKeptElsewhere`. */
  readonly keptElsewhere: boolean
  /** Milliseconds that the caller gives this call; undefined when nobody says. */
  readonly deadline?: number | undefined
  /** Behind a request that may go out without `send`. */
  readonly prepared?: RequestSource<M>
  /** A message of the user with this text. */
  userMessage(text: string): M
  /** What later requests show of a round. */
  messagesOf(round: R): readonly M[]
}

/** What a request is made of. */
export interface RequestSource<M> {
  /** Without rounds. */
  readonly context: readonly M[]
  readonly report: CompactionReport
}

/** A request, and what stands behind it. */
export interface SentRequest<M> extends RequestSource<M> {
  /** Our tool stands in its list. */
  readonly offered: boolean
}

/** What an adapter knows of one reply. */
export interface RepliedCalls<M, C> {
  readonly calls: readonly C[]
  isOurs(call: C): boolean
  inputOf(call: C): unknown
  /** The reply and the answers, as the next request shows them. */
  roundOf(ours: readonly C[], answers: readonly string[]): readonly M[]
}

/** What becomes of a reply: `again`, the next round follows; `beside`, it is returned, and these calls of ours are answered with the next request; or `return`. */
export interface SettledCalls<C> {
  readonly next: 'return' | 'beside' | 'again'
  readonly ours: readonly C[]
  /** One for each of ours; none where nothing was looked up. */
  readonly answers: readonly string[]
}

/** One call of a model: one request, or up to two rounds of look-ups more. */
export interface LookUpTurn<M, R, Q extends SentRequest<M>> {
  /** Rounds of this call, as messages. */
  current(): readonly M[]
  /** Our tool was taken back: who asked for more than there is goes on without it. */
  withdrawn(): boolean
  /** Uncalibrated. */
  tokensOf(messages: readonly M[]): Tokens
  /** The call, with what we add to it: the definition of our tool, rounds, what the newest look-ups came to. */
  callOf(call: ModelCall): ModelCall
  /** Whether our tool stands in the list of a request with this receipt: once there it stays. */
  offers(report: CompactionReport): boolean
  /** Rounds of before that a request with this receipt shows. */
  shown(report: CompactionReport): readonly R[]
  /** What this call has behind it, and what the newest message asks about beside it. `made`: what was prepared already. */
  prepare(session: CompactionSession<M>, call: ModelCall, made?: Prepared<M>): Promise<Prepared<M>>
  /** A context with what came back unasked, before the message that asked about it. */
  withPassages(context: readonly M[], report: CompactionReport): readonly M[]
  /** Sends a request: once more without our tool, where the refusal may have been for its sake. `causeOf`: the provider's own error. */
  send<T>(request: Q, bare: () => Q, send: (request: Q) => Promise<T>, causeOf?: (error: unknown) => unknown): Promise<T>
  /** What these inputs find in the history behind the newest request. */
  lookUp(inputs: readonly unknown[]): Promise<readonly string[]>
  settle<C>(reply: RepliedCalls<M, C>): Promise<SettledCalls<C>>
  /** Rounds that later requests show, in the place of those that were asked for in the same place before. */
  keep(roundAt: (place: RoundPlace) => R): void
}

export function createLookUpTurn<M, R extends RoundPlace & { readonly tokens: Tokens }, Q extends SentRequest<M>>({
  compactor,
  codec,
  memory,
  session,
  history,
  tools,
  model,
  mayOffer,
  answers: mayAnswer,
  unasked,
  keptElsewhere,
  deadline,
  prepared,
  userMessage,
  messagesOf,
}: LookUpTurnOptions<M, R>): LookUpTurn<M, R, Q> {
  const started = performance.now()
  const remembered = memory.of(session)
  let current: readonly M[] = []
  let [rounds, withdrawn] = [0, false]
  let receipt: RecallReceipt | undefined
  let sent: RequestSource<M> | undefined = prepared

  let read: readonly Message[] | undefined
  const neutral = (): readonly Message[] => (read ??= history.map((message) => codec.read(message)))
  const tokensOf = (messages: readonly M[]): Tokens => messages.reduce((sum, message) => sum + estimateMessage(codec.read(message), builtInEstimator), 0)

  const lookUp = async (inputs: readonly unknown[]): Promise<readonly string[]> => {
    if (sent === undefined) return inputs.map(() => '')
    const { context, report } = sent
    const found = await compactor.lookUp(session, { history, context, inputs, round: rounds + 1, tokens: report.tokens })
    receipt = found.receipt
    return found.answers
  }

  const callOf = (call: ModelCall): ModelCall => ({
    ...call,
    overhead: withLookUps(call.overhead, remembered, neutral, tokensOf(current)),
    ...(receipt !== undefined && { recall: receipt }),
  })

  const mayComeBack = unasked && !keptElsewhere
  let its: CompactionSession<M> | undefined
  let served: string | undefined
  const held = (): readonly string[] => its?.state().checkpoints.map(({ id }) => id) ?? []
  const known = async (): Promise<readonly Message[]> => {
    if (read === undefined && its !== undefined) read = await readWhole(its, codec, history)
    return neutral()
  }
  const passages = createPassages({
    remembered,
    codec,
    history,
    neutral,
    readWhole: known,
    held,
    joins: () => compactor.joins(served),
    tokensOf,
    lookUp: (round) => compactor.lookUp(session, round),
    userMessage,
    messagesOf,
  })

  return {
    current: () => current,
    withdrawn: () => withdrawn,
    tokensOf,
    callOf,
    async prepare(session, call, given) {
      its = session
      served = call.nextModel ?? call.model
      if (remembers(remembered).length > 0) await known()
      const made = given ?? (await session.beforeModelCall(history, callOf(call)))
      remembered.checkpoint = made.report.checkpoint
      if (!mayComeBack) return made
      try {
        const found = await passages.bringBack(made, call.signal)
        if (found === undefined) return made
        receipt = found
        const again = await session.beforeModelCall(history, callOf(call))
        remembered.checkpoint = again.report.checkpoint
        const { prompt, reply } = made.report.spent
        const { recall, ...report } = again.report
        const spent = { prompt: prompt + report.spent.prompt, reply: reply + report.spent.reply }
        // Compacted once more: it has gone with the checkpoint that it was found for.
        const stays = report.checkpoint === made.report.checkpoint
        if (!stays) receipt = undefined
        return { ...again, report: { ...report, spent, ...(stays && recall !== undefined && { recall }) } }
      } catch (error) {
        if (call.signal?.aborted === true) throw error
        passages.drop()
        return made
      }
    },
    withPassages: (context, report) => (mayComeBack ? passages.within(context, report) : context),
    offers({ checkpoint }) {
      const { offered: before } = remembered
      const refused = memory.refuses(model())
      const offered =
        mayOffer && !withdrawn && offersRecall(recallTool.name, { tools, compacted: checkpoint !== undefined, offered: before, refused, keptElsewhere })
      remembered.offered ||= offered
      return offered
    },
    shown({ checkpoint }) {
      if (remembered.rounds.length === 0) return []
      const { shown, kept } = shownRounds(remembered.rounds, neutral(), checkpoint, held())
      remembered.rounds = kept
      return shown
    },
    async send(request, bare, send, causeOf = (error) => error) {
      sent = request
      try {
        return await send(request)
      } catch (error) {
        const tooMuch = passages.areTooMuch(causeOf(error))
        if (!tooMuch && (!request.offered || !mayRefuseTool(causeOf(error)))) throw error
        const without = bare()
        const result = await send(without)
        if (!tooMuch) memory.refuse(model())
        sent = without
        current = []
        return result
      }
    },
    lookUp,
    async settle({ calls, isOurs, inputOf, roundOf }) {
      const { ours, next } = splitCalls(calls, (call) => mayAnswer && isOurs(call))
      // Without any tool in the request a call cannot be sent back.
      if (next === 'return' || sent === undefined || tools.length === 0 || keptElsewhere || withdrawn) return { next: 'return', ours, answers: [] }
      const inputs = ours.map(inputOf)
      if (next === 'beside') return { next, ours, answers: await lookUp(inputs) }
      const may = mayLookUp({ rounds, elapsed: performance.now() - started, deadline })
      const found = may ? await lookUp(inputs) : ours.map(() => noMoreLookUps)
      // Who asks again all the same is not given the tool any more: another choice of tools would take the agent's own from it.
      withdrawn = !may
      if (withdrawn) receipt = undefined
      rounds++
      const closing = may && !mayLookUp({ rounds, elapsed: 0 }) ? lastLookUp : ''
      const answers = found.map((text) => text + closing)
      current = [...current, ...roundOf(ours, answers)]
      return { next: 'again', ours, answers }
    },
    keep(roundAt) {
      const round = roundAt(roundPlace(neutral(), sent?.report.checkpoint))
      remembered.rounds = [...remembered.rounds.filter(({ mark }) => mark !== round.mark), round]
    },
  }
}
