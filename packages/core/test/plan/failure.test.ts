import { presets, type SummaryOrder } from '@precis/core'
import { describe, expect, it } from 'vitest'
import { type Attempt, planAfterFailure } from '../../src/plan/failure.ts'

describe('planAfterFailure', () => {
  const order: SummaryOrder = { version: 1, style: 'structured', author: 'model', tokens: 100, room: 500, record: 400, requests: 100 }
  it.each([
    ['an overflow asks with less', 'overflow', { shrink: 0.5, style: 'structured', author: 'model' }],
    ['a refusal asks for a brief', 'refused', { shrink: 1, style: 'brief', author: 'model' }],
    ['a timeout asks no more', 'timeout', { shrink: 1, style: 'structured', author: 'record' }],
  ] as const)('%s', (_, failure, expected) => {
    const next = planAfterFailure({ order, shrink: 1, ride: false }, failure, presets.balanced.summary)
    expect({ shrink: next.shrink, style: next.order.style, author: next.order.author }).toEqual(expected)
  })
  it('ends at the record, whatever fails', () => {
    let attempt: Attempt = { order, shrink: 1, ride: true }
    let steps = 0
    while (attempt.order.author === 'model') {
      attempt = planAfterFailure(attempt, steps % 2 === 0 ? 'overflow' : 'empty', presets.balanced.summary)
      steps++
      expect(steps).toBeLessThan(10)
    }
  })
})
