import type { MessageCodec } from '../../history/codec.ts'
import { fingerprint } from '../../history/fingerprint.ts'
import type { Message, Tokens } from '../../history/message.ts'
import type { CompactionReport, RecallReceipt } from '../../plan/report.ts'
import type { RememberedLookUps } from '../../recall/adapters.ts'
import { asksAnything } from '../../recall/questions.ts'
import { type BroughtBack, ownRounds, type RoundPlace, shownRounds } from '../../recall/rounds.ts'
import type { Prepared } from '../session/session-types.ts'
import type { RecallRound } from './answer-look-ups.ts'
import type { RecallAnswers } from './look-ups.ts'

interface PassageParts<M, R extends RoundPlace> {
  readonly remembered: RememberedLookUps<R>
  readonly codec: MessageCodec<M>
  readonly history: readonly M[]
  /** The history, as it is read; and the same where it may have to be read first. */
  neutral(): readonly Message[]
  readWhole(): Promise<readonly Message[]>
  /** Checkpoints that a request may still be shown. */
  held(): readonly string[]
  /** What comes back is a part of its question's message. */
  joins(): boolean
  tokensOf(messages: readonly M[]): Tokens
  lookUp(round: RecallRound<M>): Promise<RecallAnswers>
  userMessage(text: string): M
  /** What a round shows. */
  messagesOf(round: R): readonly M[]
}

/** What the newest message of a user asks about, brought back before the model is asked: one text of ours in front of it, until the next compaction. */
export interface Passages<M> {
  /** Looks once for each message and checkpoint. undefined: nothing came back that was not there. */
  bringBack(made: Prepared<M>, signal: AbortSignal | undefined): Promise<RecallReceipt | undefined>
  /** The newest was too much: its message goes without. */
  drop(): void
  /** What came back under the checkpoint of the newest request is shown no more. false: there was nothing. */
  dropShown(): boolean
  /** A context with what came back before its messages. */
  within(context: readonly M[], report: CompactionReport): readonly M[]
}

/** Messages behind a question in which it is still looked at. */
const mostSince = 40

export function createPassages<M, R extends RoundPlace>(parts: PassageParts<M, R>): Passages<M> {
  const { remembered, codec, history, neutral, tokensOf, lookUp, userMessage, messagesOf } = parts
  /** Messages up to the question of this turn, in what a user said last: a later call of the turn, or another process, looks as the first one did. 0: nothing is asked. */
  const askedAt = (): number => {
    let isUser = false
    for (let at = history.length; at > Math.max(0, history.length - mostSince); at--) {
      const message = codec.read(history[at - 1] as M)
      if (message.role === 'user' && asksAnything([message])) return at
      // Behind a question somebody may put a reminder.
      if (isUser && message.role !== 'user') return 0
      isUser = message.role === 'user'
    }
    return 0
  }
  let newest: BroughtBack | undefined
  /** In the place of what was found there before; of where nothing was found the newest alone is remembered. */
  const remember = (found: BroughtBack): void => {
    const own = ownRounds(remembered.passages, neutral())
    newest = found
    const isReplaced = ({ mark, checkpoint }: BroughtBack): boolean => mark === found.mark && checkpoint === found.checkpoint
    remembered.passages = [...remembered.passages.filter((one) => !isReplaced(one) && (one.text !== '' || !own.includes(one))), found]
  }

  return {
    async bringBack({ messages: context, report: { checkpoint, tokens } }, signal) {
      const asked = checkpoint === undefined ? 0 : askedAt()
      const message = history[asked - 1]
      if (message === undefined || !context.includes(message)) return undefined
      const read = await parts.readWhole()
      const place: RoundPlace = { after: asked, mark: fingerprint(read, asked), checkpoint }
      // What was shown under another checkpoint has gone with it.
      const { shown, kept } = shownRounds(remembered.passages, read, checkpoint, parts.held())
      const rounds = shownRounds(remembered.rounds, read, checkpoint, parts.held())
      remembered.passages = kept
      remembered.rounds = rounds.kept
      if (shown.some(({ mark }) => mark === place.mark)) return undefined
      // What came back, or was looked up, is no part of the context, and is not said twice.
      const later = new Set(history.slice(asked))
      const outside = [...shown.filter(({ text }) => text !== '').map(({ text }) => userMessage(text)), ...rounds.shown.flatMap(messagesOf)]
      const request = [...context.filter((one) => !later.has(one)), ...outside]
      const { answers, receipt } = await lookUp({ history: history.slice(0, asked), context: request, inputs: [], round: 0, tokens, signal })
      const [text = ''] = answers
      remember({ ...place, text, tokens: text === '' ? 0 : tokensOf([userMessage(text)]), joined: parts.joins() })
      return text === '' ? undefined : receipt
    },
    drop() {
      if (newest !== undefined) remember({ ...newest, text: '', tokens: 0 })
    },
    dropShown() {
      const told = remembered.passages.filter(({ text }) => text !== '')
      const { shown } = shownRounds(told, neutral(), remembered.checkpoint)
      remembered.passages = remembered.passages.map((one) => (shown.includes(one) ? { ...one, text: '', tokens: 0 } : one))
      return shown.length > 0
    },
    within(context, { checkpoint }) {
      if (!remembered.passages.some(({ text }) => text !== '')) return context
      const { shown, kept } = shownRounds(remembered.passages, neutral(), checkpoint, parts.held())
      remembered.passages = kept
      return shown.reduce((all, { after, text, joined }) => {
        const message = history[after - 1] as M
        const at = text === '' ? -1 : all.lastIndexOf(message)
        if (at < 0) return all
        const said = userMessage(text)
        return all.toSpliced(at, 1, ...(joined ? [codec.joinUsers([said, message])] : [said, message]))
      }, context)
    },
  }
}
