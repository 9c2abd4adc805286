import { createHash } from 'node:crypto'
import { createCompactor, createToolOutputStore, memoryStorage, neutralCodec, type Redactor, type StorageDriver } from '@precis/core'
import { call, history, result, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { hashOf } from '../../src/history/hash.ts'
import { redacting } from '../../src/privacy/redactor.ts'

// Outputs are stored once for all conversations: none of them loses its own to another, or reads another's in its place.

const text = 'a line that two conversations read\n'.repeat(40)

/** Every text that is stored. */
async function everything(storage: StorageDriver): Promise<string> {
  let all = ''
  for await (const key of storage.list('')) all += (await storage.get(key))?.body ?? ''
  return all
}

describe('an output that is stored again while it is about to be deleted', () => {
  it.each([
    ['one conversation is forgotten', (id: string) => ({ forgotten: [id] })],
    ['gc finds it old enough', () => ({ storedBefore: Date.now() + 1 })],
  ])('stays: %s', async (_, options) => {
    const storage = memoryStorage()
    const [here, there] = [createToolOutputStore(storage), createToolOutputStore(storage)]
    const { id } = await here.save(text)
    async function* reachable(): AsyncGenerator<string> {
      yield 'nothing names it'
      expect((await there.save(text)).id).toBe(id)
    }
    expect(await here.gc(reachable(), options(id))).toEqual([])
    const lines: string[] = []
    for await (const line of there.lines(id)) lines.push(line.text)
    expect(lines.join('\n')).toBe(text)
    expect(await here.gc(['nothing names it'], options(id))).toEqual([id])
    expect(await everything(storage)).toBe('')
  })

  it('is not marked by a look that deletes nothing', async () => {
    const storage = memoryStorage()
    const store = createToolOutputStore(storage)
    const { id } = await store.save(text)
    const before = await everything(storage)
    expect(await store.gc([], { forgotten: [id], dryRun: true })).toEqual([id])
    expect(await everything(storage)).toBe(before)
  })
})

describe('an id', () => {
  it('is a digest that nobody can make another text for', async () => {
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
    expect((await createToolOutputStore(memoryStorage()).save(text)).id).toBe(`out-${digest}`)
  })

  it('is the same in a compactor’s view and in the store', async () => {
    const outputs = createToolOutputStore(memoryStorage())
    const policy = { prune: { view: { when: 'arrival' } } } as const
    const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 32_000 }, outputs, policy })
    const messages = history(user('Read it.'), call('read', 'c'), result('c', text.repeat(60)), user('And now?'))
    const { messages: shown } = await compactor.session('s').beforeModelCall(messages)
    const [id = ''] = /out-[0-9a-f]{16}/.exec(JSON.stringify(shown)) ?? []
    expect(await outputs.find(id)).toBeDefined()
  })

  it('of an output that an older version stored is found as before', async () => {
    const storage = memoryStorage()
    const id = `out-${hashOf(text)}`
    await storage.put(`outputs/${id}/000000.txt`, text)
    await storage.put(`outputs/${id}/manifest.json`, JSON.stringify({ id, byteSize: text.length, lineCount: 41, firstLines: [1] }))
    const store = createToolOutputStore(storage)
    expect(await store.find(id)).toEqual({ id, byteSize: text.length, lineCount: 41 })
    expect(await store.gc([`see ref=${id}`])).toEqual([])
  })
})

describe('secrets in a large JSON output', () => {
  const filler = Array.from({ length: 16_000 }, (_, at) => ({ id: at, title: `An entry with a title of its own, number ${at}`, done: at % 2 === 0 }))
  const secret = 'hunter2Zx9'
  const variables = [{ name: 'DB_PASSWORD', value: secret }, { password: { value: secret } }, { password: [secret] }]

  it('of more than a piece are found by the names above them', async () => {
    const json = JSON.stringify([...filler, ...variables, ...filler.slice(0, 100)])
    expect(json.length).toBeGreaterThan(1_100_000)
    expect(json.length).toBeLessThan(2_000_000)
    const storage = memoryStorage()
    const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 32_000 }, outputs: createToolOutputStore(storage) })
    await compactor.receiveOutput('list', json)
    expect(await everything(storage)).not.toContain(secret)
  })

  it('of more than is read as JSON are found where the name stands beside or above', async () => {
    const json = JSON.stringify([...filler, ...filler, ...variables.slice(0, 2)])
    expect(json.length).toBeGreaterThan(2_000_000)
    for (const body of [json, JSON.stringify(JSON.parse(json), null, 2)]) {
      const storage = memoryStorage()
      const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 32_000 }, outputs: createToolOutputStore(storage) })
      await compactor.receiveOutput('list', body)
      expect(await everything(storage)).not.toContain(secret)
    }
  })

  it('are looked for in pieces: others have their turn', async () => {
    const outputs = createToolOutputStore(memoryStorage())
    let pieces = 0
    const save: typeof outputs.save = async (output, options) => {
      for (const _ of redacting(options?.redact as Redactor, output as string)) pieces++
      return outputs.save(output, options)
    }
    const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 32_000 }, outputs: { ...outputs, save } })
    await compactor.receiveOutput('list', JSON.stringify(filler))
    expect(pieces).toBeGreaterThan(1_000)
  })
})
