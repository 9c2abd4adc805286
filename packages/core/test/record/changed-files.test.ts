import { builtInEstimator, recordOf } from '@precis/core'
import { history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

/** What stands in a record about the files that some calls changed. */
const listOf = (...calls: readonly (readonly [tool: string, input: object | string])[]): readonly string[] => {
  const messages = history(user('Go.'), ...calls.map(([tool, input], at) => step(tool, `call-${at}`, input, 'Done.')))
  const { text } = recordOf(messages, [...messages.keys()], { budget: 4_000, requests: 400, estimator: builtInEstimator, already: '' })
  const lines = text.split('\n').slice(text.split('\n').indexOf('### Files changed') + 1)
  return lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('- ')),
  )
}
const path = 'src/orders.ts'

describe('a file that was changed is listed with what changed', () => {
  it.each([
    [
      'a declaration among what is new, whatever stands above it',
      ['Edit', { file_path: path, old_string: 'const a = 1', new_string: 'const a = 1\n// Sends it.\nexport function send(order: Order) {' }],
      'Edit → export function send(order: Order)',
    ],
    [
      'the first new line, where nothing is declared; not what surrounds it',
      ['edit', { path, oldText: 'if (ready) {\n  send(order)', newText: 'if (ready) {\n  await send(order, { retry: 3 })' }],
      'edit → await send(order, { retry: 3 })',
    ],
    [
      'what is gone',
      ['str_replace', { path, old_str: '  log.debug("order", order)\n  done()', new_str: '  done()' }],
      'str_replace → - log.debug("order", order)',
    ],
    [
      'what a new file holds, not its imports',
      ['Write', { file_path: path, content: "import { Bus } from './bus.ts'\n\nexport interface Order {\n  id: string\n}" }],
      'Write → export interface Order',
    ],
    ['the beginning of a long line', ['edit', { path, old: '', new: `total = ${'price + '.repeat(20)}0` }], `edit → total = ${'price + '.repeat(8)}…`],
    ['the tool alone, where its arguments hold no text', ['rename_symbol', { path, from: 'a', to: 'b' }], 'rename_symbol'],
    ['the tool alone, of nothing but an import', ['edit', { path, old: '', new: "import { Bus } from './bus.ts'" }], 'edit'],
  ] as const)('%s', (_, call, expected) => {
    expect(listOf([...call])).toEqual([`- ${path}: ${expected}`])
  })
  const patch = [
    '*** Begin Patch',
    '*** Update File: src/store.ts',
    '@@ class Store',
    '-  get(key: string) {',
    '+  get(key: string, fallback?: string) {',
    '*** Add File: src/fallback.ts',
    '+export function fallbackFor(key: string) {',
    '+  return key',
    '*** Delete File: src/old.ts',
    '*** End Patch',
  ].join('\n')
  const inPatch = [
    'src/store.ts: apply_patch → get(key: string, fallback?: string) {',
    'src/fallback.ts: apply_patch → export function fallbackFor(key: string)',
  ]
  it.each([
    ['a patch of several files', ['apply_patch', { input: patch }], [...inPatch, 'src/old.ts: apply_patch']],
    ['the same as it is', ['apply_patch', patch], [...inPatch, 'src/old.ts: apply_patch']],
    [
      'OpenAI’s patch of one, by its operation',
      ['apply_patch_call', { type: 'update_file', path, diff: '@@\n-const retries = 3 // at most\n+const retries = 30 // at most' }],
      [`${path}: apply_patch_call → const retries = 30 // at most`],
    ],
    [
      'the same behind an SDK',
      ['apply_patch', { callId: 'call_0123456789abcdef', operation: { type: 'create_file', path, diff: '+export type Order = { id: string }' } }],
      [`${path}: apply_patch → export type Order = { id: string }`],
    ],
    [
      'several edits of one',
      ['MultiEdit', { file_path: path, edits: [{ old_string: 'a', new_string: 'export const b = bus()' }] }],
      [`${path}: MultiEdit → export const b = bus()`],
    ],
    [
      'marks of its own between old and new',
      ['replace_in_file', { path, diff: '<<<<<<< SEARCH\nconst before = 1\n=======\nx\n>>>>>>> REPLACE' }],
      [`${path}: replace_in_file`],
    ],
  ] as const)('%s', (_, call, expected) => {
    expect(listOf([...call])).toEqual(expected.map((line) => `- ${line}`))
  })
  it('once, with the newest change', () => {
    const edits = ['retries = 3 // at most', 'timeout = 500 // in ms'].map((text) => ['edit', { path, old: '', new: text }] as const)
    expect(listOf(...edits)).toEqual([`- ${path}: edit → timeout = 500 // in ms`])
  })
})

describe('what is unusually large or odd in a call is read like any other', () => {
  const linesOf = (count: number, word: string): string => Array.from({ length: count }, (_, at) => `row ${at} has the value ${word}`).join('\n')

  it('takes a file of more lines than a call may have arguments', () => {
    expect(listOf(['write', { path, content: linesOf(150_000, 'one') }])).toEqual([`- ${path}: write → row 0 has the value one`])
  })

  it('compares many old lines with many new ones in one go', () => {
    const began = performance.now()
    expect(listOf(['edit', { path, old_string: linesOf(20_000, 'one'), new_string: linesOf(20_000, 'two') }])).toEqual([
      `- ${path}: edit → row 0 has the value two`,
    ])
    const edits = Array.from({ length: 1_500 }, (_, at) => ({ old_string: `before ${at}\nas it was`, new_string: `after that ${at}, then\nas it is` }))
    expect(listOf(['multi_edit', { path, edits }])).toEqual([`- ${path}: multi_edit → after that 0, then`])
    expect(performance.now() - began).toBeLessThan(3_000)
  })

  it('reads a row of 100,000 blanks in an answer or a command as fast as a word', () => {
    const blanks = ' '.repeat(100_000)
    const began = performance.now()
    expect(listOf(['fetch', { q: `Name${blanks}ORD-1232 is late` }], ['bash', { command: blanks }], ['edit', { path, content: 'a short text' }])).toEqual([
      `- ${path}: edit`,
    ])
    expect(performance.now() - began).toBeLessThan(3_000)
  })
})
