import type { ToolResultPart } from '../../../history/message.ts'
import type { Redactor } from '../../../privacy/redactor.ts'
import { folderOf } from '../../../state/keys.ts'
import type { Effects } from '../../effects.ts'
import type { StorageDriver } from '../../storage/driver.ts'
import type { ToolOutputStore } from '../../storage/output-store.ts'
import type { CompactorParts } from '../host/parts.ts'

/** Which whole outputs of a session are in the store, and what it takes to put them there. */
export interface KeptOutputs {
  readonly outputs: Pick<ToolOutputStore, 'keep' | 'save' | 'gc'>
  readonly redact: Redactor
  /** Notes under `key` which outputs are this session's: they stay while it does, and go with it. */
  readonly storage: StorageDriver
  readonly key: string
  readonly effects: Effects
  /** Stored by this process. */
  readonly kept: WeakSet<ToolResultPart>
  /** Ids of this session's, together with what other processes noted. */
  readonly noted: Set<string>
}

type Surroundings = Pick<CompactorParts<never>, 'redaction' | 'storage' | 'effects'>

/** For a session that has stored none yet. */
export function noOutputs(outputs: KeptOutputs['outputs'], { redaction, storage, effects }: Surroundings, sessionId: string): KeptOutputs {
  return { outputs, redact: redaction.redact, storage, effects, key: `${folderOf(sessionId)}outputs.json`, kept: new WeakSet(), noted: new Set() }
}
