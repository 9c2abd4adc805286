import { generateHistory, neutralCodec } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { createCompactor, type Message } from '../../../src/index.ts'
import { createHistoryReader } from '../../../src/runtime/session/reading/history-reader.ts'

/** A session whose codec says how many messages it read since it was asked last. */
function counted() {
  let reads = 0
  const codec = {
    ...neutralCodec,
    read(message: Message): Message {
      reads++
      return neutralCodec.read(message)
    },
  }
  const session = createCompactor({ codec, limits: { contextWindow: 1_000_000 } }).session('reader')
  return async (history: readonly Message[]): Promise<number> => {
    reads = 0
    await session.beforeModelCall(history)
    return reads
  }
}

const history = generateHistory(1, { turns: 20, steps: 3, output: 400 })
const clock = (minute: number): Message => ({ role: 'system', parts: [{ type: 'text', text: `It is 10:${minute}.` }] })

describe('a history is read once', () => {
  it('though every object in it is new, and the system prompt tells the time', async () => {
    const read = counted()
    expect(await read([clock(10), ...history])).toBe(history.length + 1)
    expect(await read(structuredClone([clock(11), ...history]))).toBe(1)
    const more = generateHistory(2, { turns: 1, steps: 0, output: 10 })
    expect(await read(structuredClone([clock(12), ...history, ...more]))).toBe(1 + more.length)
  })
  it('though objects that were there before stand elsewhere', async () => {
    const read = counted()
    await read(history)
    expect(await read([clock(10), ...history])).toBe(1)
    expect(await read(history.slice(6))).toBe(0)
  })
})

it('a long history is read in pieces, one for one', () => {
  const long = Array.from({ length: 2_000 }, (_, at) => clock(at))
  const reader = createHistoryReader(neutralCodec)
  for (const source of [long, structuredClone(long)]) {
    const work = reader.read(source)
    let pieces = 0
    for (let next = work.next(); ; next = work.next(), pieces++) {
      if (next.done !== true) continue
      expect(next.value).toEqual(long)
      break
    }
    expect(pieces).toBeGreaterThan(5)
  }
})
