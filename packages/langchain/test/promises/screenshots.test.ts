import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import type { CompactionReport } from '@precis/core'
import { withCompaction } from '@precis/langchain'
import { expect, it } from 'vitest'
import { Recorder } from '../../bench/histories.ts'

// A computer's call is answered by a picture, and by nothing shorter.

const picture = (at: number): string => `data:image/png;base64,iVBORw0KGgo${'A'.repeat(4_000)}${at}`
const step = (at: number, content: unknown): BaseMessage[] => [
  new AIMessage({ content: [], response_metadata: { output: [{ type: 'computer_call', id: `cu${at}`, call_id: `c${at}`, action: { type: 'screenshot' } }] } }),
  new ToolMessage({ content: content as never, tool_call_id: `c${at}`, additional_kwargs: { type: 'computer_call_output' } }),
]

it.each([
  ['in blocks', (at: number) => [{ type: 'computer_screenshot', image_url: picture(at) }]],
  ['as a URL', picture],
] as const)('screenshots, %s: what is planned is what goes out', async (_name, content) => {
  const history = [new HumanMessage('Do it.'), ...Array.from({ length: 20 }, (_, at) => step(at, content(at))).flat()]
  const reports: CompactionReport[] = []
  const onReport = (report: CompactionReport): number => reports.push(report)
  const model = new Recorder('ok')
  await withCompaction(model, { limits: { contextWindow: 12_000, maxInput: 12_000 }, onReport }).invoke(history)
  await withCompaction(model, { limits: { contextWindow: 1_000_000 }, onReport }).invoke(model.seen[0] ?? [])
  const [planned, sent] = reports.map(({ tokens }) => tokens)
  expect(planned?.before).toBeGreaterThan(20_000)
  expect(sent?.before).toBe(planned?.after)
})
