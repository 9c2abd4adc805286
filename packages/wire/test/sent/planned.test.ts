import type { PolicyOverrides } from '@precis/core'
import { expect, it } from 'vitest'
import type { WireName } from '../../src/index.ts'
import { picture, send, words } from './setup.ts'

// What a plan counts on is done: what goes out has the tokens that were planned.

const cut: PolicyOverrides = { prune: { ladder: ['arguments'], arguments: { tokens: 100, steps: 1 } } }
const long = words(900)
const screenshot = { type: 'computer_screenshot', image_url: `data:image/png;base64,${picture}` }
const done = { output: [{ stdout: 'ok', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] }
const pair = (kind: string, call: object, output: object) => (call_id: string) => [
  { type: kind, call_id, status: 'completed', ...call },
  { type: `${kind}_output`, call_id, ...output },
]
const ofAnthropic = (content: unknown) => (id: string) => [
  { role: 'assistant', content: [{ type: 'tool_use', id, name: 't', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
]
const ofGemini = (response: unknown) => (id: string) => [
  { role: 'model', parts: [{ functionCall: { id, name: 't', args: {} } }] },
  { role: 'user', parts: [{ functionResponse: { id, name: 't', response } }] },
]
const goes: Readonly<Record<string, object>> = {
  'openai-responses': { role: 'user', content: 'go' },
  anthropic: { role: 'user', content: 'go' },
  gemini: { role: 'user', parts: [{ text: 'go' }] },
}
const found = { type: 'search_result', title: 'Words', source: 'https://x.org', content: [{ type: 'text', text: long }], cache_control: { type: 'ephemeral' } }
const file = (source: object) => ({ type: 'document', title: 'Words', source })

it.each<[string, WireName, (id: string) => readonly object[], PolicyOverrides?]>([
  ['screenshots', 'openai-responses', pair('computer_call', { action: { type: 'screenshot' } }, { output: screenshot })],
  [
    'tools that were found',
    'openai-responses',
    (call_id) => [
      { type: 'tool_search_call', call_id, execution: 'client', arguments: {} },
      { type: 'tool_search_output', call_id, execution: 'client', tools: [{ type: 'function', name: 'x', description: long }] },
    ],
  ],
  [
    'patches',
    'openai-responses',
    pair('apply_patch_call', { operation: { type: 'create_file', path: 'a.ts', diff: `+${long}` } }, { status: 'completed' }),
    cut,
  ],
  ['commands', 'openai-responses', pair('shell_call', { action: { commands: [long], timeout_ms: 9 } }, done), cut],
  ['commands of a local shell', 'openai-responses', pair('local_shell_call', { action: { type: 'exec', command: ['sh', long] } }, { output: 'ok' }), cut],
  ['typing', 'openai-responses', pair('computer_call', { action: { type: 'type', text: long } }, { output: screenshot }), cut],
  ['what a shell printed', 'openai-responses', pair('shell_call', { action: { commands: ['ls'] } }, { output: [{ ...done.output[0], stdout: long }] })],
  [
    'texts and pictures',
    'anthropic',
    ofAnthropic([
      { type: 'text', text: long },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
    ]),
  ],
  ['search results', 'anthropic', ofAnthropic([found, found])],
  ['text documents', 'anthropic', ofAnthropic([file({ type: 'text', media_type: 'text/plain', data: long }), file({ type: 'content', content: long })])],
  [
    'what is no text',
    'anthropic',
    ofAnthropic([
      { type: 'text', text: long },
      { type: 'browser_state', tabs: [{ title: words(40) }] },
    ]),
  ],
  ['output with fields beside it', 'gemini', ofGemini({ output: long, exit_code: 1, artifact: 'a-17' })],
  ['fields alone', 'gemini', ofGemini({ output: 'ok', stderr: long })],
])('%s', async (_, name, step, policy) => {
  const values = [goes[name], ...Array.from({ length: 20 }, (_, at) => step(`c${at}`)).flat()]
  const { values: sent, report } = await send(name, values, 20_000, policy)
  const { tokens } = report
  expect(tokens.before).toBeGreaterThan(20_000)
  expect(tokens.after).toBeLessThan(20_000)
  const again = (await send(name, sent)).report.tokens.before
  // What stays beside an output is counted twice where it is read: as part of the text, and as what stays.
  expect(Math.abs(again - tokens.after)).toBeLessThan(tokens.after * 0.1)
})
