import type { Pieces } from '../../history/pieces.ts'
import { isWorker } from './workers.ts'

/** Milliseconds that we keep the event loop before others have their turn. */
const slice = 4
/** Milliseconds without work of ours after which others are taken to have had it. */
const pause = 1

const { setImmediate: immediately } = globalThis as unknown as { setImmediate(work: () => void): void }

/** By the platform's own where it has one (Node and its like); elsewhere by a timer, which browsers make wait for four milliseconds. */
function later(work: () => void): void {
  try {
    immediately(work)
  } catch {
    setTimeout(work)
  }
}

// One event loop, however many conversations: those that wait are served one after another, each in a turn of its own.
const waiting: (() => void)[] = []
let began = 0
let ended = 0

function serve(): void {
  waiting.shift()?.()
  if (waiting.length > 0) later(serve)
}

/** Lets others have their turn. */
export function breath(): Promise<void> {
  return new Promise((resolve) => {
    if (isWorker) return void setTimeout(resolve)
    if (waiting.push(resolve) === 1) later(serve)
  })
}

/**
 * Does long work without keeping the event loop: others have their turn every few milliseconds.
 *
 * @throws what the work throws; the reason of the signal, where it is aborted between two pieces: what was begun is forgotten.
 */
export async function inSlices<T>(work: Pieces<T>, signal?: Pick<AbortSignal, 'throwIfAborted'>): Promise<T> {
  if (performance.now() - ended > pause) began = performance.now()
  for (;;) {
    signal?.throwIfAborted()
    const { done, value } = work.next()
    ended = performance.now()
    if (done === true) return value
    if (ended - began < slice) continue
    await breath()
    began = performance.now()
  }
}
