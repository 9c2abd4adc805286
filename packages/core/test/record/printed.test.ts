import { builtInEstimator, type Message, recordOf } from '@precis/core'
import { assistant, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { printed } from '../../src/record/texts/printed.ts'

const sectionOf = (title: string, ...steps: readonly (readonly Message[])[]): readonly string[] => {
  const messages = history(user('Go.'), ...steps, assistant('All of it is done, because nothing is missing.'))
  const { text } = recordOf(messages, [...messages.keys()], { budget: 2_000, requests: 400, estimator: builtInEstimator, already: '' })
  const [, section = ''] = text.split(`### ${title}\n`)
  return section.split('\n### ', 1)[0]?.split('\n') ?? []
}
const output = (value: unknown) => printed({ type: 'tool-result', callId: 'a', tool: 't', output: typeof value === 'string' ? value : JSON.stringify(value) })

describe('a tool that returns an object says as much as one that returns its text', () => {
  const code = ['import x from "y"', 'export function send(order: Order) {', '  return order', '}', 'export const retries = 3'].join('\n')
  it.each([
    ['as text', code],
    ['in an object', JSON.stringify({ path: 'src/a.ts', content: code, lines: 5 })],
    ['in blocks', JSON.stringify([{ type: 'text', text: code }])],
  ])('what a file declares: %s', (_, answer) => {
    expect(sectionOf('Outlines', step('readFile', 'a', { path: 'src/a.ts' }, answer))).toEqual(expect.arrayContaining(['export function send(order: Order)']))
  })
  it('where something was saved', () => {
    const answer = JSON.stringify({ message: 'Report saved to /tmp/out/report-77.csv', rows: 12 })
    expect(sectionOf('Where things are', step('export', 'a', { what: 'orders' }, answer))).toEqual(['[2]> message: Report saved to /tmp/out/report-77.csv'])
  })
})

describe('an output is read as a terminal shows it', () => {
  it.each([
    ['no JSON', 'error: {"a":1}', 'error: {"a":1}', undefined],
    ['a text in JSON', '"a"', '"a"', undefined],
    ['JSON that is cut', '{"stdout":"a\\n', '{"stdout":"a\\n', undefined],
    ['what was printed, then how it ended', { exitCode: 2, stdout: 'a\nb', stderr: 'c' }, 'a\nb\nc\nexit code 2', false],
    ['the same below a field', { output: 'a\n', metadata: { exit_code: 1, duration_seconds: 3 } }, 'a\n\nexit code 1', false],
    ['success', { exitCode: 0, stdout: 'a' }, 'a', false],
    ['fields with their names', { error: 'no such order', hint: 'try 8', id: 7 }, 'error: no such order\nhint: try 8', false],
    ['a verdict', { ok: false, reason: 'locked' }, 'reason: locked', true],
  ] as const)('%s', (_, value, text, isError) => {
    expect(output(value)).toEqual(typeof value === 'string' ? expect.objectContaining({ output: text }) : { output: text, isError })
  })
  it('however deep its JSON is', () => {
    expect(output(`${'['.repeat(5_000)}"deep"${']'.repeat(5_000)}`).output).toContain('deep')
  })
  it('not where there is more of it than a screen could show', () => {
    const large = JSON.stringify({ stdout: 'line\n'.repeat(40_000) })
    expect(output(large).output).toBe(large)
  })
})
