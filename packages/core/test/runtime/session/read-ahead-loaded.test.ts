import { createCompactor, type Message, neutralCodec } from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { afterEach, expect, it, vi } from 'vitest'

const loaded = vi.hoisted(() => ({ news: false }))
vi.mock('../../../src/runtime/session/reading/read-news.ts', (actual) => {
  loaded.news = true
  return actual()
})
afterEach(() => vi.useRealTimers())

// Jest fails a run in which a file is loaded after the test that made the call.
it('what reads ahead is loaded within the call, not by a timer after it', async () => {
  const later = setTimeout
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const messages = generateHistory(3, { turns: 20, steps: 3, output: 4_000 })
  const reported = async (contextWindow: number) => {
    const { report } = await createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow } }).session('s').beforeModelCall(messages)
    expect(report.outcome).toBe('unchanged')
    return report
  }
  const { before } = (await reported(10_000_000)).tokens
  expect(loaded.news).toBe(false)
  await reported(Math.ceil(before * 1.8))
  for (let waits = 0; !loaded.news && waits < 100; waits++) await new Promise((resolve) => later(resolve, 10))
  expect(loaded.news).toBe(true)
})
