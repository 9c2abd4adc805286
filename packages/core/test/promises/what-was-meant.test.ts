import {
  createArchive,
  createCompactor,
  createRedactor,
  createToolOutputStore,
  encryptedStorage,
  InvalidConfigurationError,
  memoryStorage,
  neutralCodec,
  personalRules,
  type StorageDriver,
} from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const limits = { contextWindow: 8_000, maxOutput: 1_000 }

/** A compactor whose storage holds a conversation that nobody has used for a while. */
async function withIdle(days: number) {
  const storage = memoryStorage()
  const time = { now: Date.UTC(2026, 0, 1) }
  let ids = 0
  const clock = { now: () => time.now, id: () => `${time.now}-${++ids}` }
  const make = () => createCompactor({ codec: neutralCodec, limits, storage, clock })
  await make()
    .session('idle')
    .compact(generateHistory(3, { turns: 20 }))
  time.now += days * 86_400_000
  return { compactor: make(), keys: () => keysOf(storage) }
}

async function keysOf(storage: StorageDriver): Promise<readonly string[]> {
  const keys: string[] = []
  for await (const key of storage.list('sessions/')) keys.push(key)
  return keys
}

describe('a deletion that says something else than it means deletes nothing', () => {
  it.each([
    [{ days: 90 }, 'unknown option "days" of gc; write retention: { days: 90 }.'],
    [{ dryrun: true }, 'unknown option "dryrun" of gc; write dryRun.'],
    [{ olderThan: 5 }, 'unknown option "olderThan" of gc; write one of retention, limit, deadline, from, dryRun, texts.'],
    [{ retention: 90 }, 'retention is 90; write { days: 30 }, milliseconds of a day or more, or false.'],
    [{ deadline: '60s' }, 'deadline is "60s"; expected milliseconds, 30_000 for 30 seconds, or Infinity.'],
    [{ deadline: Number.NaN }, 'deadline is NaN; expected milliseconds'],
    [{ dryRun: 'no' }, 'dryRun is "no"; expected true or false.'],
    [{ limit: 0 }, 'limit is 0; expected how many conversations'],
    [{ from: 3 }, 'from is 3; expected the `next` of the call before.'],
    [{ texts: 3 }, 'texts is 3; expected a list of texts.'],
    [90, 'gc is 90; expected an object with retention'],
    [null, 'gc is null; expected an object with retention'],
  ])('gc(%j)', async (options, said) => {
    const { compactor, keys } = await withIdle(60)
    const before = await keys()
    await expect(compactor.gc(options as never)).rejects.toThrow(InvalidConfigurationError)
    await expect(compactor.gc(options as never)).rejects.toThrow(said)
    expect(await keys()).toEqual(before)
    expect((await compactor.gc({ retention: undefined, limit: undefined, deadline: undefined, from: undefined, dryRun: undefined })).conversations).toEqual([
      'idle',
    ])
  })
  it('forget', async () => {
    const { compactor, keys } = await withIdle(0)
    const before = await keys()
    await expect(compactor.forget(42 as never)).rejects.toThrow('session is 42; expected a text: String(id), say.')
    await expect(compactor.forget('')).rejects.toThrow('session is ""; expected a text')
    for (const given of [compactor.session('chat-42'), { session: 'chat-42' }])
      await expect(compactor.forget(given as never)).rejects.toThrow('session is object; write its id, a text: session.id.')
    await expect(compactor.forget('idle', { dryrun: true } as never)).rejects.toThrow('unknown option "dryrun" of forget; write dryRun.')
    await expect(compactor.forget('idle', { dryRun: 'no' } as never)).rejects.toThrow('dryRun is "no"; expected true or false.')
    await expect(compactor.forget('idle', { deadline: '60s' } as never)).rejects.toThrow('deadline is "60s"; expected milliseconds')
    expect(await keys()).toEqual(before)
    expect((await compactor.forget('idle')).keys).not.toEqual([])
  })
})

it.each([undefined, './folder', {}, memoryStorage])('an archive and a store for outputs want a storage: %o', (storage) => {
  for (const make of [() => createArchive(storage as never), () => createToolOutputStore(storage as never)]) {
    expect(make).toThrow(InvalidConfigurationError)
    expect(make).toThrow('write memoryStorage() or fsStorage({ root })')
  }
})

it.each([
  [{ tools: { bash: { keep: 'allways' } } }, 'tools.bash.keep is "allways"; expected one of always, prunable.'],
  [{ tools: { bash: { shap: 'log' } } }, 'unknown field "tools.bash.shap"; write tools.bash.shape.'],
  [{ tools: 3 }, 'tools is 3; write { bash: { shape } }.'],
  [{ tools: [] }, 'tools is a list; write { bash: { shape } }.'],
  [{ policy: ['layered'] }, 'policy is a list; expected a policy such as presets.layered, or overrides.'],
  [{ preset: 'layered' }, 'unknown option "preset"; write policy: presets.layered.'],
  [{ policy: { preset: 'layered' } }, 'unknown field "preset"; write policy: presets.layered.'],
  [{ policy: Promise.resolve({}) }, 'policy returned a promise; write policy: await load(…), or return at once.'],
  [{ policy: async () => ({}) }, 'policy returned a promise; write policy: await load(…), or return at once.'],
  [{ estimator: async () => undefined }, 'estimator returned a promise; write estimator: await load(…), or return at once.'],
  [{ limits: Promise.resolve(limits) }, 'limits returned a promise; write limits: await load(…), or return at once.'],
  [{ redact: createRedactor }, 'redact is a factory; call it: redact: createRedactor().'],
  [{ redact: personalRules }, 'redact is a list; write createRedactor(), createRedactor(rules) or false.'],
  [{ personalData: 'drop' }, 'personalData is "drop"; expected one of redact, keep.'],
  [{ maxMemory: '5' }, 'maxMemory is "5"; expected a number ≥ 0.'],
  [{ restAfter: '5' }, 'restAfter is "5"; expected a number ≥ 0.'],
  [{ effectDeadline: 0 }, 'effectDeadline is 0; expected a number ≥ 1.'],
  [{ directives: ['Keep the branch.'] }, 'directives is a list; write () => [].'],
  [{ errorPatterns: [{ kind: 'overflow', pattern: 'too long' }] }, 'errorPatterns is a list; write [{ kind, pattern }].'],
  [{ clock: () => 3 }, 'clock is "function"; write { now, id }.'],
])('an option that cannot be meant is not taken for another: %o', (option, said) => {
  const make = (): unknown => createCompactor({ codec: neutralCodec, limits, ...(option as object) })
  expect(make).toThrow(InvalidConfigurationError)
  expect(make).toThrow(said)
})

it.each([
  ['that is kept', async () => limits],
  ['that fails, which ends no process', async () => Promise.reject(new Error('no catalog'))],
])('a function of limits cannot return a promise: one %s', async (_, asked) => {
  const session = createCompactor({ codec: neutralCodec, limits: asked as never }).session('s')
  const said = 'limits returned a promise; write limits: await load(…), or return at once.'
  await expect(session.beforeModelCall(generateHistory(3, { turns: 1 }))).rejects.toThrow(said)
})

const key = () => undefined
it.each([
  [createArchive, { redact: true }, 'write createRedactor() or false'],
  [createArchive, { redact: createRedactor }, 'redact is a factory; call it: redact: createRedactor().'],
  [createArchive, { redct: false }, 'unknown field "redct"; write redact.'],
  [createArchive, { personalData: 'drop' }, 'personalData is "drop"; expected one of redact, keep.'],
  [createArchive, { personal: true }, 'unknown field "personal"; write one such as redact, personalData.'],
  [createToolOutputStore, { keep: 'none' }, 'keep is "none"; expected one of shortened, all.'],
  [createToolOutputStore, { maxBytes: 5 }, 'unknown field "maxBytes"; write one such as redact, keep.'],
  [createToolOutputStore, { redact: createRedactor }, 'redact is a factory; call it: redact: createRedactor().'],
  [createToolOutputStore, { redact: 'yes' }, 'write createRedactor() or false'],
  [encryptedStorage, { key, plain: 'no' }, 'plain is "no"; expected one of true, false.'],
  [encryptedStorage, { key, plainn: true }, 'unknown field "plainn"; write plain.'],
  [encryptedStorage, undefined, 'write key: () =>'],
] as const)('what cannot be meant of what is stored is refused, and not found out by what is missing later: %#', (make, options, said) => {
  expect(() => make(memoryStorage(), options as never)).toThrow(InvalidConfigurationError)
  expect(() => make(memoryStorage(), options as never)).toThrow(said)
})
it('an encrypted storage wants a storage behind it', () => {
  expect(() => encryptedStorage(undefined as never, { key })).toThrow('write memoryStorage() or fsStorage({ root })')
})
it('an archive takes each redactor that can be meant', async () => {
  for (const redact of [undefined, false, createRedactor(), (text: string) => text] as const) {
    const archive = createArchive(memoryStorage(), { redact, personalData: undefined } as never)
    const messages = generateHistory(3, { turns: 1 })
    await archive.saveTranscript('s', messages, messages)
    expect((await archive.read('s')).messages).toHaveLength(messages.length)
  }
})
