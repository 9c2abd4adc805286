import type { MessageCodec } from '../../history/codec.ts'
import type { Message, Tokens } from '../../history/message.ts'
import type { CompactionReport, RecallReceipt } from '../../plan/report.ts'
import type { Remembered } from '../../recall/adapters.ts'
import { type RoundPlace, roundPlace, shownRounds } from '../../recall/rounds.ts'
import type { Prepared } from '../session/session-types.ts'
import type { RecallRound } from './answer-look-ups.ts'
import type { RecallAnswers } from './look-ups.ts'

interface PassageParts<M> {
  readonly remembered: Remembered<RoundPlace>
  readonly codec: MessageCodec<M>
  readonly history: readonly M[]
  /** The history, as it is read. */
  neutral(): readonly Message[]
  tokensOf(messages: readonly M[]): Tokens
  lookUp(round: RecallRound<M>): Promise<RecallAnswers>
  userMessage(text: string): M
}

/** What the newest message of a user asks about, brought back before the model is asked: one message of ours in front of it, until the next compaction. */
export interface Passages<M> {
  /** Looks once for each message and checkpoint. undefined: nothing came back that was not there. */
  bringBack(made: Prepared<M>): Promise<RecallReceipt | undefined>
  /** The newest was too much. */
  drop(): void
  /** A context with what came back before its messages. */
  within(context: readonly M[], report: CompactionReport): readonly M[]
}

export function createPassages<M>({ remembered, codec, history, neutral, tokensOf, lookUp, userMessage }: PassageParts<M>): Passages<M> {
  return {
    async bringBack({ messages: context, report }) {
      const newest = history.at(-1)
      if (report.checkpoint === undefined || newest === undefined || codec.read(newest).role !== 'user') return undefined
      const place = roundPlace(neutral().slice(0, -1), report.checkpoint)
      const isHere = ({ mark }: RoundPlace): boolean => mark === place.mark
      if (remembered.passages.some((one) => isHere(one) && one.checkpoint === place.checkpoint)) return undefined
      // What came back before is no part of the context, and is not said twice.
      const before = remembered.passages.filter(({ checkpoint }) => checkpoint === place.checkpoint).map(({ text }) => userMessage(text))
      const { answers, receipt } = await lookUp({ history, context: [...context, ...before], inputs: [], round: 0, tokens: report.tokens })
      const [text] = answers
      if (text === undefined) return undefined
      const tokens = tokensOf([userMessage(text)])
      remembered.passages = [...remembered.passages.filter((one) => !isHere(one)), { ...place, text, tokens }]
      return receipt
    },
    drop() {
      remembered.passages = remembered.passages.slice(0, -1)
    },
    within(context, { checkpoint }) {
      if (remembered.passages.length === 0) return context
      const { shown, kept } = shownRounds(remembered.passages, neutral(), checkpoint)
      remembered.passages = kept
      return shown.reduce((all, { after, text }) => {
        const at = all.indexOf(history[after] as M)
        return at < 0 ? all : all.toSpliced(at, 0, userMessage(text))
      }, context)
    },
  }
}
