import type { Tokens } from '../message.ts'
import { type Candidate, reference, type VisibleOutput } from './outputs.ts'

export interface AgeLimits {
  /** Newest output Tokens that stay whole. */
  readonly protect: Tokens
  /** Least Tokens that must be freed together; less is not worth the broken prompt cache. */
  readonly minimum: Tokens
  /** Newest tool steps that stay whole whatever their size. */
  readonly steps: number
}

/**
 * Old outputs become references: walks from the newest output back, lets `protect` tokens and the last `steps` steps pass,
 * and offers the rest if it frees at least `minimum` together. Outputs already replaced are passed over, not stopped at.
 *
 * @param outputs Visible outputs in the order of the history.
 * @returns Oldest first; empty when the gain is too small.
 */
export function agedOutputs(outputs: readonly VisibleOutput[], limits: AgeLimits): readonly Candidate[] {
  const found: Candidate[] = []
  let passed = 0
  let freed = 0
  for (let at = outputs.length - 1; at >= 0; at--) {
    const output = outputs[at] as VisibleOutput
    passed += output.tokens
    if (output.step < limits.steps || passed <= limits.protect) continue
    found.push({ output, text: reference(output, 'old output, not shown any more') })
    freed += output.tokens
  }
  return freed >= limits.minimum ? found.reverse() : []
}
