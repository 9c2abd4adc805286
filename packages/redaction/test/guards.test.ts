import { createArchive, createCompactor, type Message, memoryStorage, neutralCodec } from '@precis/core'
import { guardedStorage, guardedSummarizer, type RedactionService } from '@precis/redaction'
import { fakeSummarizer, generateHistory } from '@precis/testkit'
import { expect, it } from 'vitest'

const service: RedactionService = async (texts) => texts.map((text) => text.replaceAll('Zeta', '[project]'))
const away: RedactionService = async () => {
  throw new Error('the service is away')
}
const history: readonly Message[] = [{ role: 'user', parts: [{ type: 'text', text: 'Keep Zeta secret.' }] }, ...generateHistory(3, { turns: 40 })]

function session(guard: RedactionService) {
  const [storage, summarizer] = [memoryStorage(), fakeSummarizer()]
  const compactor = createCompactor({
    codec: neutralCodec,
    limits: { contextWindow: 8_000, maxOutput: 500 },
    policy: { summary: { author: 'model' } },
    summarizer: guardedSummarizer(summarizer, guard),
    archive: createArchive<Message>(guardedStorage(storage, guard)),
  })
  return { session: compactor.session('s'), storage, summarizer }
}

it('a service at the doors sees every request and every write, and the agent goes on', async () => {
  const { session: own, storage, summarizer } = session(service)
  await own.beforeModelCall(history)
  let stored = ''
  for await (const key of storage.list('')) stored += (await storage.get(key))?.body
  expect(stored).toContain('Keep [project] secret.')
  expect(stored).not.toContain('Zeta')
  expect(summarizer.requests.length).toBeGreaterThan(0)
  expect(JSON.stringify(summarizer.requests)).not.toContain('Zeta')
})

it('while the service is away nothing passes, and the agent goes on', async () => {
  const { session: own, storage, summarizer } = session(away)
  const { messages, report } = await own.beforeModelCall(history)
  expect(messages.length).toBeLessThan(history.length)
  expect(report.warnings.join()).toContain('could not be archived')
  expect(summarizer.requests).toEqual([])
  for await (const key of storage.list('')) expect.unreachable(key)
})
