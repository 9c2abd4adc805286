import { parseJson } from '../../history/json.ts'
import type { Message, ToolResultPart } from '../../history/message.ts'
import { omitUndefined } from '../../history/omit-undefined.ts'
import type { CompactionPlan } from '../../plan/compaction-plan.ts'
import type { PrunePolicy } from '../../policy/policy.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import type { StorageDriver } from '../storage/driver.ts'
import type { ToolOutputStore } from '../storage/output-store.ts'

/** Sees to it that whole outputs are in the store before the model is shown less of them. */
export interface OutputKeeper {
  /** @throws what the storage throws. */
  keep(plan: CompactionPlan, messages: readonly Message[], usual: PrunePolicy['store'], signal: AbortSignal | undefined): Promise<void>
  /** The conversation was deleted: what is noted as its own goes, and its outputs with the next `gc`, unless others name them. @throws what the storage throws. */
  takeBack(): Promise<void>
  /** Whether anything is stored for this session. */
  hasKept(): boolean
}

/** What a keeper works with, and what it has done. */
export interface KeptOutputs {
  readonly outputs: Pick<ToolOutputStore, 'keep' | 'save' | 'gc'>
  readonly redact: Redactor
  /** Notes under `key` which outputs are this session's: they stay while it does, and go with it. */
  readonly storage: StorageDriver
  readonly key: string
  /** Stored by this process. */
  readonly kept: WeakSet<ToolResultPart>
  /** Ids of this session's, together with what other processes noted. */
  readonly noted: Set<string>
}

/** Stores the outputs that a plan shortens, or all, and notes whose they are. */
export async function keepOutputs(known: KeptOutputs, ...[plan, messages, usual = 'shortened', signal]: Parameters<OutputKeeper['keep']>): Promise<void> {
  const { outputs, redact, kept, noted } = known
  const shortened = new Set(plan.edits.map((edit) => edit.callId))
  const ids: string[] = []
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.type !== 'tool-result' || part.output === '' || kept.has(part)) continue
      if ((outputs.keep ?? usual) === 'shortened' && !shortened.has(part.callId)) continue
      ids.push((await outputs.save(part.output, { redact, ...omitUndefined({ signal }) })).id)
      kept.add(part)
    }
  }
  const unknown = ids.filter((id) => !noted.has(id))
  // Once more for whoever lost a race. What could not be noted is kept by its age alone.
  if (unknown.length > 0) await note(known, unknown).catch(() => note(known, unknown).catch(() => {}))
}

/** The work of `OutputKeeper.takeBack`. Who else names the outputs is for `gc` to find out: that takes longer than a call waits. */
export async function takeBackOutputs({ outputs, storage, key, noted }: KeptOutputs): Promise<void> {
  const forgotten = [...noted].reverse()
  noted.clear()
  if (forgotten.length === 0) return
  await storage.delete(key)
  await outputs.gc(unread, { forgotten }).catch(() => {})
}

/** Texts that cannot be read now. */
const unread: AsyncIterable<string> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(AbortSignal.abort().reason) }),
}

async function note({ storage, key, noted }: KeptOutputs, ids: readonly string[]): Promise<void> {
  const found = await storage.get(key)
  const before: unknown = parseJson(found?.body ?? '[]')
  for (const id of [...(Array.isArray(before) ? before : []), ...ids]) noted.add(String(id))
  const body = JSON.stringify([...noted])
  if (body !== found?.body) await storage.put(key, body, { ifVersion: found?.version ?? null })
}
