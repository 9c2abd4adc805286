/** Somebody asked: a person, a provider's refusal, a queued marker, the model through its tool, a change to a smaller model, a request with too many bytes, or a host in a quiet moment. */
export type Asked = 'manual' | 'overflow' | 'marker' | 'agent' | 'downshift' | 'bytes' | 'background'

/** Why a compaction is considered. `hard`, `emergency` and `maintenance` are the automatic ones. */
export type TriggerReason = 'none' | 'soft' | 'hard' | 'emergency' | 'maintenance' | Asked

/** Reasons that no person had a part in. */
export function isAutomatic(reason: TriggerReason): boolean {
  return reason !== 'manual' && reason !== 'agent' && reason !== 'marker'
}
