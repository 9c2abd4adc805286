import type { Message, ToolResultPart } from '../../history/message.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'
import type { PrunePolicy } from '../../policy/policy.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import { folderOf } from '../../state/keys.ts'
import type { StorageDriver } from '../storage/driver.ts'
import type { ToolOutputStore } from '../storage/output-store.ts'

/** Sees to it that whole outputs are in the store before the model is shown less of them. */
export interface OutputKeeper {
  /** @throws what the storage throws. */
  keep(plan: CompactionPlan, messages: readonly Message[], usual: PrunePolicy['store'], signal: AbortSignal | undefined): Promise<void>
  /** Whether anything is stored for this session. */
  hasKept(): boolean
}

/** What a keeper works with, and what it has done. */
export interface KeptOutputs {
  readonly outputs: Pick<ToolOutputStore, 'keep' | 'save'>
  readonly redact: Redactor
  /** Notes under `key` which outputs are this session's: they stay while it does, and go with it. */
  readonly storage: StorageDriver
  readonly key: string
  /** Stored by this process. */
  readonly kept: WeakSet<ToolResultPart>
  /** Ids of this session's, together with what other processes noted. */
  readonly noted: Set<string>
}

export function createOutputKeeper(outputs: KeptOutputs['outputs'], redact: Redactor, storage: StorageDriver, sessionId: string): OutputKeeper {
  const known: KeptOutputs = { outputs, redact, storage, key: `${folderOf(sessionId)}outputs.json`, kept: new WeakSet(), noted: new Set() }
  return {
    hasKept: () => known.noted.size > 0,
    keep: async (...given) => (await import('./keep-outputs.ts')).keepOutputs(known, ...given),
  }
}
