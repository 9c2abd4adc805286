import { deepEqual, equal, ok } from 'node:assert/strict'
import { type Compactor, createArchive, createCompactor, createToolOutputStore, keySegment, type Message, neutralCodec, type StorageDriver } from '@precis/core'
import { history, result, user } from './builders.ts'
import { generateHistory } from './generate.ts'
import type { StorageCase } from './storage-case.ts'

const day = 86_400_000
/** A word that only one conversation says. */
const secret = 'ORCHID-4711'

/** Everything that is stored, by key; bodies that cannot be read are their reason. */
async function everything(storage: StorageDriver): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for await (const key of storage.list('')) found.set(key, (await storage.get(key))?.body ?? '')
  return found
}

/** Whether nothing was written or deleted since; says the keys alone, as bodies are long. */
async function isStill(storage: StorageDriver, before: ReadonlyMap<string, string>): Promise<void> {
  const after = await everything(storage)
  deepEqual([...after.keys()], [...before.keys()])
  for (const [key, body] of after) ok(body === before.get(key), `${key} was changed`)
}

/** Conversations over one storage, with everything that stores something, and a clock that the case sets. */
function compactorOn(storage: StorageDriver, time: { now: number }): Compactor<Message> {
  const archive = createArchive<Message>(storage)
  let ids = 0
  return createCompactor<Message>({
    codec: neutralCodec,
    limits: { contextWindow: 8_000, maxOutput: 1_000 },
    storage,
    archive,
    exporters: [archive.exporter()],
    outputs: createToolOutputStore(storage, { keep: 'all' }),
    clock: { now: () => time.now, id: () => `${time.now}-${++ids}` },
    // A busy storage is waited for: what becomes of late writes is a matter of other cases.
    effectDeadline: 60_000,
  })
}

function saying(word: string, seed: number): readonly Message[] {
  return history(user('Begin.'), user(`The password of the vault is ${word}.`), generateHistory(seed, { turns: 30 }))
}

/** A history with an output of its own. */
function withOutput(word: string, seed: number): readonly Message[] {
  const call: Message = { role: 'assistant', parts: [{ type: 'tool-call', callId: `c-${seed}`, tool: 'read', input: '{}' }] }
  return history(saying(word, seed), call, result(`c-${seed}`, `${word} in a file\n`.repeat(50)), user('And now?'))
}

/** What `forget` and `gc` of a compactor come to, on any storage. */
export const deletionCases: readonly StorageCase[] = [
  {
    name: 'forget: nothing of a conversation is left, all of another one is, and twice is once',
    async run(create) {
      const storage = await create()
      const time = { now: Date.now() }
      const compactor = compactorOn(storage, time)
      for (const [id, word, seed] of [
        ['a', secret, 1],
        ['b', 'TULIP-0815', 2],
      ] as const) {
        equal((await compactor.session(id).beforeModelCall(withOutput(word, seed))).report.outcome, 'summarized')
      }
      await compactor.flush()
      const before = await everything(storage)
      ok([...before.values()].some((body) => body.includes(secret)))
      const planned = await compactor.forget('a', { dryRun: true })
      await isStill(storage, before)
      const done = await compactor.forget('a')
      deepEqual(done, planned)
      ok(done.keys.length >= 4 && done.outputs.length >= 1 && done.left.length === 0)
      const after = await everything(storage)
      for (const [key, body] of after) ok(!body.includes(secret), `${key} still says it`)
      deepEqual(
        [...after.keys()].filter((key) => key.startsWith('sessions/a/')),
        ['sessions/a/state.json'],
      )
      const isOthers = (key: string): boolean =>
        key.startsWith('sessions/b/') || (key.startsWith('outputs/') && !done.outputs.includes(key.split('/')[1] as string))
      for (const [key, body] of before) if (isOthers(key)) ok(after.get(key) === body, key)
      deepEqual(await compactor.forget('a'), { keys: [], outputs: [], left: [] })
      await isStill(storage, after)
    },
  },
  {
    name: 'forget: an output that another conversation names stays until that one goes too',
    async run(create) {
      const storage = await create()
      const compactor = compactorOn(storage, { now: Date.now() })
      const read = result('c', 'One file that two people read.\n'.repeat(900))
      const call: Message = { role: 'assistant', parts: [{ type: 'tool-call', callId: 'c', tool: 'read', input: '{}' }] }
      const both = (word: string, seed: number): readonly Message[] => history(user(word), call, read, generateHistory(seed, { turns: 30 }))
      for (const [id, seed] of [
        ['a', 3],
        ['b', 4],
      ] as const)
        await compactor.session(id).beforeModelCall(both(id, seed))
      const outputsOf = async (): Promise<ReadonlySet<string>> =>
        new Set([...(await everything(storage)).keys()].filter((key) => key.startsWith('outputs/')).map((key) => key.split('/')[1] as string))
      const all = await outputsOf()
      const { outputs: first } = await compactor.forget('a')
      const left = await outputsOf()
      equal(left.size, all.size - first.length)
      ok(left.size > 0)
      const { outputs: second } = await compactor.forget('b')
      ok(second.some((id) => left.has(id)))
    },
  },
  {
    name: 'forget: another process that still holds the conversation brings nothing back, and a new one under the same id is stored',
    async run(create) {
      const storage = await create()
      const time = { now: Date.now() }
      const [here, there] = [compactorOn(storage, time), compactorOn(storage, time)]
      const source = saying(secret, 5)
      await here.session('a').beforeModelCall(source)
      await there.session('a').beforeModelCall(source)
      for (const one of [here, there]) await one.flush()
      await here.forget('a')
      const more = history(source, generateHistory(6, { turns: 30 }))
      const { messages, report } = await there.session('a').beforeModelCall(more)
      ok(messages.length < more.length && report.tokens.after <= 7_000)
      ok(
        report.warnings.some((warning) => warning.includes('deleted')),
        report.warnings.join('; '),
      )
      await there.session('a').schedule()
      await here.session('a').beforeModelCall(more)
      await there.flush()
      for (const [key, body] of await everything(storage)) ok(!key.startsWith('sessions/a/') || !body.includes(secret), `${key} says it again`)
      for (const key of (await everything(storage)).keys()) ok(!/^sessions\/a\/(?:transcript|checkpoints)\//.test(key), key)
      const anew = saying('LILY-2', 7)
      for (const one of [here, there]) equal((await one.session('a').beforeModelCall(anew)).report.outcome, one === here ? 'summarized' : 'projected')
      ok((await everything(storage)).get('sessions/a/state.json')?.includes('LILY-2') === true)
      for (const body of (await everything(storage)).values()) ok(!body.includes(secret))
    },
  },
  {
    name: 'gc: what was not used for the retention goes, what is in use stays, bounded per call',
    async run(create) {
      const storage = await create()
      const time = { now: Date.now() }
      const first = compactorOn(storage, time)
      for (let at = 0; at < 3; at++) await first.session(`old/${at}`).beforeModelCall(saying(`OLD-${at}`, at))
      await first.session('used').beforeModelCall(saying('USED', 8))
      await first.flush()
      time.now += 20 * day
      // Nothing is compacted, and so no state is written: it is in use all the same.
      const second = compactorOn(storage, time)
      equal((await second.session('used').beforeModelCall(saying('USED', 8))).report.outcome, 'projected')
      await second.flush()
      time.now += 15 * day
      const nightly = compactorOn(storage, time)
      const before = await everything(storage)
      const planned = await nightly.gc({ dryRun: true })
      deepEqual(planned.conversations, ['old/0', 'old/1', 'old/2'])
      await isStill(storage, before)
      const some = await nightly.gc({ limit: 2 })
      equal(some.conversations.length, 2)
      const rest = await nightly.gc({ limit: 2, ...(some.next !== undefined && { from: some.next }) })
      deepEqual([...some.conversations, ...rest.conversations], planned.conversations)
      deepEqual([rest.next, rest.failed], [undefined, []])
      const after = await everything(storage)
      for (const [key, body] of after) ok(!/OLD-\d/.test(body) && !key.includes(keySegment('old/')), key)
      ok(after.get('sessions/used/state.json')?.includes('"checkpoints":[{') === true)
      deepEqual((await nightly.gc()).conversations, [])
    },
  },
  {
    name: 'gc: states of before are new from the first look; ended leases and notes of deletions go',
    async run(create) {
      const storage = await create()
      const time = { now: Date.now() }
      const compactor = compactorOn(storage, time)
      await compactor.session('before').beforeModelCall(saying('BEFORE', 9))
      await compactor.flush()
      const key = 'sessions/before/state.json'
      const { written: _none, ...old } = JSON.parse((await storage.get(key))?.body ?? '') as { readonly written?: unknown }
      await storage.put(key, JSON.stringify(old))
      await storage.put('sessions/before/lease.json', JSON.stringify({ owner: 'gone', until: time.now + 1_000 }))
      await compactor.forget('never-there')
      const nightly = compactorOn(storage, time)
      deepEqual(await nightly.gc({ retention: { days: 1e-6 } }), { conversations: [], leases: 0, tombstones: 0, outputs: [], failed: [] })
      time.now += 8 * day
      const second = await nightly.gc()
      deepEqual([second.conversations, second.leases, second.tombstones], [[], 1, 1])
      equal(await storage.get('sessions/never-there/state.json'), undefined)
      time.now += 23 * day
      deepEqual((await nightly.gc({ retention: false })).conversations, [])
      deepEqual((await nightly.gc()).conversations, ['before'])
      deepEqual(
        [...(await everything(storage)).keys()].filter((one) => one.startsWith('sessions/')),
        [],
      )
    },
  },
  {
    name: 'archive: ids of any length and letters are listed, read, pruned and deleted',
    async run(create) {
      for (const end of ['prune', 'forget'] as const) {
        const storage = await create()
        const time = { now: Date.now() }
        const compactor = compactorOn(storage, time)
        const archive = createArchive<Message>(storage)
        for (const [at, id] of ['Обращение клиента № 2051', 'con', `https://example.com/${'a1b2c3d4'.repeat(30)}`].entries())
          await compactor.session(id).beforeModelCall(saying('ANY', at + 11))
        await compactor.flush()
        const ids: string[] = []
        for await (const id of archive.sessions()) ids.push(id)
        equal(ids.length, 3)
        ok(ids.includes('Обращение клиента № 2051'))
        for (const id of ids) ok((await archive.read(id)).messages.length > 0, `nothing is read of ${id}`)
        for (const id of ids) deepEqual((await archive.repair(id)).damaged, [])
        if (end === 'prune') ok((await archive.prune(time.now + day)).length > 0)
        else for (const id of ids) ok((await archive.forget(id)).length > 0, id)
        for (const key of (await everything(storage)).keys()) ok(!/^sessions\/[^/]+\/(?:transcript|checkpoints|events)\//.test(key), `${key} is still there`)
      }
    },
  },
  {
    name: 'archive: what two processes report in the same millisecond is on record twice',
    async run(create) {
      const storage = await create()
      const time = { now: Date.now() }
      const source = saying('SAME', 14)
      const events = async (): Promise<number> => (await createArchive<Message>(storage).read('a')).events.length
      for (const length of [source.length - 4, source.length]) {
        const [before, compactor] = [await events(), compactorOn(storage, time)]
        await compactor.session('a').beforeModelCall(source.slice(0, length))
        await compactor.flush()
        ok((await events()) > before + 1)
      }
    },
  },
]
