import { builtInEstimator, estimateMessage } from '../../budget/estimate.ts'
import { InsufficientBudgetError } from '../../errors.ts'
import { attempt } from '../../history/attempt.ts'
import type { Message, Tokens } from '../../history/message.ts'
import { sumOf } from '../../history/sum-of.ts'
import { bothSpent, type CompactionReport, type RecallReceipt } from '../../plan/report.ts'
import { lastLookUp, noMoreLookUps, remembers, withLookUps } from '../../recall/adapters.ts'
import { mayRefuseTool, offersRecall } from '../../recall/offer.ts'
import { recallTool } from '../../recall/recall-tool.ts'
import { mayLookUp, type RoundPlace, roundPlace, shownRounds, splitCalls } from '../../recall/rounds.ts'
import { recallMode } from '../platform/disabled.ts'
import type { CompactionSession, ModelCall, Prepared } from '../session/session-types.ts'
import type { RecallRound } from './answer-look-ups.ts'
import { createPassages } from './bring-back.ts'
import type { RecallAnswers } from './look-ups.ts'
import { readWhole } from './read-whole.ts'
import type { LookUpTurn, LookUpTurnOptions, RequestSource, SentRequest } from './turn-types.ts'

export function createLookUpTurn<M, R extends RoundPlace & { readonly tokens: Tokens }, Q extends SentRequest<M>>({
  compactor,
  codec,
  memory,
  session,
  history,
  tools,
  model,
  recall,
  offersIn = ['on'],
  handsOver = 'whole',
  keptElsewhere,
  deadline,
  prepared,
  userMessage,
  messagesOf,
}: LookUpTurnOptions<M, R>): LookUpTurn<M, R, Q> {
  const started = performance.now()
  const mode = recallMode(recall)
  const mayOffer = offersIn.includes(mode)
  const intercepts = mayOffer && mode === 'on' && !tools.includes(recallTool.name)
  const remembered = memory.of(session)
  let current: readonly M[] = []
  let [rounds, withdrawn] = [0, false]
  let receipt: RecallReceipt | undefined
  let sent: RequestSource<M> | undefined = prepared

  let read: readonly Message[] | undefined
  const neutral = (): readonly Message[] => (read ??= history.map((message) => codec.read(message)))
  const tokensOf = (messages: readonly M[]): Tokens => sumOf(messages, (message) => estimateMessage(codec.read(message), builtInEstimator))

  /** Receipts count as the provider does, answers are counted as they are estimated. */
  const estimated = ({ before, after, budget }: CompactionReport['tokens']): CompactionReport['tokens'] => {
    const factor = its?.state().calibration.factor ?? 1
    return { before: before / factor, after: after / factor, budget: budget === null ? null : budget / factor }
  }
  const found = (round: RecallRound<M>): Promise<RecallAnswers> => compactor.lookUp(session.id, { ...round, tokens: estimated(round.tokens) })
  const lookUp = async (inputs: readonly unknown[]): Promise<readonly string[]> => {
    if (sent === undefined) return inputs.map(() => '')
    const { context, report } = sent
    const { answers, receipt: newest } = await found({ history, context, inputs, round: rounds + 1, tokens: report.tokens })
    receipt = newest
    return answers
  }

  const callOf = (call: ModelCall): ModelCall => ({
    ...call,
    overhead: withLookUps(call.overhead, remembered, neutral, tokensOf(current)),
    ...(deadline !== undefined && { deadline: Math.max(0, deadline - (performance.now() - started)) }),
    ...(receipt !== undefined && { recall: receipt }),
  })

  let mayComeBack = mode === 'on' && recall !== 'asked' && handsOver === 'whole' && !keptElsewhere
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
    lookUp: found,
    userMessage,
    messagesOf,
  })

  const goOnWithout = (): boolean => {
    const lookedUp = current.length > 0
    const { shown } = shownRounds(remembered.rounds, neutral(), remembered.checkpoint)
    remembered.rounds = remembered.rounds.filter((round) => !shown.includes(round))
    const dropped = passages.dropShown() || shown.length > 0
    current = []
    withdrawn ||= lookedUp
    receipt = undefined
    mayComeBack = false
    return dropped || lookedUp
  }

  return {
    intercepts,
    current: () => current,
    withdrawn: () => withdrawn,
    goOnWithout,
    tokensOf,
    callOf,
    async prepare(session, call, given) {
      its = session
      served = call.nextModel ?? call.model
      if (remembers(remembered).length > 0) await known()
      const planned = (): Promise<Prepared<M>> => session.beforeModelCall(history, callOf(call))
      const made =
        given ??
        (await planned().catch((error: unknown) => {
          if (!InsufficientBudgetError.isInstance(error) || !goOnWithout()) throw error
          return planned()
        }))
      remembered.checkpoint = made.report.checkpoint
      if (!mayComeBack) return made
      let shown = made
      try {
        // Where there was no room for it, what came back has gone with the compaction that made room: it is looked for once more.
        for (let looks = 0; looks < 2; looks++) {
          const found = await passages.bringBack(shown, call.signal)
          if (found === undefined) return shown
          receipt = found
          const again = await planned()
          remembered.checkpoint = again.report.checkpoint
          const { recall, ...report } = again.report
          const spent = bothSpent(shown.report.spent, report.spent)
          const stays = report.checkpoint === shown.report.checkpoint
          shown = { ...again, report: { ...report, spent, ...(stays && recall !== undefined && { recall }) } }
          if (stays) return shown
          receipt = undefined
        }
      } catch (error) {
        if (call.signal?.aborted === true) throw error
        passages.drop()
        receipt = undefined
      }
      return shown
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
        if (!request.offered || !attempt(() => mayRefuseTool(causeOf(error)), false)) throw error
        const without = bare()
        const result = await send(without)
        memory.refuse(model())
        sent = without
        current = []
        return result
      }
    },
    lookUp,
    async settle({ calls, isOurs, inputOf, roundOf }) {
      const { ours, next } = splitCalls(calls, (call) => intercepts && isOurs(call))
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
