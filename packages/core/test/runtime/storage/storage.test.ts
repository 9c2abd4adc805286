import {
  checkedStorage,
  checkKey,
  createArchive,
  createCompactor,
  InvalidConfigurationError,
  keySegment,
  type Message,
  memoryStorage,
  neutralCodec,
  type StorageDriver,
  StorageError,
} from '@precis/core'
import { fakeStorage, generateHistory, history, storageDriverCases, user } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('memory storage', () => {
  it.each(storageDriverCases)('$name', ({ run }) => run(async () => memoryStorage()))
})

describe('names of archived sessions', () => {
  it('are no way to another conversation: a model is shown what is on record of its own id', async () => {
    const archive = createArchive<Message>(memoryStorage())
    const source = history(user('The code is ROSE-1.'))
    await archive.saveTranscript(`private ${'x'.repeat(300)}`, source, source)
    let name = ''
    for await (const one of archive.sessions()) name = one
    expect(name).toMatch(/~[0-9a-f]{16}$/)
    expect((await archive.read(name)).messages).toEqual(source)
    expect(await archive.recallTool(name, neutralCodec).execute({ query: 'ROSE' })).toBe('Nothing of this conversation is on record yet.')
    expect(await archive.recallTool(`private ${'x'.repeat(300)}`, neutralCodec).execute({ query: 'ROSE' })).toContain('ROSE-1')
  })
})

describe('keys', () => {
  it.each([
    '',
    '/',
    'a//b',
    '../x',
    'a/../b',
    'a/./b',
    '/etc/passwd',
    'a/',
    'a\u0000b',
    'a\\b',
    'C:/x',
    'con',
    'nul.txt',
    'a/LPT1',
    'x'.repeat(1_000),
    'x'.repeat(256),
    '\u2028x'.repeat(128),
    'end.',
    'end ',
  ])('%j is refused', (key) => {
    expect(() => checkKey(key)).toThrow(InvalidConfigurationError)
  })
  it('any session id makes a segment of its own that every file system holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ unit: 'binary', maxLength: 400 }), (one, other) => {
        expect(() => checkKey(`sessions/${keySegment(one)}/state.json`)).not.toThrow()
        if (one !== other) expect(keySegment(one)).not.toBe(keySegment(other))
      }),
      { numRuns: 2_000 },
    )
    for (const id of ['..', '.', 'con', '', '../../etc', 'a/b', '\ud800', 'x'.repeat(5_000)]) expect(() => checkKey(`s/${keySegment(id)}/x`)).not.toThrow()
  })
  it('a hostile session id reaches no other place, and a hostile key no driver', async () => {
    const storage = memoryStorage()
    const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: 10_000, maxOutput: 1_000 }, storage }).session('../../escape')
    await session.schedule()
    await session.beforeModelCall(history(user('hi')))
    for await (const key of storage.list('')) expect(key).toMatch(/^(?:sessions\/[^/]+\/state|redaction\/salt)\.json$/)
    await expect(checkedStorage(storage).put('../x', '')).rejects.toSatisfy((error) => InvalidConfigurationError.isInstance(error))
  })
  it('what a list gives beside its prefix is left out: the data of another conversation would be deleted', async () => {
    const inner = memoryStorage()
    // As `LIKE` reads a prefix.
    const like = (prefix: string): RegExp => new RegExp(`^${prefix.replaceAll('_', '.').replaceAll('%', '.*')}`)
    const storage: StorageDriver = {
      ...inner,
      async *list(prefix) {
        for await (const key of inner.list('')) if (like(prefix).test(key)) yield key
      },
    }
    const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, storage, archive: createArchive(storage) })
    for (const id of ['user_1', 'user-1']) await compactor.session(id).beforeModelCall(generateHistory(1, { turns: 30 }))
    await compactor.flush()
    const keysOf = async (id: string): Promise<readonly string[]> => {
      const keys: string[] = []
      for await (const key of inner.list(`sessions/${id}/`)) keys.push(key)
      return keys
    }
    const before = await keysOf('user-1')
    expect(before.length).toBeGreaterThan(2)
    await compactor.forget('user_1')
    expect(await keysOf('user_1')).toEqual(['sessions/user_1/state.json'])
    expect(await keysOf('user-1')).toEqual(before)
  })
  it('half a pair of surrogates is stored as U+FFFD, by every driver alike', async () => {
    const storage = checkedStorage(memoryStorage())
    await storage.put('a', 'x\ud83dy')
    expect((await storage.get('a'))?.body).toBe('x\ufffdy')
    await storage.put('a', '🚀')
    expect((await storage.get('a'))?.body).toBe('🚀')
  })
  it('a backend without versions is asked for none', async () => {
    const inner = memoryStorage()
    const given: object[] = []
    const storage: StorageDriver = {
      ...inner,
      get: async (key) => {
        const found = await inner.get(key)
        return found && ({ body: found.body } as typeof found)
      },
      put: (key, body, options) => {
        given.push({ ...options })
        return inner.put(key, body)
      },
    }
    const archive = createArchive(storage)
    const messages = generateHistory(3, { turns: 2 })
    for (const length of [2, messages.length]) await archive.saveTranscript('s', messages.slice(0, length), messages.slice(0, length))
    expect(given).toStrictEqual([{}, { ifVersion: null }, {}, {}])
  })
  it('whatever a backend throws comes out typed, with its cause', async () => {
    const failed = await checkedStorage(fakeStorage('put-throws'))
      .put('a', 'b')
      .catch((error: unknown) => error)
    expect(StorageError.isInstance(failed)).toBe(true)
    expect((failed as StorageError).message).toBe('The storage "fake:put-throws" could not put "a": storage: put failed')
  })
  it('so does what it throws while it lists', async () => {
    const thrown = new Error('AccessDenied')
    const storage = checkedStorage({
      ...memoryStorage(),
      async *list() {
        yield 'sessions/a/state.json'
        throw thrown
      },
    })
    const keys: string[] = []
    const failed = await (async () => {
      for await (const key of storage.list('sessions/')) keys.push(key)
    })().catch((error: unknown) => error)
    expect(keys).toEqual(['sessions/a/state.json'])
    expect(StorageError.isInstance(failed)).toBe(true)
    expect((failed as StorageError).message).toBe('The storage "memory" could not list "sessions/": AccessDenied')
    expect((failed as StorageError).cause).toBe(thrown)
    // What the caller throws is the caller's.
    const own = new Error('enough')
    const stopped = (async () => {
      for await (const _ of storage.list('sessions/')) throw own
    })()
    await expect(stopped).rejects.toBe(own)
  })
})
