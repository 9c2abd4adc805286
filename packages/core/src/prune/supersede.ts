import type { Pieces } from '../history/pieces.ts'
import { type Candidate, candidateFor, firstLine, type PruneView, placeholder, type VisibleOutput } from './outputs.ts'
import { readCall } from './reads.ts'

/** What the first line of an output says where a tool reports its failure as a result. */
const failed = /error|fail|denied|not found|no such|cannot/i

/**
 * Outputs that later ones made worthless, oldest first. `duplicate`: the same tool with the same arguments returned the same text later.
 * `superseded`: the same call was made again later with another result; or a file was read whole, or written, after it had been read.
 * It is the same file where all other arguments are equal, those aside that name a part of it. A read or write that reports its failure as a result is none.
 * Failures are kept: what did not work must not be tried again.
 */
export function* supersededOutputs(view: PruneView): Pieces<readonly Candidate[]> {
  const newest = new Map<string, VisibleOutput>()
  const fresh = new Set<string>()
  const open = new Set(view.outputs)
  const found: Candidate[] = []
  for (const output of view.allOutputs.toReversed()) {
    if (newest.size % 16 === 0) yield
    if (output.input === '' || output.isError) continue
    const key = `${output.tool}\u0000${output.input}`
    const later = newest.get(key)
    const file = readCall(output.tool, output.input)
    const stale = file && !file.changes && (fresh.has(file.file) || fresh.has(file.path))
    if (!later) newest.set(key, output)
    if (file && !failed.test(firstLine(output.output))) {
      if (file.whole) fresh.add(file.file)
      if (file.changes && view.prune.staleReads === 'edited') fresh.add(file.path)
    }
    if (!open.has(output) || (!later && !stale)) continue
    const kind = later?.whole === output.whole ? 'duplicate' : 'superseded'
    const why = kind === 'duplicate' ? 'same output again below' : later ? 'newer output of the same call below' : 'the file was read or written again below'
    found.push(candidateFor(output, kind, placeholder(output, why, view.reference(output.whole))))
  }
  return found.reverse()
}
