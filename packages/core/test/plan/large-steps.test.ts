import { createCompactor, type Message, neutralCodec } from '@precis/core'
import { call, result, user } from '@precis/testkit'
import { expect, it } from 'vitest'

it.each([
  [240, 500],
  [280, 0],
  [200, 1_500],
])('where the next page of %i lines has no room in any case, the record has its share of what is left', async (lines, system) => {
  const session = createCompactor({ codec: neutralCodec, limits: { contextWindow: 8_768, maxOutput: 1_000 } }).session('s')
  const page = (order: number): string => {
    const links = Array.from({ length: lines }, (_, at) => `- link "Shelf ${at}" [ref=e${order * 7 + at}]: /shelves/${at}`)
    return [`# Order ${order}`, 'Status: approved', ...links].join('\n')
  }
  const history: Message[] = [user('Approve each order, one after another, each exactly once: 71003 to 71018.')]
  for (let order = 71_003; order < 71_018; order++) {
    const id = `c${order}`
    history.push(call('browser_click', id, { element: `Approve order ${order}`, ref: 'e140' }), result(id, page(order), { tool: 'browser_click' }))
    const { report } = await session.beforeModelCall(history, { overhead: { system } })
    const { after, budget } = report.tokens
    const { summary } = report.regions.after
    if (summary > 0) expect(summary / ((budget ?? 0) - after + summary)).toBeGreaterThan(0.4)
  }
  expect(session.state().checkpoints.length).toBeGreaterThan(5)
})
