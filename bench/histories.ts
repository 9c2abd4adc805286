// Histories that nobody has looked at, and what a session holds beside one.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createCompactor, type Message } from '@precis/core'
import { generateHistory, neutralCodec } from '@precis/testkit'

setFlagsFromString('--expose-gc')
export const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void

/** A history of `count` messages, about 325 tokens each: fresh objects, so that nothing is remembered. */
export function historyOf(count: number): readonly Message[] {
  const messages: Message[] = []
  for (let seed = 1; messages.length < count; seed++) messages.push(...generateHistory(seed, { turns: 40, steps: 5, output: 9_000 }))
  return structuredClone(messages.slice(0, count))
}

/** What a session holds beyond the history that it is handed, on the heap and in buffers beside it, as a share of that history's own. */
export async function memoryShare(count: number): Promise<number> {
  const heap = (): number => {
    // Twice: what died while a collection was under way is found by the next one only.
    collect()
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  // What came before is let go of when its turn is over.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const empty = heap()
  const messages = historyOf(count)
  const full = heap()
  const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: 200_000 } }).session('memory')
  const { messages: view } = await session.beforeModelCall(messages)
  const held = heap()
  if (view.length + messages.length === 0) throw new Error('kept alive until here')
  return (held - full) / (full - empty)
}
