import { createArchive, createCompactor, encryptedStorage, type Message, memoryStorage, neutralCodec, rotateEncryption, type StorageDriver } from '@precis/core'
import { assistant, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession } from '../systems/setup.ts'

const limits = { contextWindow: 14_000, maxOutput: 1_500 }
const half: readonly Message[] = history(codingSession({ turns: 6, steps: 3, lines: 35 }), user('Go on with module6.'))
const whole: readonly Message[] = history(half, assistant('Done.'), codingSession({ turns: 6, steps: 3, lines: 35 }).slice(1), user('And now?'))
const index = 'sessions/s/transcript/index.json'

/** An archive of two compactions. */
async function archived(): Promise<StorageDriver> {
  const storage = memoryStorage()
  const archive = createArchive<Message>(storage, { redact: false })
  const compactor = createCompactor<Message>({ codec: neutralCodec, limits, storage, archive, exporters: [archive.exporter()] })
  const session = compactor.session('s')
  await session.beforeModelCall(half)
  await session.compact(whole)
  await compactor.flush()
  return storage
}

const damages: readonly (readonly [string, string])[] = [
  ['half written', '[{"from":0,"to":3'],
  ['of another shape', '{"segments":[]}'],
  ['of nothing', '[null]'],
  ['with a gap', '[{"from":4,"to":9,"fingerprint":"9:x","key":"sessions/s/transcript/4-9-x.json"}]'],
]

describe('an archive whose index is damaged', () => {
  it.each(damages)('%s: answers with what is on record, says what is damaged, and repair makes the index anew', async (_name, body) => {
    const storage = await archived()
    const archive = createArchive<Message>(storage, { redact: false })
    const before = await archive.read('s')
    expect(before.messages).toEqual(whole)
    expect(before.damaged).toBeUndefined()
    await storage.put(index, body)
    expect(await archive.read('s')).toEqual({ ...before, damaged: [index] })
    expect(await archive.recallTool('s', neutralCodec).execute({ query: 'module3' })).toContain('module3')
    expect(await archive.repair('s')).toEqual({ rebuilt: true, messages: whole.length, damaged: [] })
    expect(await archive.read('s')).toEqual(before)
    expect(await archive.repair('s')).toEqual({ rebuilt: false, messages: whole.length, damaged: [] })
  })
  it('that is gone is made anew too', async () => {
    const storage = await archived()
    const archive = createArchive<Message>(storage, { redact: false })
    await storage.delete(index)
    expect(await archive.repair('s')).toEqual({ rebuilt: true, messages: whole.length, damaged: [] })
    expect((await archive.read('s')).messages).toEqual(whole)
  })
  it('the next compaction archives what is new and mends it on its way', async () => {
    const storage = await archived()
    await storage.put(index, '[{"from":0')
    const archive = createArchive<Message>(storage, { redact: false })
    const more = history(whole, assistant('Done again.'), user('One more.'))
    await archive.saveTranscript('s', more, more)
    expect(await archive.read('s')).toMatchObject({ messages: more })
    expect((await archive.read('s')).damaged).toBeUndefined()
  })
})

describe('an archive with another damaged part', () => {
  it.each(['transcript/', 'checkpoints/', 'events/'])('in %s: everything else is read, and the part is named', async (folder) => {
    const storage = await archived()
    const archive = createArchive<Message>(storage, { redact: false })
    const before = await archive.read('s')
    const keys: string[] = []
    for await (const key of storage.list(`sessions/s/${folder}`)) if (key !== index) keys.push(key)
    const last = keys.sort((a, b) => Number(/\/(\d+)-/.exec(a)?.[1]) - Number(/\/(\d+)-/.exec(b)?.[1])).at(-1) as string
    await storage.put(last, '{"half')
    const after = await archive.read('s')
    expect(after.damaged).toEqual([last])
    expect(after.messages).toEqual(folder === 'transcript/' ? whole.slice(0, half.length) : whole)
    expect(after.checkpoints).toHaveLength(before.checkpoints.length - (folder === 'checkpoints/' ? 1 : 0))
    expect((await archive.repair('s')).rebuilt).toBe(false)
    expect((await storage.get(last))?.body).toBe('{"half')
    expect(await archive.prune(0)).toEqual([])
  })
})

describe('a change of keys', () => {
  it('goes on past what cannot be read, and reports it', async () => {
    const old = { id: 'old', key: new Uint8Array(32).fill(1) }
    const current = { id: 'new', key: new Uint8Array(32).fill(2) }
    const lost = { id: 'lost', key: new Uint8Array(32).fill(3) }
    const inner = memoryStorage()
    for (const [key, with_] of [
      ['a', old],
      ['b', lost],
      ['c', old],
      ['d', old],
    ] as const) {
      await encryptedStorage(inner, { key: () => with_ }).put(key, `text of ${key}`)
    }
    await inner.put('d', `${(await inner.get('d'))?.body.slice(0, -8)}AAAAAAA=`)
    const options = { key: (id?: string) => (id === undefined || id === 'new' ? current : id === 'old' ? old : undefined) }
    const { written, failed } = await rotateEncryption(inner, options)
    expect(written).toBe(2)
    expect(failed.map(({ key }) => key)).toEqual(['b', 'd'])
    expect(failed[0]?.reason).toContain('"lost"')
    const now = encryptedStorage(inner, { key: (id) => (id === undefined || id === 'new' ? current : undefined) })
    expect((await now.get('c'))?.body).toBe('text of c')
  })
  it('without a key to write with is a mistake of the configuration', async () => {
    const inner = memoryStorage()
    await encryptedStorage(inner, { key: () => ({ id: 'old', key: new Uint8Array(32) }) }).put('a', 'x')
    await expect(rotateEncryption(inner, { key: (id) => (id === 'old' ? { id, key: new Uint8Array(32) } : undefined) })).rejects.toThrow(
      'expected a key to write with',
    )
  })
})
