import type { Redactor } from '../../privacy/redactor.ts'
import { folderOf } from '../../state/keys.ts'
import type { StorageDriver } from '../storage/driver.ts'
import type { KeptOutputs, OutputKeeper } from './keep-outputs.ts'

/** Remembers what is kept; what it takes to keep it is loaded with the first compaction. */
export function createOutputKeeper(outputs: KeptOutputs['outputs'], redact: Redactor, storage: StorageDriver, sessionId: string): OutputKeeper {
  const known: KeptOutputs = { outputs, redact, storage, key: `${folderOf(sessionId)}outputs.json`, kept: new WeakSet(), noted: new Set() }
  return {
    hasKept: () => known.noted.size > 0,
    keep: async (...given) => (await import('./keep-outputs.ts')).keepOutputs(known, ...given),
    takeBack: async () => (await import('./keep-outputs.ts')).takeBackOutputs(known),
  }
}
