import { expect, it } from 'vitest'
import { send, words } from './setup.ts'

/** Ids in the blocks of all messages, by one of their fields. */
const idsIn = (values: readonly unknown[], field: string): readonly unknown[] =>
  (values as readonly { content: string | readonly Record<string, unknown>[] }[]).flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.flatMap((block) => block[field] ?? []),
  )

const call = (id: string, tool: string) => ({ type: 'tool_use', id, name: 't', input: {}, caller: { type: 'code_execution_20260120', tool_id: tool } })
const results = (id: string) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: words(120) }] })

it('anthropic: code that calls tools and what it came to leave together', async () => {
  const steps = Array.from({ length: 12 }, (_, at) => [
    { role: 'user', content: `${at} ${words(30)}` },
    {
      role: 'assistant',
      content: [{ type: 'server_tool_use', id: `s${at}`, name: 'code_execution', input: { code: words(20) } }, call(`a${at}`, `s${at}`)],
    },
    results(`a${at}`),
    { role: 'assistant', content: [call(`b${at}`, `s${at}`)] },
    results(`b${at}`),
    {
      role: 'assistant',
      content: [
        { type: 'code_execution_tool_result', tool_use_id: `s${at}`, content: { type: 'code_execution_result', stdout: words(60) } },
        { type: 'text', text: words(60) },
      ],
    },
  ])
  const values = [...steps.flat(), { role: 'user', content: 'and now?' }]
  let left = 0
  for (let contextWindow = 2_000; contextWindow < 6_000; contextWindow += 250) {
    const { values: sent } = await send('anthropic', values, contextWindow)
    const calls = idsIn(sent, 'id')
    expect(new Set(idsIn(sent, 'tool_use_id'))).toEqual(new Set(calls))
    left += 36 - calls.length
  }
  expect(left).toBeGreaterThan(100)
})

it('anthropic: a program that still runs, one call after the other, keeps its beginning', async () => {
  const program = { role: 'assistant', content: [{ type: 'server_tool_use', id: 's', name: 'code_execution', input: { code: words(20) } }, call('a0', 's')] }
  const steps = Array.from({ length: 30 }, (_, at) => [results(`a${at}`), { role: 'assistant', content: [call(`a${at + 1}`, 's')] }])
  const { values: sent, report } = await send('anthropic', [{ role: 'user', content: 'go' }, program, ...steps.flat(), results('a30')], 6_000)
  expect(report.outcome).not.toBe('unchanged')
  expect(idsIn(sent, 'id')).toContain('s')
})

it('openai-responses: a program that still runs keeps its beginning', async () => {
  const caller = { type: 'program', caller_id: 'p' }
  const program = { type: 'program', id: 'prog_1', call_id: 'p', code: words(20) }
  const steps = Array.from({ length: 30 }, (_, at) => [
    { type: 'function_call', call_id: `a${at}`, name: 't', arguments: '{}', caller },
    { type: 'function_call_output', call_id: `a${at}`, output: words(120), caller },
  ])
  const { values: sent, report } = await send('openai-responses', [{ role: 'user', content: 'go' }, program, ...steps.flat()], 6_000)
  expect(report.outcome).not.toBe('unchanged')
  expect(sent).toContainEqual(program)
})
