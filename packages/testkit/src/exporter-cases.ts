import { equal, ok } from 'node:assert/strict'
import { type CompactionEvent, createCompactor, type EventName, type Exporter, neutralCodec } from '@precis/core'
import { freezeDeep } from './builders.ts'
import { generateHistory } from './generate.ts'

/** A rule that every exporter keeps, as a test that any runner can call. Throws where it does not hold. */
export interface ExporterCase {
  readonly name: string
  /** @throws AssertionError where the rule does not hold. */
  run(create: () => Exporter): Promise<void>
}

const events = (count: number, attributes: CompactionEvent['attributes'] = { action: 'compact', used: 12 }): readonly CompactionEvent[] =>
  freezeDeep(
    Array.from({ length: count }, (_, at) => ({
      event: 'compact.trigger_decision' as EventName,
      ts: new Date(Date.UTC(2026, 0, 1) + at).toISOString(),
      session_id: `session-${at % 3}`,
      severity: (['info', 'warning', 'high'] as const)[at % 3] as CompactionEvent['severity'],
      attributes,
    })),
  )

const ended = async (exporter: Exporter): Promise<void> => {
  await exporter.flush?.()
  await exporter.shutdown?.()
}

/** What an exporter must do and never do. Where events go to is its own matter: a destination that is away must hold as well. */
export const exporterCases: readonly ExporterCase[] = [
  {
    name: 'has a name, takes events that nobody may change, one and many, and none',
    async run(create) {
      const exporter = create()
      ok(exporter.name.length > 0)
      for (const batch of [events(1), events(500), []]) {
        exporter.observe?.(batch)
        await exporter.export(batch)
      }
      await ended(exporter)
    },
  },
  {
    name: 'events and attributes that it has never heard of are no reason to fail',
    async run(create) {
      const exporter = create()
      const strange = { a: Number.NaN, b: Number.POSITIVE_INFINITY, c: '', d: 'ž\u0000\u{1f680}'.repeat(200), e: false, f: -0 }
      const unknown = events(2, strange).map((event) => ({ ...event, event: 'compact.from_the_future' as EventName, session_id: '' }))
      await exporter.export(unknown)
      await ended(exporter)
    },
  },
  {
    name: 'flush and shutdown come to an end, twice too; what comes later is no error',
    async run(create) {
      const exporter = create()
      await exporter.export(events(10))
      await ended(exporter)
      await ended(exporter)
      await exporter.export(events(1))
    },
  },
  {
    name: 'two of a kind do not disturb each other',
    async run(create) {
      const [one, two] = [create(), create()]
      await one.export(events(5))
      await ended(one)
      await two.export(events(5))
      await ended(two)
    },
  },
  {
    name: 'an agent behind it goes on as ever',
    async run(create) {
      const compactor = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_000, maxOutput: 1_000 }, exporters: [create()] })
      const { report } = await compactor.session('s').beforeModelCall(generateHistory(3, { turns: 20 }))
      equal(report.outcome, 'summarized')
      await compactor.shutdown()
    },
  },
]
