import type { TokenEstimator } from '../../budget/estimate.ts'
import type { CompactionPolicy, ToolPolicy } from '../../policy/policy.ts'
import { toolPolicy } from '../../policy/tool-policy.ts'
import type { Redactor } from '../../privacy/redactor.ts'
import { viewOutput } from '../../prune/view.ts'
import type { Effects } from '../effects.ts'
import type { ToolOutputStore } from './output-store.ts'

export interface ReceiveParts {
  readonly outputs: Pick<ToolOutputStore, 'save'>
  readonly effects: Effects
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
  { outputs, policy, tools, estimator, redact, failed, effects }: ReceiveParts,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { view } = policy.prune
  const { shape = 'generic', keep } = toolPolicy(policy.prune, tool, tools)
  if (typeof output === 'string') {
    if (keep === 'always' || viewOutput(output, shape, view, estimator) === output) return output
    try {
      const { id } = await effects.wait('output store', (either) => outputs.save(output, { redact, signal: either }), signal)
      return viewOutput(output, shape, view, estimator, id)
    } catch (error) {
      signal?.throwIfAborted()
      failed(error)
      return output
    }
  }
  const ends = createEnds()
  const hold = createHold(effects, signal)
  const pieces = watched(output, ends, hold)
  try {
    const { id } = await Promise.race([outputs.save(pieces, { redact, signal: hold.signal }), hold.tooLong])
    hold.end()
    return viewOutput(ends.text(), shape, view, estimator, id)
  } catch (error) {
    hold.end()
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

/** The time that the store keeps a piece before it asks for the next one: a tool may take as long as it wants, the store may not. */
interface Hold {
  begin(): void
  release(): void
  /** No more holds. What the store does later, it does for nobody. */
  end(): void
  readonly tooLong: Promise<never>
  readonly signal: AbortSignal
}

function createHold(effects: Effects, signal: AbortSignal | undefined): Hold {
  const stop = new AbortController()
  let fail: ((error: unknown) => void) | undefined
  const tooLong = new Promise<never>((_, reject) => {
    fail = reject
  })
  tooLong.catch(() => {})
  let release = (): void => {}
  const begin = (): void => {
    if (stop.signal.aborted) return
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    effects
      .apart()
      .wait('output store', () => held, signal)
      .catch((error: unknown) => {
        stop.abort(error)
        fail?.(error)
      })
  }
  begin()
  const end = (): void => {
    stop.abort()
    release()
  }
  return { begin, release: () => release(), end, tooLong, signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]) }
}

/** The same pieces once, noted as they pass: whoever stops reading may go on where they stopped. */
function watched(source: AsyncIterable<string>, ends: Ends, hold: Hold): AsyncIterable<string> {
  const iterator = source[Symbol.asyncIterator]()
  const next = async (): Promise<IteratorResult<string>> => {
    hold.release()
    const step = await iterator.next().catch((error: unknown) => {
      ends.fail()
      throw error
    })
    hold.begin()
    if (step.done !== true) ends.add(step.value)
    return step
  }
  // No `return`: leaving a loop early must not end the source.
  return { [Symbol.asyncIterator]: () => ({ next }) }
}
