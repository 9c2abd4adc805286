import { fakeClock } from '@precis/testkit'
import { afterEach, expect, it, vi } from 'vitest'
import { neutralCodec } from '../../src/index.ts'
import type { OpenSession } from '../../src/runtime/session/session.ts'

afterEach(() => vi.unstubAllGlobals())

const open = async () => {
  vi.resetModules()
  const { createOpenSessions } = await import('../../src/runtime/compactor/open-sessions.ts')
  const sessions = createOpenSessions(neutralCodec, 1_000, 60_000, { ...fakeClock(), now: () => 100_000 })
  const add = (id: string, used: number, busy: boolean): void =>
    sessions.add(id, { usedAt: () => used, isIdle: () => !busy, rest() {}, size: () => 0 } as unknown as OpenSession<never>)
  add('waits', 0, true)
  add('works', 99_000, true)
  add('new', 100_000, false)
  return [...sessions.all.values()].map(({ id }) => id)
}

it('in Cloudflare Workers, what has waited for longer than any request does is let go of', async () => {
  expect(await open()).toEqual(['waits', 'works', 'new'])
  vi.stubGlobal('WebSocketPair', class {})
  expect(await open()).toEqual(['works', 'new'])
})
