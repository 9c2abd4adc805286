import type { Checkpoint, Summary } from '@precis/core'

const quality = { empty: [], unsupported: [], failedAttempts: { known: 0, kept: 0 } }
const tokens = { before: 0, after: 0 }

/** A summary that says what is given, and nothing else. */
export const summaryWith = (said: Partial<Summary>): Summary => ({ version: 1, text: '', record: '', sections: {}, missing: [], quality, ...said })

/** A checkpoint of the first messages, that shows none of them. */
export function checkpointOf(covered: number, fields: Partial<Checkpoint>): Checkpoint {
  const shown = { kept: [], dropped: [], edits: [] }
  return { id: 'c', version: 1, covered, length: covered, fingerprint: '', ...shown, reason: 'hard', automatic: true, tokens, ...fields }
}
