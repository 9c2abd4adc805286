import { createCompactor, type Message, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { allText, assistant, fakeSummarizer, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

// Processes in turn on one thread, of which the host hands over the first message and the newest ones: for what has left nothing speaks but a summary, whoever had it written.

const missed = 'the summary of this conversation is not shown'
const said = Array.from({ length: 200 }, (_, at) => [user(`Request ${at}. ${'word '.repeat(40)}`), assistant(`Answer ${at}. ${'word '.repeat(40)}`)]).flat()
/** What a host hands over once so much was said. */
const cut = (count: number, newest = 30): readonly Message[] => history(said.slice(0, 1), said.slice(Math.max(1, count - newest), count), user('And now?'))

/** Two processes, how often the state was read, and what their clocks say. */
function two() {
  const inner = memoryStorage()
  const seen = { gets: 0, now: Date.UTC(2026, 0, 1) }
  const storage: StorageDriver = {
    ...inner,
    get(key, ...more) {
      if (key.endsWith('state.json')) seen.gets++
      return inner.get(key, ...more)
    },
  }
  let ids = 0
  const clock = { now: () => seen.now, id: () => `${++ids}` }
  const limits = { contextWindow: 16_000, maxOutput: 500 }
  const make = () => createCompactor({ codec: neutralCodec, limits, storage, clock, summarizer: fakeSummarizer() }).session('t')
  return { seen, one: make(), other: make() }
}

describe('the summary of another process is shown with the next call', () => {
  it('where too little of what the last one covers is handed over: nobody is told to hand over more', async () => {
    const { one, other } = two()
    await one.compact(cut(60))
    const shown = [await other.beforeModelCall(cut(62))]
    for (let count = 74; count <= 130; count += 14) {
      await one.compact(cut(count))
      shown.push(await other.beforeModelCall(cut(count + 10)))
    }
    expect(shown.map(({ report }) => report.outcome)).toEqual(shown.map(() => 'projected'))
    expect(allText(shown.at(-1)?.messages ?? [])).toContain('<context-summary version="6">')
    expect(shown.flatMap(({ report }) => report.warnings).join()).not.toContain(missed)
  })
  it('and again after a look in vain, within half a minute', async () => {
    const { seen, one, other } = two()
    await one.compact(cut(60))
    await other.beforeModelCall(cut(62))
    expect((await other.beforeModelCall(cut(120))).report.outcome).toBe('unchanged')
    await one.compact(cut(120))
    seen.now += 30_000
    expect((await other.beforeModelCall(cut(122))).report.outcome).toBe('projected')
  })
})

it('a summary that is missed for good is looked for twice a minute at most, and said once', async () => {
  const { seen, one } = two()
  await one.compact(cut(60))
  await one.beforeModelCall(cut(62))
  const warnings: string[] = []
  const before = seen.gets
  for (let count = 64; count <= 182; count += 2) {
    seen.now += 500
    const { report } = await one.beforeModelCall(cut(count, 4))
    expect(report.outcome).toBe('unchanged')
    warnings.push(...report.warnings)
  }
  expect(seen.gets - before).toBeLessThanOrEqual(2)
  expect(warnings.filter((one) => one.includes(missed))).toHaveLength(1)
})

it('a history that is appended to is looked for nowhere', async () => {
  const { seen, one } = two()
  await one.beforeModelCall(said.slice(0, 1))
  const before = seen.gets
  for (let count = 3; count <= 41; count += 2) {
    seen.now += 1_000
    await one.beforeModelCall(said.slice(0, count))
  }
  expect(seen.gets).toBe(before)
})
