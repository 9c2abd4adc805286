import type { Message, ToolResultPart } from '../../history/message.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import type { ToolOutputStore } from '../storage/output-store.ts'

/** Sees to it that whole outputs are in the store before the model is shown less of them. */
export interface OutputKeeper {
  /** @throws what the storage throws. */
  keep(plan: CompactionPlan, messages: readonly Message[], signal: AbortSignal | undefined): Promise<void>
}

export function createOutputKeeper(outputs: Pick<ToolOutputStore, 'keep' | 'save'>, redact: Redactor): OutputKeeper {
  const kept = new WeakSet<ToolResultPart>()
  return {
    async keep(plan, messages, signal) {
      const shortened = new Set(plan.edits.map((edit) => edit.callId))
      for (const message of messages) {
        for (const part of message.parts) {
          if (part.type !== 'tool-result' || part.output === '' || kept.has(part)) continue
          if (outputs.keep === 'shortened' && !shortened.has(part.callId)) continue
          await outputs.save(part.output, { redact, ...omitUndefined({ signal }) })
          kept.add(part)
        }
      }
    },
  }
}
