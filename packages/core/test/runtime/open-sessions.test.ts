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

it.each([
  ['a Worker', { WebSocketPair: class {} }, ['gone', 'idle']],
  ['a server', {}, ['idle']],
])('in %s what holds too much and is at work makes way', async (_, globals, expected) => {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  vi.resetModules()
  const { createOpenSessions } = await import('../../src/runtime/compactor/open-sessions.ts')
  const closed: string[] = []
  const sessions = createOpenSessions(neutralCodec, 1_500, Infinity, fakeClock())
  const add = (id: string, idle: boolean): void => {
    const size = (): number => (closed.includes(id) ? 0 : 1_000)
    const session = { session: { close: () => void closed.push(id) }, size, isIdle: () => idle, usedAt: () => 0, rest: () => {} }
    sessions.add(id, session as unknown as OpenSession<never>)
  }
  add('gone', false)
  add('idle', true)
  add('newest', true)
  expect(closed).toEqual(expected)
})
