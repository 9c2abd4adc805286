import { createCompactor, type Message, memoryStorage, neutralCodec } from '@precis/core'
import { fakeExporter, fakeSummarizer, generateHistory } from '@precis/testkit'
import { expect, it } from 'vitest'

it('the end of a compaction names its checkpoint, as the receipt and the storage do, and what its summary cost', async () => {
  const [storage, exporter] = [memoryStorage(), fakeExporter()]
  const limits = { contextWindow: 8_000, maxOutput: 1_000 }
  const compactor = createCompactor<Message>({ codec: neutralCodec, limits, storage, exporters: [exporter], summarizer: fakeSummarizer() })
  const { report } = await compactor.session('order-77').beforeModelCall(generateHistory(1, { turns: 40 }))
  await compactor.flush()
  const [finished] = exporter.events.filter(({ event }) => event === 'compact.finished')
  const stored = JSON.parse((await storage.get('sessions/order-77/state.json'))?.body ?? '')
  expect(report.spent.calls).toBeGreaterThan(0)
  expect(finished).toMatchObject({
    session_id: 'order-77',
    attributes: {
      checkpoint: stored.checkpoints[0].id,
      summary_calls: report.spent.calls,
      summary_prompt: report.spent.prompt,
      summary_reply: report.spent.reply,
    },
  })
  expect(report.checkpoint).toBe(finished?.attributes['checkpoint'])
})

it('what no model wrote has no cost in its event', async () => {
  const exporter = fakeExporter()
  const compactor = createCompactor<Message>({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, exporters: [exporter] })
  await compactor.session('s').beforeModelCall(generateHistory(1, { turns: 40 }))
  await compactor.flush()
  const [finished] = exporter.events.filter(({ event }) => event === 'compact.finished')
  expect(Object.keys(finished?.attributes ?? {})).toContain('checkpoint')
  expect(Object.keys(finished?.attributes ?? {})).not.toContain('summary_calls')
})
