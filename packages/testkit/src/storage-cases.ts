import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { ConflictError, keySegment, type StorageDriver } from '@precis/core'
import { deletionCases } from './deletion-cases.ts'
import type { StorageCase } from './storage-case.ts'

const collect = async (keys: AsyncIterable<string>): Promise<readonly string[]> => {
  const found: string[] = []
  for await (const key of keys) found.push(key)
  return found
}

const withDriver =
  (work: (driver: StorageDriver) => Promise<void>): StorageCase['run'] =>
  async (create) =>
    work(await create())

/** Texts that are easily spoilt on their way. */
const texts: readonly string[] = [
  '',
  'plain',
  'line\nbreak\r\nand tab\t',
  'žluťoučký kůň 中文 🚀 \u{10ffff}',
  '\ufeffbyte order mark',
  '{"json": "$& $$"}',
  'nul\u0000',
  // The accent is a character of its own: normalized, it is none.
  'e\u0301',
  'x'.repeat(5_000_000),
]

/** Characters of the longest segment that an id becomes. */
const longestSegment = 180

/** What a storage must do for sessions, archives and stored outputs; give `create` a fresh, empty root each time it is called. */
export const storageDriverCases: readonly StorageCase[] = [
  {
    name: 'what is missing is undefined',
    run: withDriver(async (driver) => {
      equal(await driver.get('nothing/here.json'), undefined)
      await driver.delete('nothing/here.json')
      deepEqual(await collect(driver.list('nothing/')), [])
    }),
  },
  {
    name: 'gives back the exact text: UTF-8, NUL, not normalized, empty, five megabytes',
    run: withDriver(async (driver) => {
      for (const [at, text] of texts.entries()) {
        const { version } = await driver.put(`texts/${at}.txt`, text)
        const found = await driver.get(`texts/${at}.txt`)
        ok(found?.body === text, `text ${at} came back different`)
        equal(found?.version, version)
      }
    }),
  },
  {
    name: 'overwrites, and another text has another version',
    run: withDriver(async (driver) => {
      const first = await driver.put('a/b.json', 'one')
      const second = await driver.put('a/b.json', 'two')
      ok(first.version !== second.version)
      equal((await driver.get('a/b.json'))?.body, 'two')
    }),
  },
  {
    name: 'deletes, twice without complaint',
    run: withDriver(async (driver) => {
      await driver.put('a/b.json', 'one')
      await driver.delete('a/b.json')
      await driver.delete('a/b.json')
      equal(await driver.get('a/b.json'), undefined)
    }),
  },
  {
    name: 'lists sorted, whole segments only, over many pages',
    run: withDriver(async (driver) => {
      const keys = Array.from({ length: 5_000 }, (_, at) => `many/${String(at % 23).padStart(2, '0')}/${String(at).padStart(5, '0')}.json`)
      for (let at = 0; at < keys.length; at += 100) await Promise.all(keys.slice(at, at + 100).map((key) => driver.put(key, '{}')))
      await driver.put('many-more/x.json', '{}')
      await driver.put('many/00-x/y.json', '{}')
      deepEqual(await collect(driver.list('many/')), [...keys, 'many/00-x/y.json'].sort())
      deepEqual(await collect(driver.list('many/00/')), keys.filter((key) => key.startsWith('many/00/')).sort())
    }),
  },
  {
    name: 'lists what begins with a prefix, letter by letter: no character of it is a wildcard, and capitals are others',
    run: withDriver(async (driver) => {
      const folders = ['a_b/', 'axb/', 'a%20b/', 'a-20b/', 'a20b/', 'a%/']
      for (const folder of folders) await driver.put(`${folder}1.json`, folder)
      for (const folder of folders) deepEqual(await collect(driver.list(folder)), [`${folder}1.json`])
      // Where the backend itself folds capitals, these are one key.
      if ((await driver.get('A_b/1.json')) !== undefined) return
      await driver.put('A_b/1.json', 'A_b/')
      for (const folder of ['a_b/', 'A_b/']) deepEqual(await collect(driver.list(folder)), [`${folder}1.json`])
      equal((await driver.get('a_b/1.json'))?.body, 'a_b/')
    }),
  },
  {
    name: 'keys as long as they get, two that differ in the last character alone',
    run: withDriver(async (driver) => {
      const folder = `sessions/${keySegment('Щ'.repeat(30))}/checkpoints/000001-`
      const keys = ['a', 'b'].map((last) => `${folder}${'x'.repeat(longestSegment - 1)}${last}`)
      for (const key of keys) await driver.put(key, key)
      for (const key of keys) equal((await driver.get(key))?.body, key)
      deepEqual(await collect(driver.list(folder)), keys)
      await driver.delete(keys[0] as string)
      deepEqual(await collect(driver.list('sessions/')), keys.slice(1))
    }),
  },
  {
    name: 'conditions: only if absent, only if this version',
    run: withDriver(async (driver) => {
      const { version } = await driver.put('c/state.json', 'one', { ifVersion: null })
      await rejects(driver.put('c/state.json', 'two', { ifVersion: null }), (error) => ConflictError.isInstance(error))
      await rejects(driver.put('c/state.json', 'two', { ifVersion: 'no-such-version' }), (error) => ConflictError.isInstance(error))
      await driver.put('c/state.json', 'two', { ifVersion: version })
      await rejects(driver.put('c/state.json', 'three', { ifVersion: version }), (error) => ConflictError.isInstance(error))
      equal((await driver.get('c/state.json'))?.body, 'two')
      await rejects(driver.put('c/other.json', 'x', { ifVersion: version }), (error) => ConflictError.isInstance(error))
    }),
  },
  {
    name: 'fifty writers of one key leave one whole value',
    run: withDriver(async (driver) => {
      const bodies = Array.from({ length: 50 }, (_, at) => String(at).repeat(20_000))
      await Promise.all(bodies.map((body) => driver.put('race/one.txt', body)))
      ok(bodies.includes((await driver.get('race/one.txt'))?.body ?? ''))
    }),
  },
  {
    name: 'of fifty racers with one condition exactly one wins',
    run: withDriver(async (driver) => {
      for (const ifVersion of [null, (await driver.put('race/start.json', '0')).version]) {
        const key = ifVersion === null ? 'race/absent.json' : 'race/start.json'
        const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, at) => driver.put(key, `racer ${at}`, { ifVersion })))
        const won = outcomes.flatMap((outcome, at) => (outcome.status === 'fulfilled' ? [at] : []))
        equal(won.length, 1)
        for (const outcome of outcomes) if (outcome.status === 'rejected') ok(ConflictError.isInstance(outcome.reason), String(outcome.reason))
        equal((await driver.get(key))?.body, `racer ${won[0]}`)
      }
    }),
  },
  {
    name: 'an aborted call rejects and writes nothing',
    run: withDriver(async (driver) => {
      const stop = new AbortController()
      stop.abort(new Error('stop'))
      await rejects(driver.put('d/x.json', 'x', { signal: stop.signal }))
      await rejects(driver.get('d/x.json', { signal: stop.signal }))
      equal(await driver.get('d/x.json'), undefined)
    }),
  },
  {
    name: 'calls that are aborted while they wait for other writers reject, and write nothing',
    run: withDriver(async (driver) => {
      const bodyOf = (at: number): string => `${at} `.repeat(200_000)
      const stop = new AbortController()
      const done = new Set<number>()
      const writers = Array.from({ length: 20 }, async (_, at) => {
        await driver.put('d/queue.json', bodyOf(at), { signal: stop.signal })
        done.add(at)
      })
      const settled = Promise.allSettled(writers)
      await new Promise((resolve) => setTimeout(resolve))
      const early = new Set(done)
      stop.abort(new Error('stop'))
      const outcomes = await settled
      const late = outcomes.flatMap(({ status }, at) => (status === 'fulfilled' && !early.has(at) ? [at] : []))
      ok(late.length <= 1, `${late.length} went on; at most the one that was writing may`)
      // What is on its way to another machine may arrive all the same.
      if (driver.remote === true) return
      ok(done.has(19) || (await driver.get('d/queue.json'))?.body !== bodyOf(19), 'the last of them was written')
      await driver.put('d/queue.json', 'after')
      equal((await driver.get('d/queue.json'))?.body, 'after')
    }),
  },
  ...deletionCases,
]
