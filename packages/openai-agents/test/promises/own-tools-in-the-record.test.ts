import { withCompaction } from '@precis/openai-agents'
import { expect, it } from 'vitest'
import { scripted, user, words } from '../traps/setup.ts'

// OpenAI's own shell and patch: what they did is known without a model, as with any other tool.

it('a record names what a shell ran, how it ended, and what a patch changed', async () => {
  const ran = (id: string, command: string, exitCode: number, stdout: string) => [
    { type: 'shell_call', callId: id, status: 'completed', action: { commands: [command] } },
    { type: 'shell_call_output', callId: id, output: [{ stdout, stderr: '', outcome: { type: 'exit', exitCode } }] },
  ]
  const patched = [
    {
      type: 'apply_patch_call',
      callId: 'p',
      status: 'completed',
      operation: { type: 'update_file', path: 'src/orders.ts', diff: '@@\n-const retries = 3\n+export function retriesOf(order: Order) {' },
    },
    { type: 'apply_patch_call_output', callId: 'p', status: 'completed', output: 'Updated src/orders.ts' },
  ]
  const input = [
    user('Go on until all is well.'),
    ...ran('a', 'npm run migrate', 7, 'waiting for the lock of worker-12'),
    ...patched,
    ...ran('b', 'npm test', 0, 'Tests 14 passed (14)'),
    ...Array.from({ length: 14 }, (_, at) => ran(`c${at}`, `cat notes/${at}.md`, 0, words(900))).flat(),
  ]
  const { model, inputs } = scripted('ok')
  const request = { input, modelSettings: {}, tools: [], handoffs: [], outputType: 'text', tracing: false }
  await withCompaction(model, { limits: { contextWindow: 14_000, maxOutput: 1_000 } }).getResponse(request as never)
  const sent = JSON.stringify(inputs()[0])
  expect(sent).toContain('npm run migrate) → waiting for the lock of worker-12 [exit code 7]')
  expect(sent).toContain('src/orders.ts: apply_patch_call → export function retriesOf(order: Order)')
  expect(sent).toContain('- npm run migrate (failed)')
})
