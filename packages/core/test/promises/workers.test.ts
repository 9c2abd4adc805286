import { AsyncLocalStorage } from 'node:async_hooks'
import { type Message, neutralCodec } from '@precis/core'
import { fakeClock } from '@precis/testkit'
import { afterEach, expect, it, vi } from 'vitest'
import type { OpenSession } from '../../src/runtime/session/session.ts'

// In Cloudflare Workers what one request made is not for another to touch, and what it waits for ends with it.

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

const text = (turn: number): string => `Turn ${turn}. ${'The build of the parser is slow again. '.repeat(30)}`
const history: readonly Message[] = Array.from({ length: 13 }, (_, turn) => ({
  role: turn % 2 === 0 ? 'user' : 'assistant',
  parts: [{ type: 'text', text: text(turn) }],
}))

it('a chat is deleted whose summary another request began', async () => {
  const request = new AsyncLocalStorage<number>()
  class OfOneRequest extends AbortController {
    readonly #made = request.getStore()
    override abort(reason?: unknown): void {
      if (this.#made !== request.getStore()) throw new Error('Cannot perform I/O on behalf of a different request.')
      super.abort(reason)
    }
  }
  vi.resetModules()
  vi.stubGlobal('WebSocketPair', class {})
  vi.stubGlobal('AbortController', OfOneRequest)
  const { createCompactor } = await import('@precis/core')
  let asked = 0
  const compactor = createCompactor<Message>({
    codec: neutralCodec,
    limits: { contextWindow: 8_000 },
    policy: { trigger: { background: true, soft: { fraction: 0.3 }, hard: { fraction: 0.95 } }, summary: { author: 'model' } },
    summarizer: { name: 'gone with its request', summarize: () => new Promise(() => void asked++) },
  })
  await request.run(1, () => compactor.session('chat').beforeModelCall(history))
  await vi.waitUntil(() => asked > 0)
  expect((await request.run(2, () => compactor.forget('chat'))).left).toEqual([])
})

it.each([
  ['a Worker', { WebSocketPair: class {} }, ['gone', 'idle']],
  ['a server', {}, ['idle']],
])('in %s what holds too much and is at work makes way', async (_, globals, expected) => {
  vi.resetModules()
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  const { createOpenSessions } = await import('../../src/runtime/compactor/open-sessions.ts')
  const closed: string[] = []
  const open = createOpenSessions<Message>(neutralCodec, 1_500, Infinity, fakeClock())
  const add = (id: string, idle: boolean): void => {
    const size = (): number => (closed.includes(id) ? 0 : 1_000)
    const session = { session: { close: () => void closed.push(id) }, size, isIdle: () => idle, usedAt: () => 0, rest: () => {} }
    open.add(id, session as unknown as OpenSession<Message>)
  }
  add('gone', false)
  add('idle', true)
  add('newest', true)
  expect(closed).toEqual(expected)
})
