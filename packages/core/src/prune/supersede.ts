import { type Candidate, reference, type VisibleOutput } from './outputs.ts'

/**
 * Outputs that later ones made worthless, oldest first:
 * `duplicate`: the same tool with the same arguments returned the same text later; `superseded`: the same call was made again later
 * with another result. Failures are kept: what did not work must not be tried again.
 *
 * @param outputs Visible outputs in the order of the history.
 */
export function supersededOutputs(outputs: readonly VisibleOutput[]): readonly (Candidate & { readonly kind: 'superseded' | 'duplicate' })[] {
  const newest = new Map<string, VisibleOutput>()
  const found: (Candidate & { kind: 'superseded' | 'duplicate' })[] = []
  for (let at = outputs.length - 1; at >= 0; at--) {
    const output = outputs[at] as VisibleOutput
    if (output.input === '' || output.isError) continue
    const key = `${output.tool}\u0000${output.input}`
    const later = newest.get(key)
    if (later === undefined) {
      newest.set(key, output)
      continue
    }
    const kind = later.output === output.output ? 'duplicate' : 'superseded'
    const why = kind === 'duplicate' ? 'same output again below' : 'newer output of the same call below'
    found.push({ output, kind, text: reference(output, why) })
  }
  return found.reverse()
}
