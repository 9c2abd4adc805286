import { mergePolicy } from '@precis/core'
import { history, results, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { fileText, sessionWith, textsOf } from '../../../systems/setup.ts'
import { balanced, limits } from './setup.ts'

describe('tools that declare how their outputs may be treated', () => {
  it('keep, prunable by policy, reproducible, pinned', async () => {
    const source = history(
      user('go'),
      step('instructions', 'i', {}, fileText('rules', 60)),
      step('roll', 'd', {}, fileText('dice', 60)),
      step('plan', 'p', {}, fileText('plan', 60)),
      ...Array.from({ length: 14 }, (_, at) => step('read', `r${at}`, { path: `${at}` }, fileText(`f${at}`, 60))).flat(),
      user('on'),
    )
    const tools = { instructions: { keep: 'always' as const }, roll: { reproducible: false }, plan: { pinned: true, keep: 'always' as const } }
    const policy = mergePolicy(balanced, { prune: { ladder: ['aged'], age: { protect: { tokens: 3_000 }, minimum: { tokens: 0 } } } })
    const { report, messages } = await sessionWith(policy, { limits: { contextWindow: 26_000, maxOutput: 2_000 }, tools }).beforeModelCall(source)
    const edited = new Map(report.plan.edits.map((edit) => [edit.callId, edit.text]))
    expect(edited.has('i')).toBe(false)
    expect(edited.get('d')?.split('\n').length).toBeGreaterThan(1) // an excerpt: it cannot be had again
    expect(edited.get('r0')?.split('\n')).toHaveLength(1)
    expect(messages.length).toBe(source.length)
    const summarized = await sessionWith(mergePolicy(policy, { prune: { ladder: [] } }), { limits, tools }).compact(source, { focus: 'x' })
    expect(textsOf(summarized.messages)).toContain(fileText('plan', 60))
  })
  it('siblings in one message are edited one by one', async () => {
    const policy = mergePolicy(balanced, {
      prune: { ladder: ['aged'], age: { protect: { tokens: 0 }, minimum: { tokens: 0 }, steps: 1, userTurns: 0 }, tools: { keep: { keep: 'always' } } },
    })
    const both = history(
      user('go'),
      {
        role: 'assistant',
        parts: [
          { type: 'tool-call', callId: 'a', tool: 'read', input: '{}' },
          { type: 'tool-call', callId: 'b', tool: 'keep', input: '{}' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { type: 'tool-result', callId: 'a', tool: 'read', output: fileText('a', 260) },
          { type: 'tool-result', callId: 'b', tool: 'keep', output: fileText('b', 260) },
        ],
      },
      step('read', 'c', {}, 'short'),
      user('on'),
    )
    const { messages } = await sessionWith(mergePolicy(policy, { trigger: { target: { fraction: 0.6 } } }), {
      limits: { contextWindow: 11_000, maxOutput: 1_000 },
    }).beforeModelCall(both)
    const parts = messages[2]?.parts ?? []
    expect(parts.map((part) => part.type === 'tool-result' && part.output.split('\n').length)).toEqual([1, 260])
    expect(results([['x', 'y']]).parts).toHaveLength(1)
  })
})
