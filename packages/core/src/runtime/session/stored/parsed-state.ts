import { parseState } from '../../../state/parse-state.ts'
import type { CompactionState } from '../../../state/state.ts'
import { withoutWritten, writtenAt } from '../../../state/written.ts'

export interface ParsedState {
  /** As it is worked with. */
  readonly state: CompactionState
  /** When it was written, or its conversation deleted, in milliseconds since 1970; 0 where nobody knows. */
  readonly used: number
}

/** A stored state. @returns undefined for what this version cannot read. */
export function parsedState(body: string): ParsedState | undefined {
  const state = parseState(body)
  return state && { state: withoutWritten(state), used: writtenAt(state) ?? state.forgotten?.at ?? 0 }
}
