import type { AgentInputItem } from '@openai/agents'
import { type CompactionReport, defaultMediaCost } from '@precis/core'
import { compactionFilter } from '@precis/openai-agents'
import { createRandom } from '@precis/testkit'
import { expect, it } from 'vitest'

// Pictures count as pictures, wherever the SDK keeps them.

const random = createRandom(5)
const png = (bytes: number): string =>
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Array.from({ length: bytes }, () => random.between(0, 255))]).toString('base64')

async function counted(items: readonly object[]): Promise<number> {
  const reports: CompactionReport[] = []
  const filter = compactionFilter({ limits: { contextWindow: 1_000_000, maxOutput: 500 }, onReport: (report) => reports.push(report) })
  await filter({ modelData: { input: items as AgentInputItem[], instructions: undefined }, agent: {} as never, context: undefined } as never)
  return reports[0]?.tokens.before ?? 0
}
const asked = { type: 'message', role: 'user', content: 'Draw a sea.' }
const shot = { type: 'computer_call', callId: 'c', status: 'completed', action: { type: 'screenshot' } }

it.each([
  [
    'a generated image',
    [
      {
        type: 'hosted_tool_call',
        id: 'ig_1',
        name: 'image_generation_call',
        status: 'completed',
        providerData: { type: 'image_generation_call', result: png(1_500_000) },
      },
    ],
  ],
  [
    'a screenshot of the computer tool',
    [shot, { type: 'computer_call_result', callId: 'c', output: { type: 'computer_screenshot', data: `data:image/png;base64,${png(100_000)}` } }],
  ],
  ['an image in a message', [{ type: 'message', role: 'user', content: [{ type: 'input_image', image: `data:image/png;base64,${png(100_000)}` }] }]],
])('%s counts by its kind', async (_name, items) => {
  const plain = await counted([asked])
  const more = (await counted([asked, ...items])) - plain
  expect(more).toBeGreaterThanOrEqual(defaultMediaCost.image)
  expect(more).toBeLessThan(defaultMediaCost.image + 120)
})
it('a CSV file counts as its text', async () => {
  const csv = Array.from({ length: 3_000 }, (_, at) => `${at},customer-${at * 7919},open`).join('\n')
  const file = `data:text/csv;base64,${Buffer.from(csv).toString('base64')}`
  const [inFile, inText] = await Promise.all([
    counted([{ type: 'message', role: 'user', content: [{ type: 'input_file', file, filename: 'open.csv' }] }]),
    counted([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: csv }] }]),
  ])
  expect(Math.abs(inFile - inText)).toBeLessThan(20)
})
