import {
  type Archive,
  createArchive,
  createCompactor,
  createToolOutputStore,
  type Message,
  memoryStorage,
  neutralCodec,
  type StorageDriver,
} from '@precis/core'
import { assistant, history } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { hanging, limits, long } from './setup.ts'

describe('where the write is the only copy', () => {
  const archiveOf = (storage: StorageDriver): Archive<Message> => createArchive<Message>(storage)
  it.each([
    ['archive', { archive: archiveOf(hanging) }],
    ['output store', { outputs: createToolOutputStore(hanging, { keep: 'all' }) }],
  ])('a context that replaces its history is not made without the %s', async (_name, options) => {
    const session = createCompactor<Message>({ codec: neutralCodec, limits, effectDeadline: 20, ...options }).session('s')
    const { messages, report } = await session.beforeModelCall(long, { replaces: true })
    expect(messages).toBe(long)
    expect(report.outcome).toBe('unchanged')
    expect(report.warnings.join()).toContain('nothing else would hold')
    expect(session.state().checkpoints).toEqual([])
  })
  it('nor is one that was made for a view before', async () => {
    const storage = memoryStorage()
    const options = { codec: neutralCodec, limits, storage, effectDeadline: 20 }
    const more = history(long, assistant('Done.'))
    await createCompactor<Message>(options).session('s').beforeModelCall(long)
    const { messages, report } = await createCompactor<Message>({ ...options, archive: archiveOf(hanging) })
      .session('s')
      .beforeModelCall(more, { replaces: true })
    expect(messages).toBe(more)
    expect(report.outcome).toBe('unchanged')
  })
  it('is made where they answer', async () => {
    const storage = memoryStorage()
    const session = createCompactor<Message>({ codec: neutralCodec, limits, archive: archiveOf(storage) }).session('s')
    const { report } = await session.beforeModelCall(long, { replaces: true })
    expect(report.outcome).not.toBe('unchanged')
    expect((await archiveOf(storage).read('s')).messages).toEqual(long)
  })
  it('an output that arrives stays whole', async () => {
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, effectDeadline: 20, outputs: createToolOutputStore(hanging) })
    const output = 'line of a log\n'.repeat(20_000)
    expect(await compactor.receiveOutput('logs', output)).toBe(output)
  })
  it('a stream is read to its end, however long the tool takes and the store hangs; both ends are kept', async () => {
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, effectDeadline: 20, outputs: createToolOutputStore(hanging) })
    const stream = async function* () {
      yield 'first line\n'
      await new Promise((resolve) => setTimeout(resolve, 60))
      yield `${'x'.repeat(60)}\n`.repeat(40_000)
      yield 'last line'
    }
    const view = await compactor.receiveOutput('logs', stream())
    expect(view).toContain('first line')
    expect(view).toContain('last line')
    expect(view).toContain('could not be stored')
  })
  it('a slow tool is no slow store', async () => {
    const outputs = createToolOutputStore(memoryStorage())
    const compactor = createCompactor<Message>({ codec: neutralCodec, limits, effectDeadline: 20, outputs })
    const stream = async function* () {
      yield `${'y'.repeat(60)}\n`.repeat(5_000)
      await new Promise((resolve) => setTimeout(resolve, 80))
      yield 'last line'
    }
    expect(await compactor.receiveOutput('logs', stream())).toMatch(/ref=out-[0-9a-f]{16}/)
  })
})
