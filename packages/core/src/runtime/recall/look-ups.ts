import type { TokenEstimator } from '../../budget/estimate.ts'
import type { MessageCodec } from '../../history/codec.ts'
import { memoized } from '../../history/memoize.ts'
import type { Message } from '../../history/message.ts'
import { mapInPieces } from '../../history/pieces.ts'
import type { CompactionReport, RecallReceipt } from '../../plan/report.ts'
import { inSlices } from '../platform/slices.ts'
import type { Guard } from '../session/guard.ts'
import type { Emitter } from '../telemetry/emitter.ts'
import type { CompactionTrace } from '../telemetry/trace.ts'

/** One round: what a model asked for in one reply, and what it was shown of which history. */
export interface RecallRound<M> {
  readonly history: readonly M[]
  /** The context of the request that was answered so; what stands in it as it is, is not searched. */
  readonly context: readonly M[]
  /** Inputs of its calls of our tool, in order, as it gave them. */
  readonly inputs: readonly unknown[]
  /** Number of the round within its model call, from 1 on. */
  readonly round: number
  /** The receipt of that request: what is free of the budget bounds the answers. */
  readonly tokens: CompactionReport['tokens']
}

/** What a round of look-ups came to. */
export interface RecallAnswers {
  /** One for each input. */
  readonly answers: readonly string[]
  readonly receipt: RecallReceipt
}

interface LookUpParts<M> {
  readonly codec: MessageCodec<M>
  readonly estimator: TokenEstimator
  readonly emitter: Emitter
  readonly guard: Guard
  trace(session: string): CompactionTrace
}

/** What a model is told where we fail. */
const failed = 'The look-up failed. Go on with what you have.'

/** Answers rounds of look-ups: each is an event and a span. Never rejects, and reads nothing but what it is given. */
export function createLookUps<M>({ codec, estimator, emitter, guard, trace }: LookUpParts<M>) {
  const known = new WeakMap<object, Message>()
  const read = (message: M): Message =>
    typeof message === 'object' && message !== null ? memoized(known, message, () => codec.read(message)) : codec.read(message)
  return (session: string, { history, context, inputs, round, tokens }: RecallRound<M>): Promise<RecallAnswers> => {
    const answered = (): Promise<RecallAnswers> =>
      trace(session)({ trigger: 'recall', round, look_ups: inputs.length }, async (done) => {
        const [{ lookUpInPieces }, { leftMessages, roomForLookUps }] = await Promise.all([import('../../recall/look-up.ts'), import('../../recall/rounds.ts')])
        const messages = await inSlices(mapInPieces(history, read))
        const left = leftMessages(history, context)
        const room = roomForLookUps({ budget: tokens.budget, used: tokens.after, lookUps: inputs.length })
        const answers: string[] = []
        let [shown, spent] = [0, 0]
        for (const input of inputs) {
          const found = await inSlices(lookUpInPieces(messages, input, { left, tokens: room, estimator }))
          answers.push(found.text)
          shown += found.shown
          spent += found.tokens
        }
        emitter.emit(session, [{ event: 'compact.recalled', severity: 'info', attributes: { round, look_ups: inputs.length, shown, tokens: spent } }])
        done({ shown, tokens: spent })
        return { answers, receipt: { round, lookUps: inputs.length, shown, tokens: spent } }
      })
    return guard(answered, () => ({ answers: inputs.map(() => failed), receipt: { round, lookUps: inputs.length, shown: 0, tokens: 0 } }))
  }
}
