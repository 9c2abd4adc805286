import type { CompactionReport, PolicyOverrides } from '@precis/core'
import { withCompaction } from '@precis/openai-agents'
import { expect, it } from 'vitest'
import { scripted, user, words } from '../traps/setup.ts'

// What a plan counts on is done: in computers, shells and patches too.

const screenshot = { type: 'computer_screenshot', data: `data:image/png;base64,iVBORw0KGgo${'A'.repeat(4_000)}` }
const done = [{ stdout: 'ok', stderr: '', outcome: { type: 'exit', exitCode: 0 } }]
const cut: PolicyOverrides = { prune: { ladder: ['arguments'], arguments: { tokens: 100, steps: 1 } } }

interface Kind {
  readonly kind: string
  readonly call: object
  readonly result: object
  readonly policy?: PolicyOverrides
}

const kinds: readonly Kind[] = [
  { kind: 'screenshots', call: { type: 'computer_call', action: { type: 'screenshot' } }, result: { type: 'computer_call_result', output: screenshot } },
  {
    kind: 'patches',
    call: { type: 'apply_patch_call', operation: { type: 'create_file', path: 'a.ts', diff: `+${words(900)}` } },
    result: { type: 'apply_patch_call_output' },
    policy: cut,
  },
  {
    kind: 'commands',
    call: { type: 'shell_call', action: { commands: [words(900)], timeoutMs: 9 } },
    result: { type: 'shell_call_output', output: done },
    policy: cut,
  },
  {
    kind: 'typing',
    call: { type: 'computer_call', action: { type: 'type', text: words(900) } },
    result: { type: 'computer_call_result', output: screenshot },
    policy: cut,
  },
]

it.each(kinds)('$kind: what is planned is what goes out', async ({ call, result, policy }) => {
  const input = [
    user('Do it.'),
    ...Array.from({ length: 20 }, (_, at) => [call, result].map((item) => ({ ...item, callId: `c${at}`, status: 'completed' }))).flat(),
  ]
  const reports: CompactionReport[] = []
  const { model, inputs } = scripted('ok')
  const ask = (contextWindow: number, input: readonly unknown[]) => {
    const options = { limits: { contextWindow, maxInput: contextWindow }, onReport: (report: CompactionReport) => reports.push(report) }
    const request = { input, modelSettings: {}, tools: [], handoffs: [], outputType: 'text', tracing: false }
    return withCompaction(model, { ...options, ...(policy !== undefined && { policy }) }).getResponse(request as never)
  }
  await ask(40_000, input)
  await ask(1_000_000, inputs()[0] ?? [])
  const [planned, sent] = reports.map(({ tokens }) => tokens)
  expect(planned?.before).toBeGreaterThan(30_000)
  expect(planned?.after).toBeLessThan(30_000)
  expect(sent?.before).toBe(planned?.after)
})
