import { defined } from '../defined.ts'
import type { TokenEstimator } from '../estimate.ts'
import { type CompactionPolicy, type ToolPolicy, toolPolicy } from '../policy.ts'
import { viewOutput } from '../prune/view.ts'
import type { Redactor } from '../redact.ts'
import type { ToolOutputStore } from './tool-outputs.ts'

export interface ReceiveParts {
  readonly outputs: ToolOutputStore
  readonly policy: CompactionPolicy
  readonly tools: Readonly<Record<string, ToolPolicy>> | undefined
  readonly estimator: TokenEstimator
  readonly redact: Redactor
  /** Told when the store took nothing. */
  readonly failed: (error: unknown) => void
}

/** Characters at each end of a stream that a view is made from. */
const endLength = 400_000

/**
 * What a conversation keeps of a tool's output: the text itself while it is within `prune.view`, otherwise a view with a reference to the whole, which is in the store by then.
 * A stream is written as it comes: it is never held whole. When the store fails, a text stays as it is; of a stream both ends are kept, and the view says so.
 */
export async function receiveOutput(
  tool: string,
  output: string | AsyncIterable<string>,
  { outputs, policy, tools, estimator, redact, failed }: ReceiveParts,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { view } = policy.prune
  const { shape = 'generic', keep } = toolPolicy(policy.prune, tool, tools)
  const options = { redact, ...defined({ signal }) }
  if (typeof output === 'string') {
    if (keep === 'always' || viewOutput(output, shape, view, estimator) === output) return output
    try {
      const { id } = await outputs.save(output, options)
      return viewOutput(output, shape, view, estimator, id)
    } catch (error) {
      signal?.throwIfAborted()
      failed(error)
      return output
    }
  }
  const ends = createEnds()
  const pieces = watched(output, ends)
  try {
    const { id } = await outputs.save(pieces, options)
    return viewOutput(ends.text(), shape, view, estimator, id)
  } catch (error) {
    signal?.throwIfAborted()
    if (ends.broken()) throw error
    failed(error)
    // A tool that was half way through goes on: its end is often what matters.
    for await (const _ of pieces) signal?.throwIfAborted()
    return `${viewOutput(ends.text(), shape, view, estimator)}\n[The whole output could not be stored.]`
  }
}

interface Ends {
  add(piece: string): void
  /** The tool itself failed. */
  fail(): void
  broken(): boolean
  text(): string
}

/** The beginning and the end of a text of any length. */
function createEnds(): Ends {
  let [head, tail, dropped, failed] = ['', '', 0, false]
  return {
    add(piece) {
      const room = Math.max(0, endLength - head.length)
      head += piece.slice(0, room)
      tail += piece.slice(room)
      if (tail.length <= 2 * endLength) return
      dropped += tail.length - endLength
      tail = tail.slice(-endLength)
    },
    fail: () => {
      failed = true
    },
    broken: () => failed,
    text: () => (dropped === 0 ? head + tail : `${head}\n[… ${dropped} characters …]\n${tail}`),
  }
}

/** The same pieces once, noted as they pass: whoever stops reading may go on where they stopped. */
function watched(source: AsyncIterable<string>, ends: Ends): AsyncIterable<string> {
  const iterator = source[Symbol.asyncIterator]()
  const next = async (): Promise<IteratorResult<string>> => {
    const step = await iterator.next().catch((error: unknown) => {
      ends.fail()
      throw error
    })
    if (step.done !== true) ends.add(step.value)
    return step
  }
  // No `return`: leaving a loop early must not end the source.
  return { [Symbol.asyncIterator]: () => ({ next }) }
}
