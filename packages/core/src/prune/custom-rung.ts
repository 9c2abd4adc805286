import type { Pieces } from '../history/pieces.ts'
import { type Candidate, candidateFor, type PruneView, type VisibleOutput } from './outputs.ts'

/** One tool output that a rung may show shorter. */
export type OutputToShorten = Pick<VisibleOutput, 'tool' | 'input' | 'output' | 'isError' | 'tokens' | 'step' | 'turn'>

/**
 * A way of your own to show less of tool outputs: in `rungs` of a compactor, and by its name in `prune.ladder` or `prune.maintain`.
 * Pure: the same output gives the same text, or a prompt's beginning would change from call to call. `customRungCases` of `@precis/testkit` test it.
 */
export interface CustomRung {
  readonly name: string
  /** A shorter text for this output, or undefined to leave it. A longer one is not used; what is thrown leaves the output as it is. */
  shorten(output: OutputToShorten): string | undefined
}

/** No more than the host shall see: what is not redacted stays here. */
const handedOver = ({ tool, input, output, isError, tokens, step, turn }: VisibleOutput): OutputToShorten => ({
  tool,
  input,
  output,
  isError,
  tokens,
  step,
  turn,
})

/** What a rung of the host would show instead. */
export function* candidatesOf(rung: CustomRung, { outputs }: PruneView): Pieces<readonly Candidate[]> {
  const found: Candidate[] = []
  for (const output of outputs) {
    yield
    const text = rung.shorten(handedOver(output))
    if (text !== undefined) found.push(candidateFor(output, 'view', text))
  }
  return found
}
