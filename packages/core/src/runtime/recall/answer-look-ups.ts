import type { TokenEstimator } from '../../budget/estimate.ts'
import type { Message, Tokens } from '../../history/message.ts'
import { mapInPieces } from '../../history/pieces.ts'
import type { CompactionReport } from '../../plan/report.ts'
import { noMoreLookUps } from '../../recall/adapters.ts'
import { askedAboutInPieces } from '../../recall/asked-about.ts'
import { lookUpInPieces } from '../../recall/look-up.ts'
import { leftMessages, roomForLookUps } from '../../recall/rounds.ts'
import type { Checkpoint } from '../../state/checkpoint.ts'
import { numberOf, withGone } from '../../state/gone.ts'
import { lastPlaced, newestValid } from '../../state/placed.ts'
import { inSlices } from '../platform/slices.ts'

/** One round: what a model asked for in one reply, and what it was shown of which history. */
export interface RecallRound<M> {
  readonly history: readonly M[]
  /** The context of the request that was answered so; what stands in it as it is, is not searched. */
  readonly context: readonly M[]
  /** Inputs of its calls of our tool, in order, as it gave them. None: what the newest message asks about comes back unasked. */
  readonly inputs: readonly unknown[]
  /** Number of the round within its model call, from 1 on; 0 before the model is asked. */
  readonly round: number
  /** Ends the search. */
  readonly signal?: AbortSignal | undefined
  /** The receipt of that request: what is free of the budget bounds the answers. */
  readonly tokens: CompactionReport['tokens']
}

/** Tokens of what comes back unasked, at most; and never more than is free below this share of the budget. */
const mostUnasked: Tokens = 400
const nearlyFull = 0.98

const notHandedOver: Message = {
  role: 'system',
  parts: [{ type: 'text', text: 'This message is not handed over any more: only the summary says what it was.' }],
}

/** The answers of one round, with the Tokens that they are and those of what they show. */
export async function answerLookUps<M>(
  { history, context, inputs, tokens, signal }: RecallRound<M>,
  read: (message: M) => Message,
  estimator: TokenEstimator,
  checkpoints: readonly Checkpoint[] = [],
): Promise<{ readonly answers: readonly string[]; readonly shown: number; readonly spent: Tokens }> {
  const given = await inSlices(mapInPieces(history, read), signal)
  // A summary calls messages by the numbers of the whole conversation.
  const gone = checkpoints.some((one) => (lastPlaced.get(one) ?? one).gone) ? newestValid(checkpoints, given)?.gone : undefined
  const messages = withGone(given, gone, () => notHandedOver)
  const left = new Set([...leftMessages(history, context)].map((index) => numberOf(index, gone)))
  const shown = await inSlices(mapInPieces(context, read), signal)
  if (inputs.length === 0) {
    const free = tokens.budget === null ? Infinity : tokens.budget * nearlyFull - tokens.after
    const bounds = { left, tokens: Math.min(mostUnasked, free), estimator }
    const found = await inSlices(askedAboutInPieces(messages, shown, bounds), signal)
    return found === undefined ? { answers: [], shown: 0, spent: 0 } : { answers: [found.text], shown: found.shown, spent: found.tokens }
  }
  const { answered, each } = roomForLookUps({ budget: tokens.budget, used: tokens.after, lookUps: inputs.length })
  const answers: string[] = []
  let [passages, spent] = [0, 0]
  for (const input of inputs.slice(0, answered)) {
    const found = await inSlices(lookUpInPieces(messages, input, { left, shown, tokens: each, estimator }), signal)
    answers.push(found.text)
    passages += found.shown
    spent += found.tokens
  }
  return { answers: [...answers, ...inputs.slice(answered).map(() => noMoreLookUps)], shown: passages, spent }
}
