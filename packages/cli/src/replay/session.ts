import {
  type CompactionReport,
  type CompactorOptions,
  createCompactor,
  InsufficientBudgetError,
  type MessageCodec,
  type PolicyOverrides,
  pairToolCalls,
  summaryMark,
  type TokenEstimator,
} from '@precis/core'
import type { Replayer } from './measure.ts'
import { continues, type Said, saidBy } from './said.ts'

/** The metric's ruler as an estimator, so that a window means the same for everybody. */
export const ruler: TokenEstimator = { name: 'characters/4', count: (text) => Math.ceil(text.length / 4) }

/** A conversation, with the codec that reads its messages. */
export interface Conversation<M> {
  readonly messages: readonly M[]
  readonly codec: MessageCodec<M>
}

/** What the library did before one call. */
export interface PreparedCall {
  readonly report: CompactionReport
  /** What a summary says, where this call made one. */
  readonly summary?: string
}

export interface SessionReplayer<M> {
  readonly replayer: Replayer
  /** By the position of the model's message. Calls that could not be made are not in it. */
  readonly prepared: ReadonlyMap<number, PreparedCall>
  /** The messages of the newest call. */
  readonly lastContext: () => readonly M[]
}

export function conversationSaid<M>({ messages, codec }: Conversation<M>): readonly Said[] {
  const read = messages.map((message) => codec.read(message))
  return read.map((message, at) => ({ role: message.role, text: saidBy(message), ...(continues(read[at - 1], message) && { continues: true }) }))
}

/**
 * The library itself, through its public interface and without a model: one session that is asked before each call. The window is all that prompts may
 * take: no reply is reserved for. Secrets are not replaced, so that a name counts whatever it looks like.
 */
export function sessionReplayer<M>(
  { messages, codec }: Conversation<M>,
  { policy, ...options }: { readonly policy: PolicyOverrides } & Partial<CompactorOptions<M>>,
): SessionReplayer<M> {
  let session: ReturnType<ReturnType<typeof createCompactor<M>>['session']> | undefined
  const prepared = new Map<number, PreparedCall>()
  let last: readonly M[] = []
  const texts = new WeakMap<object, string>()
  const textOf = (message: M): string => {
    const key = message as object // messages of every codec are objects
    const text = texts.get(key) ?? saidBy(codec.read(message))
    texts.set(key, text)
    return text
  }
  const called = new Set<string>()
  let seen = 0
  const replayer: Replayer = async ({ length }, window) => {
    session ??= createCompactor<M>({ codec, estimator: ruler, limits: { contextWindow: 0, maxInput: window }, policy, redact: false, ...options }).session(
      'replay',
    )
    for (; seen < length; seen++) for (const part of codec.read(messages[seen] as M).parts) if (part.type === 'tool-result') called.add(part.callId)
    try {
      const { messages: context, report } = await session.beforeModelCall(messages.slice(0, length))
      last = context
      const sent = context.map(textOf)
      const wrote = report.outcome === 'unchanged' || report.outcome === 'projected' ? undefined : sent.find((text) => summaryMark(text) !== undefined)
      prepared.set(length, { report, ...(wrote !== undefined && { summary: wrote }) })
      const { pairs, orphans } = pairToolCalls(context.map((message) => codec.read(message)))
      // Calls that the recording itself never answers are not the policy's doing.
      const open = pairs.filter(({ result, callId }) => result === undefined && called.has(callId))
      return { texts: sent, unpaired: orphans.length + open.length }
    } catch (error) {
      if (!InsufficientBudgetError.isInstance(error)) throw error
      return { texts: [], stopped: error.message }
    }
  }
  return { replayer, prepared, lastContext: () => last }
}
