import { CompactionError } from '../../../errors.ts'
import { parseJson } from '../../../history/json.ts'
import type { Message } from '../../../history/message.ts'
import type { CompactionPlan } from '../../../plan/compaction-plan.ts'
import type { PrunePolicy } from '../../../policy/policy.ts'
import { isForgotten } from '../../../state/forgotten.ts'
import type { CompactionState } from '../../../state/state.ts'
import { errorName } from '../../platform/error-name.ts'
import type { SessionParts } from '../session-parts.ts'
import type { ModelCall } from '../session-types.ts'
import type { KeptOutputs } from '../stored/kept-outputs.ts'

/**
 * Whether the outputs that a plan shortens are stored by now, where they are; those of a conversation that was deleted are not.
 * @throws CompactionError when they are not, and the context takes the place of the history; the abort reason of the call.
 */
export async function outputsKept<M>(
  { kept, policy, emit }: SessionParts<M>,
  state: CompactionState,
  plan: CompactionPlan,
  messages: readonly Message[],
  { signal, replaces }: ModelCall,
): Promise<boolean> {
  if (isForgotten(state, messages)) return false
  try {
    if (kept) await keepOutputs(kept, plan, messages, policy.prune.store, signal)
    return true
  } catch (error) {
    signal?.throwIfAborted()
    emit('compact.output_store_failed', 'warning', { reason: errorName(error) })
    if (replaces === true) throw new CompactionError('the whole outputs could not be stored, and nothing else would hold them')
    return false
  }
}

/** Stores the outputs that a plan shortens, or all, before the model is shown less of them, and notes whose they are. @throws what the storage throws. */
async function keepOutputs(
  known: KeptOutputs,
  plan: CompactionPlan,
  messages: readonly Message[],
  usual: PrunePolicy['store'] = 'shortened',
  signal: AbortSignal | undefined,
): Promise<void> {
  const { outputs, redact, effects, kept, noted } = known
  const shortened = new Set(plan.edits.map((edit) => edit.callId))
  const ids: string[] = []
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.type !== 'tool-result' || part.output === '' || kept.has(part)) continue
      if ((outputs.keep ?? usual) === 'shortened' && !shortened.has(part.callId)) continue
      ids.push((await effects.wait('output store', (either) => outputs.save(part.output, { redact, signal: either }), signal)).id)
      kept.add(part)
    }
  }
  const unknown = ids.filter((id) => !noted.has(id))
  // Once more for whoever lost a race. What could not be noted is kept by its age alone.
  if (unknown.length > 0) await note(known, unknown).catch(() => note(known, unknown).catch(() => {}))
}

/** The conversation was deleted: what is noted as its own goes, and its outputs with the next `gc`, unless others name them, which takes longer to find out than a call waits. @throws what the storage throws. */
export async function takeBackOutputs({ outputs, storage, effects, key, noted }: KeptOutputs): Promise<void> {
  const forgotten = [...noted].reverse()
  noted.clear()
  if (forgotten.length === 0) return
  await storage.delete(key)
  await effects.wait('output store', () => outputs.gc(unread, { forgotten })).catch(() => {})
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
