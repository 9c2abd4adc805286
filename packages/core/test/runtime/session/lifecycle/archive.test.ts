import { createArchive, type Message, memoryStorage } from '@precis/core'
import { assistant, fakeExporter, fakeStorage, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession, compactorWith } from '../../../systems/setup.ts'
import { balanced, full, limits } from './setup.ts'

describe('the archive', () => {
  it('holds the whole session after a crash at any write, and goes on from there', async () => {
    for (let crash = 1; crash <= 12; crash++) {
      const inner = memoryStorage()
      let writes = 0
      const dying = {
        ...inner,
        put: async (...args: Parameters<typeof inner.put>) => {
          if (++writes >= crash) throw new Error('killed')
          return inner.put(...args)
        },
      }
      const first = compactorWith(balanced, { limits, storage: dying, archive: createArchive<Message>(dying) }).session('s')
      await first.beforeModelCall(full)
      // Whatever was written can be read: a beginning of the session, never a torn one.
      const partial = await createArchive<Message>(inner).read('s')
      expect(partial.messages).toEqual(full.slice(0, partial.messages.length))
      const archive = createArchive<Message>(inner)
      const second = compactorWith(balanced, { limits, storage: inner, archive }).session('s')
      const grown = [...full, ...codingSession({ turns: 4, steps: 3, lines: 45 }).slice(1)]
      await second.compact(grown, { focus: 'all' })
      expect((await archive.read('s')).messages).toEqual(grown)
    }
  })
  it('keeps what forks share once, and pages through it for the model', async () => {
    const driver = memoryStorage()
    const archive = createArchive<Message>(driver)
    const session = compactorWith(balanced, { limits, storage: driver, archive }).session('s')
    await session.beforeModelCall(full)
    const writes = async () => {
      let count = 0
      for await (const _ of driver.list('sessions/s/transcript/')) count++
      return count
    }
    const once = await writes()
    await session.compact([...full, user('more'), assistant('done and '.repeat(900)), user('on')], { focus: 'x' })
    expect(await writes()).toBe(once + 1)
    const recall = session.tools().find((tool) => tool.name === 'recall_history')
    expect(await recall?.execute({ query: 'migration lock' })).toContain('migration lock held by worker-7')
    expect(await recall?.execute({ offset: 1, limit: 2 })).toMatch(/Request 0[\s\S]*\[messages 1–2 of \d+; go on with offset 3\]/)
    expect(await recall?.execute({ query: 'nothing like this' })).toContain('Nothing found')
    expect(await recall?.execute({ query: '(x' })).toContain('groups')
  })
  it('a storage that fails is a warning, and nothing else', async () => {
    const exporter = fakeExporter()
    const archive = createArchive<Message>(fakeStorage('put-throws'))
    const compactor = compactorWith(balanced, { limits, archive, exporters: [exporter] })
    const { report } = await compactor.session('s').beforeModelCall(full)
    await compactor.flush()
    expect(report.outcome).not.toBe('unchanged')
    expect(report.warnings.join()).toContain('could not be archived')
    expect(exporter.events.filter((event) => event.event === 'compact.archive_failed').length).toBeGreaterThan(0)
  })
  it('two workers that archive at once lose nothing', async () => {
    const driver = memoryStorage()
    const both = [1, 2].map(() => compactorWith(balanced, { limits, storage: driver, archive: createArchive<Message>(driver) }).session('s'))
    await Promise.all(both.map((session, at) => session.compact([...full, user(`worker ${at}`)], { focus: 'x' })))
    expect((await createArchive<Message>(driver).read('s')).messages.slice(0, full.length)).toEqual(full)
  })
})
