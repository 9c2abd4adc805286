import { createArchive, createCompactor, type Message, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { assistant, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

// A bot with one thread for each user: another process deletes the conversation, the user goes on writing, and the one that serves the thread runs on.

const limits = { contextWindow: 8_000, maxOutput: 1_000 }
const [old, fresh] = ['ORCHID-4711', 'LILY-2']
const gone = 'this conversation was deleted'

const exchanges = (count: number, word: string) =>
  Array.from({ length: count }, (_, at) => history(user(`Request ${at}: ${word}.`), assistant(`Answer ${at} of ${word}. ${'word '.repeat(500)}`))).flat()
async function keysSaying(storage: StorageDriver, word: string): Promise<readonly string[]> {
  const found: string[] = []
  for await (const key of storage.list('')) if ((await storage.get(key))?.body.includes(word) === true) found.push(key)
  return found
}

/** A process that serves a thread, and what its clock says. */
function serving({ archived = true } = {}) {
  const storage = memoryStorage()
  const archive = createArchive<Message>(storage)
  const time = { now: Date.UTC(2026, 0, 1) }
  let ids = 0
  const clock = { now: () => time.now, id: () => `${++ids}` }
  const make = () => createCompactor<Message>({ codec: neutralCodec, limits, storage, clock, restAfter: 600_000, ...(archived && { archive }) })
  const there = make()
  const warnings: string[] = []
  const outcomes: string[] = []
  /** One call for each further exchange, so far apart. */
  const talk = async (from: number, to: number, word: string, apart = 1_000): Promise<void> => {
    for (let at = from; at <= to; at++) {
      time.now += apart
      const { report } = await there.session('s').beforeModelCall([...exchanges(at, word), user('Go on.')])
      warnings.push(...report.warnings)
      outcomes.push(report.outcome)
    }
  }
  const deletedElsewhere = async (): Promise<void> => {
    time.now += 1_000
    await make().forget('s')
  }
  return { storage, archive, time, make, there, warnings, outcomes, talk, deletedElsewhere }
}

describe.each([true, false])('a new conversation under the id of one that was deleted elsewhere, with an archive: %s', (archived) => {
  it.each([
    ['that had been compacted', 20, 1_000],
    ['that had been compacted, with minutes between the calls', 20, 90_000],
    ['before its first compaction', 4, 1_000],
    ['after its first call', 1, 1_000],
  ])('%s: is stored, and what was deleted is not', async (_, before, apart) => {
    const { storage, archive, make, warnings, outcomes, talk, deletedElsewhere } = serving({ archived })
    await talk(1, before, old, apart)
    await deletedElsewhere()
    await talk(1, 20, fresh, apart)
    expect(warnings.join()).not.toContain(gone)
    expect(outcomes).toContain('summarized')
    const next = await make()
      .session('s')
      .beforeModelCall([...exchanges(20, fresh), user('Go on.')])
    expect(next.report.outcome).toBe('projected')
    if (archived) expect(JSON.stringify((await archive.read('s')).messages)).toContain(`Request 0: ${fresh}`)
    await talk(before + 1, before + 20, old, apart)
    expect(warnings.join()).toContain(gone)
    expect(await keysSaying(storage, old)).toEqual([])
    expect(await keysSaying(storage, fresh)).not.toEqual([])
  })
})

it('one that is at rest when its conversation is deleted stores the new one', async () => {
  const { storage, time, there, warnings, talk, deletedElsewhere } = serving()
  await talk(1, 4, old)
  time.now += 3_600_000
  await there.session('other').beforeModelCall([user('Hello.')])
  await deletedElsewhere()
  await talk(1, 20, fresh)
  expect(warnings.join()).not.toContain(gone)
  expect(await keysSaying(storage, fresh)).not.toEqual([])
})

it('one that is at rest goes on with what was deleted: nothing of it is stored', async () => {
  const { storage, time, there, warnings, talk, deletedElsewhere } = serving()
  await talk(1, 4, old)
  time.now += 3_600_000
  await there.session('other').beforeModelCall([user('Hello.')])
  await deletedElsewhere()
  await talk(5, 20, old)
  expect(warnings.join()).toContain(gone)
  expect(await keysSaying(storage, old)).toEqual([])
})

it('a new one whose first compaction only shortens outputs is on record, whole', async () => {
  const { storage, archive, time, make, there, talk, deletedElsewhere } = serving()
  await talk(1, 20, old)
  await deletedElsewhere()
  time.now += 1_000
  const output = `${fresh} ${'value '.repeat(4_500)}`
  const said = history(user('Read.'), step('read', 'a', { path: 'x' }, output), step('read', 'b', { path: 'x' }, output), user('And?'))
  const { report } = await there.session('s').beforeModelCall(said, { replaces: true })
  expect(report.outcome).toBe('pruned')
  expect(report.warnings.join()).not.toContain(gone)
  expect((await archive.read('s')).messages).toEqual(said)
  expect((await make().session('s').beforeModelCall(said)).report.outcome).toBe('projected')
  expect(await keysSaying(storage, old)).toEqual([])
})
