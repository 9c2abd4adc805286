import { type Compactor, createCompactor, type Message, memoryStorage, neutralCodec, type StorageDriver } from '@precis/core'
import { fakeSummarizer } from '@precis/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

// What was taken back stays away, whoever goes on meanwhile.

const limits = { contextWindow: 4_000, maxOutput: 500 }
const history = (turns: number): Message[] =>
  Array.from({ length: turns }, (_, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    parts: [{ type: 'text' as const, text: `${at} ${'word '.repeat(90)}` }],
  }))
const processOn = (storage?: StorageDriver): Compactor<Message> =>
  createCompactor<Message>({ codec: neutralCodec, limits, summarizer: fakeSummarizer(), ...(storage && { storage }) })
const storedIds = async (storage: StorageDriver): Promise<readonly string[]> =>
  (JSON.parse((await storage.get('sessions/s/state.json'))?.body ?? '{"checkpoints":[]}') as { checkpoints: { id: string }[] }).checkpoints.map(({ id }) => id)

describe('a checkpoint that was taken back', () => {
  it('while another process had just stored a newer one: both are gone, for all', async () => {
    const storage = memoryStorage()
    const [one, other] = [processOn(storage).session('s'), processOn(storage).session('s')]
    const first = (await one.beforeModelCall(history(41))).report.checkpoint ?? ''
    await other.beforeModelCall(history(41))
    const second = (await other.beforeModelCall(history(81))).report.checkpoint ?? ''
    expect(new Set([first, second]).size).toBe(2)
    await one.rewind(first)
    expect(await storedIds(storage)).toEqual([])
    for (const session of [one, processOn(storage).session('s')]) {
      const { report } = await session.beforeModelCall(history(61))
      expect([first, second]).not.toContain(report.checkpoint)
    }
    expect(await storedIds(storage)).not.toContain(first)
  })

  it('does not come back with what another process stores that still shows it', async () => {
    const storage = memoryStorage()
    const [one, other] = [processOn(storage).session('s'), processOn(storage).session('s')]
    const first = (await one.beforeModelCall(history(41))).report.checkpoint ?? ''
    await other.beforeModelCall(history(41))
    await one.rewind()
    await other.schedule()
    expect(await storedIds(storage)).not.toContain(first)
    const { report } = await other.beforeModelCall(history(81))
    expect(report.checkpoint).not.toBe(first)
    expect(await storedIds(storage)).not.toContain(first)
  })

  it('does not come back with a state that the host carries, in another process or after a restart', async () => {
    const storage = memoryStorage()
    const session = processOn(storage).session('s')
    await session.beforeModelCall(history(41))
    const carried = session.state()
    await session.rewind()
    const later = processOn(storage).session('s', carried)
    await later.beforeModelCall(history(3))
    expect(later.state().checkpoints).toEqual([])
  })

  it('nor in any order of turns and takings back in three processes', async () => {
    const turn = fc.record({ process: fc.nat(2), act: fc.constantFrom('turn', 'turn', 'turn', 'rewind', 'restart', 'schedule') })
    let takenBack = 0
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 6, maxLength: 24 }), async (acts) => {
        const storage = memoryStorage()
        const processes = [0, 1, 2].map(() => processOn(storage))
        const gone = new Set<string>()
        let said = 21
        for (const { process, act } of acts) {
          const session = (processes[process] as Compactor<Message>).session('s')
          if (act === 'restart') processes[process] = processOn(storage)
          else if (act === 'schedule') await session.schedule()
          else if (act === 'turn') {
            said += 20
            await session.beforeModelCall(history(said))
          } else {
            const shown = session.state().checkpoints.at(-1)?.id
            await session.rewind()
            if (shown !== undefined) gone.add(shown)
          }
          // Whoever begins now, and whatever is stored, knows nothing of them.
          for (const id of await storedIds(storage)) expect(gone).not.toContain(id)
        }
        takenBack += gone.size
      }),
      { numRuns: Number(process.env['LAW_RUNS'] ?? 80) },
    )
    expect(takenBack).toBeGreaterThan(50)
  }, 120_000)
})

it('a compaction that is asked for while another process stores something is done all the same', async () => {
  const storage = memoryStorage()
  const [one, other] = [processOn(storage).session('s'), processOn(storage).session('s')]
  await one.beforeModelCall(history(11))
  await other.beforeModelCall(history(41))
  await one.schedule({ focus: 'the tests' })
  const { report } = await processOn(storage).session('s').beforeModelCall(history(43))
  expect(report.plan.decision.reason).toBe('marker')
})
