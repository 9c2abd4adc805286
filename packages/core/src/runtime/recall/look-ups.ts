import type { TokenEstimator } from '../../budget/estimate.ts'
import type { MessageCodec } from '../../history/codec.ts'
import { memoized } from '../../history/memoize.ts'
import type { Message } from '../../history/message.ts'
import type { RecallReceipt } from '../../plan/report.ts'
import type { Effects } from '../effects.ts'
import type { Guard } from '../session/host/guard.ts'
import type { CompactionSession } from '../session/session-types.ts'
import type { Emitter } from '../telemetry/emitter.ts'
import { type CompactionTrace, traced } from '../telemetry/trace.ts'
import type { RecallRound } from './answer-look-ups.ts'

/** What a round of look-ups came to. */
export interface RecallAnswers {
  /** One for each input. */
  readonly answers: readonly string[]
  readonly receipt: RecallReceipt
}

interface LookUpParts<M> {
  readonly codec: MessageCodec<M>
  /** Conversations by their ids: their summaries know which messages are not handed over any more. */
  readonly open: { get(id: string): { readonly session: CompactionSession<M> } | undefined }
  readonly estimator: TokenEstimator
  readonly emitter: Emitter
  readonly guard: Guard
  readonly trace: CompactionTrace | undefined
  effectsOf(session: string): Effects
}

/** What a model is told where we fail. */
const failed = 'The look-up failed. Go on with what you have.'

/** Answers rounds of look-ups: each is an event and a span. Never rejects, and reads nothing but what it is given. */
export function createLookUps<M>({ codec, open, estimator, emitter, guard, trace, effectsOf }: LookUpParts<M>) {
  const known = new WeakMap<object, Message>()
  const read = (message: M): Message =>
    typeof message === 'object' && message !== null ? memoized(known, message, () => codec.read(message)) : codec.read(message)
  return (session: string, asked: RecallRound<M>): Promise<RecallAnswers> => {
    const { inputs, round } = asked
    const answered = (): Promise<RecallAnswers> =>
      traced({ trace, effects: effectsOf(session) })({ trigger: 'recall', round, look_ups: inputs.length }, async (done) => {
        const { answerLookUps } = await import('./answer-look-ups.ts')
        const { answers, shown, spent } = await answerLookUps(asked, read, estimator, open.get(session)?.session.state().checkpoints)
        if (shown > 0 || round > 0)
          emitter.emit(session, [{ event: 'compact.recalled', severity: 'info', attributes: { round, look_ups: inputs.length, shown, tokens: spent } }])
        done({ shown, tokens: spent })
        return { answers, receipt: { round, lookUps: inputs.length, shown, tokens: spent } }
      })
    return guard(answered, () => ({ answers: inputs.map(() => failed), receipt: { round, lookUps: inputs.length, shown: 0, tokens: 0 } }), asked.signal)
  }
}
