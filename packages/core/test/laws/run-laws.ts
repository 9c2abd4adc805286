import {
  builtInEstimator,
  type CompactionSession,
  createCompactor,
  estimateMessage,
  groupMessages,
  InsufficientBudgetError,
  type Message,
  type PolicyOverrides,
  type Redactor,
  type Summarizer,
  type TokenEstimator,
} from '@precis/core'
import { brokenLaws, fakeClock, neutralCodec } from '@precis/testkit'

export const limits = (contextWindow: number) => ({ contextWindow, maxOutput: 500 })

/** Histories come in steps, as an agent makes them: prefixes that end where a model would be called. */
function* stages(history: readonly Message[], every: number): Generator<readonly Message[]> {
  const groups = groupMessages(history)
  for (let at = 0; at < groups.length; at += every) {
    const stage = history.slice(0, groups[at]?.end)
    const ready = stage.some((message) => message.role === 'user') && stage.at(-1)?.role !== 'assistant' && !groupMessages(stage).some((group) => group.pending)
    if (ready) yield stage
  }
  if (history.at(-1)?.role !== 'assistant' && !groups.some((group) => group.pending)) yield history
}

export interface Run {
  readonly compactions: number
  readonly broken: readonly string[]
}

export async function run(
  history: readonly Message[],
  window: number,
  every: number,
  options: { policy?: PolicyOverrides; summarizer?: Summarizer; estimator?: TokenEstimator; redact?: Redactor; pending?: boolean; skew?: number } = {},
): Promise<Run> {
  const { estimator = builtInEstimator } = options
  const compactor = createCompactor({
    codec: neutralCodec,
    limits: limits(window),
    clock: fakeClock(),
    estimator,
    ...(options.policy !== undefined && { policy: options.policy }),
    ...(options.redact !== undefined && { redact: options.redact }),
    ...(options.summarizer !== undefined && { summarizer: options.summarizer }),
  })
  const session = compactor.session('s')
  const broken: string[] = []
  let compactions = 0
  let previous: readonly Message[] = []
  let checkpoint: string | undefined
  for (const stage of stages(history, every)) {
    try {
      const { messages, report } = await session.beforeModelCall(stage)
      if (report.outcome !== 'unchanged' && report.outcome !== 'projected') compactions++
      broken.push(
        ...brokenLaws({
          history: stage,
          context: messages,
          plan: report.plan,
          tokens: { after: report.tokens.after, budget: options.skew === undefined ? report.tokens.budget : null },
          pending: options.pending === true,
        }),
      )
      // Prefix stability: without a compaction, or one made behind the scenes, the context only grows.
      if (report.checkpoint === checkpoint)
        previous.forEach((message, at) => {
          if (messages[at] !== message && JSON.stringify(messages[at]) !== JSON.stringify(message))
            broken.push(`prefix: message ${at} of ${previous.length} changed without a compaction`)
        })
      const sent = messages.reduce((sum, message) => sum + estimateMessage(message, estimator), 0)
      if (options.skew !== undefined) {
        broken.push(...learns(session, sent, options.skew))
        previous = messages
        checkpoint = report.checkpoint
        continue
      }
      // Measure: what is sent is no larger than what was counted.
      if (sent > report.tokens.after) broken.push(`measure: ${sent} tokens are sent, ${report.tokens.after} were counted`)
      // Idempotence: nothing was added, so nothing happens; only maintenance may find, once, that what a summary left is due.
      let again = await session.beforeModelCall(stage)
      if (again.report.plan.decision.reason === 'maintenance') again = await session.beforeModelCall(stage)
      if (again.report.plan.decision.action !== 'none' && report.tokens.after < (report.plan.decision.usable ?? 0) * 0.8)
        broken.push(`idempotence: ${again.report.plan.decision.reason} behind ${report.plan.decision.reason}`)
      previous = again.messages
      checkpoint = again.report.checkpoint
      for (const checkpoint of session.state().checkpoints)
        if (JSON.stringify(JSON.parse(JSON.stringify(checkpoint))) !== JSON.stringify(checkpoint)) broken.push('round trip: checkpoint')
    } catch (error) {
      if (!InsufficientBudgetError.isInstance(error)) throw error
      previous = []
    }
  }
  return { compactions, broken }
}

/** Calibration: a provider that counts `skew` tokens for each of ours is believed, whatever was mended in what it was sent. What is made one message is counted as several, which is much of a small prompt. */
function learns(session: CompactionSession<Message>, sent: number, skew: number): readonly string[] {
  session.afterModelCall({ usage: { input: Math.round(sent * skew), cacheRead: 0, cacheWrite: 0, output: 50 } })
  const { factor } = session.state().calibration
  const [low, high] = [Math.min(1, skew) * 0.9, Math.max(1, skew) * 1.1]
  return sent > 300 && (factor < low || factor > high) ? [`calibration: ${factor.toFixed(2)} was learned where ${skew} is true`] : []
}
