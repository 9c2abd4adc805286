import type { MessageCodec } from '../../history/codec.ts'
import type { Tokens } from '../../history/message.ts'
import type { CompactionReport } from '../../plan/report.ts'
import type { KnownConversation, RecallMemory } from '../../recall/adapters.ts'
import type { RecallMode, RecallOption } from '../../recall/offer.ts'
import type { RoundPlace } from '../../recall/rounds.ts'
import type { CompactionSession, ModelCall, Prepared } from '../session/session-types.ts'
import type { RecallRound } from './answer-look-ups.ts'
import type { RecallAnswers } from './look-ups.ts'

/** A call of a model, as an adapter knows it. `R`: its rounds, as later requests show them. */
export interface LookUpTurnOptions<M, R> {
  readonly compactor: { joins(model: string | undefined): boolean; lookUp(session: string, round: RecallRound<M>): Promise<RecallAnswers> }
  readonly codec: MessageCodec<M>
  readonly memory: RecallMemory<R>
  readonly session: KnownConversation
  readonly history: readonly M[]
  /** Names of the functions that the call itself offers. */
  readonly tools: readonly string[]
  /** Under this name a model is remembered that refuses our tool. */
  readonly model: () => string
  /** As the caller wrote it: what it means is decided here. Default `on`. */
  readonly recall: RecallOption | undefined
  /** Modes in which the adapter puts our tool into the list. Default: `on` alone; in `tool` it stands among the agent’s own. */
  readonly offersIn?: readonly RecallMode[]
  /** `cut`: the host replaces what was summarized, and nothing comes back by itself. Default `whole`. */
  readonly handsOver?: 'whole' | 'cut'
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
  /** Calls of our tool are answered within this call and never shown, offered or not: unless the host has one of that name, or wants them itself. */
  readonly intercepts: boolean
  /** Rounds of this call, as messages. */
  current(): readonly M[]
  /** Our tool was taken back: who asked for more than there is goes on without it. */
  withdrawn(): boolean
  /** What came back or was looked up, in this call or before it, is too much: it goes on without that, and without our tool where this call looked it up. false: there is nothing of either. */
  goOnWithout(): boolean
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
