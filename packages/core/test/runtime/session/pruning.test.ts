import { allText, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { make, sound } from './setup.ts'

describe('pruning before a summary', () => {
  const output = 'value '.repeat(900)
  it('replaces what a later call made worthless', async () => {
    const source = history(
      user('go'),
      step('read', 'a', { path: 'x' }, output),
      step('read', 'b', { path: 'y' }, 'small'),
      step('read', 'c', { path: 'x' }, output),
      user('next'),
    )
    const { messages, report } = await make({ limits: { contextWindow: 2_900, maxOutput: 500 }, policy: { trigger: { target: { fraction: 0.6 } } } })
      .session('s')
      .beforeModelCall(source)
    expect(report.outcome).toBe('pruned')
    expect(report.plan.edits).toMatchObject([{ index: 2, kind: 'duplicate' }])
    expect(report.prunedCallIds).toEqual(['a'])
    expect(allText(messages)).toContain('same output again below: read({"path":"x"}) returned 1 line')
    sound(source, messages, report)
  })
  it('ages outputs where the policy says so, and never those of protected tools', async () => {
    const source = history(
      user('go'),
      step('skill', 'a', {}, output),
      step('read', 'b', { path: 'b' }, output),
      step('read', 'c', { path: 'c' }, output),
      user('next'),
    )
    const policy = {
      trigger: { target: { fraction: 0.75 } },
      prune: {
        ladder: ['aged' as const],
        age: { protect: { tokens: 500 }, minimum: { tokens: 100 }, steps: 1 },
        tools: { 'sk*': { keep: 'always' as const } },
      },
    }
    const { report } = await make({ limits: { contextWindow: 3_400, maxOutput: 500 }, policy })
      .session('s')
      .beforeModelCall(source)
    expect(report.plan.edits.map((edit) => [edit.callId, edit.kind])).toEqual([['b', 'aged']])
  })
  it('shows a long output shorter, by the shape its tool declared', async () => {
    const lines = Array.from({ length: 900 }, (_, at) => `row ${at}`).join('\n')
    const source = history(user('go'), step('list', 'a', {}, lines), step('read', 'b', {}, 'x'), user('next'))
    const policy = {
      trigger: { target: { fraction: 0.7 } },
      prune: { view: { tokens: 300, lineLength: 200 }, tools: { list: { shape: 'match-list' as const } } },
    }
    const { messages, report } = await make({ limits: { contextWindow: 3_800, maxOutput: 500 }, policy })
      .session('s')
      .beforeModelCall(source)
    expect(report.plan.edits).toMatchObject([{ kind: 'view', callId: 'a' }])
    expect(allText(messages)).toContain('row 1\n')
    expect(allText(messages)).not.toContain('row 899')
  })
})
