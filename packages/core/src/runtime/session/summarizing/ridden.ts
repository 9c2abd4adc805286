import type { Message } from '../../../history/message.ts'
import type { CompactionPlan } from '../../../plan/compaction-plan.ts'
import type { PlanInput } from '../../../plan/context.ts'
import { measureContext } from '../../../plan/shorten.ts'
import type { CompactionPolicy } from '../../../policy/policy.ts'
import type { Renderer } from '../reading/renderer.ts'
import type { SummarizeInput } from './summarize-input.ts'

/**
 * The context as it would be sent now, where the policy wants the summary's request to ride on it and nothing in it waits for an answer.
 * It ends behind the last message that leaves: what the summarizer sees of the conversation, the checkpoint's address holds. Another conversation that
 * begins alike goes on from the same checkpoint.
 */
export function ridden<M>(
  { policy, render }: { readonly policy: CompactionPolicy; readonly render: Renderer<M> },
  { source, messages }: { readonly source: readonly M[]; readonly messages: readonly Message[] },
  input: PlanInput,
  plan: CompactionPlan,
): Pick<SummarizeInput, 'prefix'> {
  if (policy.summary.request !== 'prefix') return {}
  const waits = messages.at(-1)?.parts.some((part) => part.type === 'tool-call' || part.type === 'approval') ?? true
  const end = [...plan.summarize, ...plan.drop].reduce((most, index) => Math.max(most, index + 1), 0)
  if (waits || end === 0) return {}
  const { checkpoint } = input
  const isSeen = (index: number): boolean => index < end
  const seen = checkpoint && { ...checkpoint, kept: checkpoint.kept.filter(isSeen), edits: checkpoint.edits.filter((edit) => isSeen(edit.index)) }
  const { total, repairs } = measureContext({ ...input, messages: messages.slice(0, end), checkpoint: seen, settled: true })
  const { edits } = measureContext(input)
  return { prefix: { messages: render(source.slice(0, end), seen, { edits, repairs }), tokens: total } }
}
