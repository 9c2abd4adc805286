import type { MessageCodec } from '../../../history/codec.ts'
import { applyPlan, createRenderMemo, type RenderMemo } from '../../../plan/apply.ts'
import type { Measured } from '../../../plan/context.ts'
import type { SummaryPolicy } from '../../../policy/policy.ts'
import { type Checkpoint, project } from '../../../state/checkpoint.ts'
import { showSummary } from '../../../summary/render.ts'

/** Makes the context of a history: the same objects for the same checkpoint, so that a prompt's beginning stays what it was. */
export type Renderer<M> = (source: readonly M[], checkpoint: Checkpoint | undefined, measured: Pick<Measured, 'edits' | 'repairs'>) => readonly M[]

export function createRenderer<M>(codec: MessageCodec<M>, policy: SummaryPolicy): Renderer<M> {
  let memo: { readonly checkpoint: string | null; readonly renders: RenderMemo<M> } = { checkpoint: null, renders: createRenderMemo() }
  return (source, checkpoint, { edits, repairs }) => {
    const key = checkpoint?.id ?? null
    if (memo.checkpoint !== key) memo = { checkpoint: key, renders: createRenderMemo() }
    const written = checkpoint?.summary
    const summary = written && {
      version: written.version,
      messages: (asked: boolean) => showSummary(written, policy, checkpoint, asked),
      joined: policy.neighbors === 'joined',
    }
    return applyPlan(source, { shown: project(source.length, checkpoint), edits, repairs }, codec, summary, memo.renders)
  }
}
