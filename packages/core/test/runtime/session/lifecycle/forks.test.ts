import { ConflictError, type Message, mergePolicy } from '@precis/core'
import { assistant, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { codingSession, compactorWith, sessionWith, textsOf } from '../../../systems/setup.ts'
import { balanced, full, limits } from './setup.ts'

describe('a fork', () => {
  it('begins with the same summary and goes on alone', async () => {
    const compactor = compactorWith(balanced, { limits })
    const trunk = compactor.session('trunk')
    const before = await trunk.beforeModelCall(full)
    const branch = await compactor.fork('trunk', 'branch')
    expect(textsOf((await branch.beforeModelCall(full)).messages)).toBe(textsOf(before.messages))
    await branch.compact([...full, ...codingSession({ turns: 3, steps: 3, lines: 45 }).slice(1)], { focus: 'branch' })
    expect(branch.state().checkpoints).toHaveLength(2)
    expect(trunk.state().checkpoints).toHaveLength(1)
    await expect(compactor.fork('trunk', 'branch')).rejects.toSatisfy((error) => ConflictError.isInstance(error))
  })
  it('of the history alone keeps the checkpoint that it shares, and no other', async () => {
    const session = sessionWith(balanced, { limits })
    const first = await session.beforeModelCall(full)
    const regenerated = [...full.slice(0, -1), assistant('another last answer')]
    expect((await session.beforeModelCall(regenerated)).report.checkpoint).toBe(first.report.checkpoint)
    const edited = [full[0] as Message, user('something else'), ...full.slice(2)]
    expect((await session.beforeModelCall(edited)).report.checkpoint).not.toBe(first.report.checkpoint)
  })
})

describe('a history that went back to just what was summarized', () => {
  it('is shown with its newest step, not as a summary alone', async () => {
    const session = sessionWith(mergePolicy(balanced, { prune: { ladder: [] } }), { limits })
    await session.beforeModelCall(full)
    const covered = session.state().checkpoints[0]?.covered ?? 0
    expect(covered).toBeLessThan(full.length)
    const back = full.slice(0, covered)
    const { messages } = await session.beforeModelCall(back)
    expect(messages.at(-1)).toBe(back.at(-1))
    // And the whole history finds its summary again.
    expect((await session.beforeModelCall(full)).report.outcome).toBe('projected')
  })
})
