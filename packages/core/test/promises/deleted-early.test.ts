import { createArchive, createCompactor, createToolOutputStore, type Message, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { assistant, call, generateHistory, history, result, user } from '@precis/testkit'
import { expect, it } from 'vitest'

const limits = { contextWindow: 8_000, maxOutput: 1_000 }
const secret = 'ORCHID-4711'
const later = 'LILY-2'

async function keysSaying(storage: StorageDriver, word: string): Promise<readonly string[]> {
  const found: string[] = []
  for await (const key of storage.list('')) if ((await storage.get(key))?.body.includes(word) === true) found.push(key)
  return found
}

it.each(['the same process', 'another one'])(
  'a conversation that is deleted while its outputs are stored, before its first summary, by %s: nothing of it is stored',
  async (who) => {
    const storage = memoryStorage()
    let keeping = (): void => {}
    const isKeeping = new Promise<void>((resolve) => {
      keeping = resolve
    })
    const slow: StorageDriver = {
      ...storage,
      async put(key, body, options) {
        if (key.startsWith('outputs/')) {
          keeping()
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
        return storage.put(key, body, options)
      },
    }
    const made = (on: StorageDriver) =>
      createCompactor({ codec: neutralCodec, limits, storage: on, archive: createArchive<Message>(on), outputs: createToolOutputStore(on, { keep: 'all' }) })
    const there = made(slow)
    const said = history(
      user(`The password is ${secret}.`),
      ...Array.from({ length: 12 }, (_, at) => [call('read', `c${at}`, {}), result(`c${at}`, `line ${at} `.repeat(900))]).flat(),
    )
    const working = there.session('s').beforeModelCall(said)
    await isKeeping
    await (who === 'another one' ? made(storage) : there).forget('s')
    expect((await working).report.warnings.join()).toContain('deleted')
    await there.flush()
    expect(await keysSaying(storage, secret)).toEqual([])
    // Its id is free for what is said from then on.
    const anew = history(user('Begin.'), user(`The password is ${later}.`), generateHistory(2, { turns: 30 }))
    expect((await there.session('s').beforeModelCall(anew)).report.warnings).toEqual([])
    expect(await keysSaying(storage, later)).not.toEqual([])
  },
)

it.each(['the same process', 'another one'])('an unnamed conversation that has another id since its summary was stored, by %s', async (who) => {
  const storage = memoryStorage()
  const made = () => createCompactor({ codec: neutralCodec, limits, storage, archive: createArchive<Message>(storage) })
  const short = history(user(`The password is ${secret}.`), assistant('word '.repeat(7_000)), user('and now?'))
  const there = made()
  const { report } = await there.conversation(short).beforeModelCall(short)
  expect(report.outcome).not.toBe('unchanged')
  expect(await keysSaying(storage, secret)).not.toEqual([])
  const long = history(short, assistant('yes'), user('go on'), assistant('done'), user('and now?'))
  const here = who === 'another one' ? made() : there
  const { id } = here.conversation(long)
  expect(id).not.toBe(there.conversation(short).id)
  const would = await here.forget(id, { dryRun: true })
  expect(await keysSaying(storage, secret)).not.toEqual([])
  const { keys } = await here.forget(id)
  expect(keys).toEqual(would.keys)
  expect(keys.length).toBeGreaterThan(0)
  expect(await keysSaying(storage, secret)).toEqual([])
  expect(await here.forget(id)).toEqual({ keys: [], outputs: [], left: [] })
  // Nothing of it comes back.
  await here.conversation(long).beforeModelCall(long)
  expect(await keysSaying(storage, secret)).toEqual([])
})
