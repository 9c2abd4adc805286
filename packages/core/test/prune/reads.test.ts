import { mergePolicy, presets } from '@precis/core'
import { call, history, result, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { fileText, sessionWith } from '../systems/setup.ts'

type Input = Readonly<Record<string, unknown>>

const filler = Array.from({ length: 10 }, (_, at) => step('list', `fill${at}`, { at }, fileText(`fill${at}`, 40))).flat()

/** What the rung "superseded" replaces of two calls, the older and the newer one. */
async function replaced(older: readonly [string, Input], newer: readonly [string, Input, string?], staleReads: 'rewritten' | 'edited' = 'rewritten') {
  const policy = mergePolicy(presets.balanced, { prune: { ladder: [], maintain: ['superseded'], staleReads }, cost: { warmGain: 0 } })
  const [tool, input, output = fileText('newer', 60)] = newer
  const source = history(user('go'), step(older[0], 'older', older[1], fileText('older', 60)), step(tool, 'newer', input, output), filler, user('on'))
  const { report } = await sessionWith(policy, { limits: { contextWindow: 200_000 } }).beforeModelCall(source)
  return report.plan.edits.filter((edit) => edit.kind === 'superseded').map((edit) => edit.callId)
}

const path = 'src/a.ts'
const whole = ['read_file', { path }] as const
const content = 'new'

describe('a file that was read stands again below', () => {
  it.each([
    ['by the same tool, of which a part was asked before', ['read_file', { path, offset: 1, limit: 9 }], ['read_file', { path }]],
    ['so too where the part is a list or a text', ['view', { path, view_range: [1, 50], lines: '1-50' }], ['view', { path }]],
    ['so too where the fields of a part are there, and empty', whole, ['read_text_file', { path, head: null, tail: null }]],
    ['by another tool under another name of the field', whole, ['View', { file_path: path }]],
    ['by a tool that says that it is one', whole, ['ReadFileTool', { path }]],
    ['by a command of an editor', whole, ['str_replace_based_edit_tool', { command: 'view', path }]],
    ['by a server’s tool', whole, ['mcp__filesystem__read_text_file', { path }]],
    ['by a server whose name speaks of changes', whole, ['mcp__editor__read_file', { path }]],
    ['where it was written', whole, ['Write', { file_path: path, content }, 'ok']],
    ['where it was written after a part was read', ['read_file', { path, offset: 5 }], ['write_to_file', { path, content }, 'ok']],
    ['where it was created', whole, ['str_replace_based_edit_tool', { command: 'create', path, file_text: content }, 'ok']],
    [
      'in the same repository',
      ['get_file_contents', { owner: 'o', repo: 'r', path, ref: 'main' }],
      ['get_file_contents', { repo: 'r', owner: 'o', path, ref: 'main' }],
    ],
  ] as const)('%s', async (_, older, newer) => {
    expect(await replaced(older, newer)).toEqual(['older'])
  })
})

describe('a file that was read stands nowhere below', () => {
  it.each([
    ['another repository', ['get_file_contents', { owner: 'o', repo: 'r', path }], ['get_file_contents', { owner: 'o', repo: 's', path }]],
    ['another branch', ['get_file_contents', { owner: 'o', repo: 'r', path, ref: 'a' }], ['get_file_contents', { owner: 'o', repo: 'r', path }]],
    ['another project, by its number', ['get_file_contents', { project_id: 5, path }], ['read_file', { path }]],
    ['the first lines', whole, ['read_text_file', { path, head: 5 }]],
    ['lines from one number to another', whole, ['read_file', { path, start_line_one_indexed: 1, end_line_one_indexed_inclusive: 9 }]],
    ['a range as a text', whole, ['read_file', { path, line_range: '1-9' }]],
    ['a start and an end', whole, ['view', { path, start: 3, end: 5 }]],
    ['from and to', whole, ['cat', { path, from: 3, to: 5 }]],
    ['the form in which it is shown', whole, ['read_file', { path, mode: 'outline' }]],
    ['its size and date', whole, ['get_file_info', { path }]],
    ['its symbols', whole, ['get_symbols_overview', { relative_path: path }]],
    ['its diagnostics', whole, ['get_diagnostics', { path }]],
    ['who wrote which line', whole, ['get_blame', { path }]],
    ['text at its end', whole, ['append_to_file', { path, content }, 'ok']],
    ['text at its end, as a mode', whole, ['write_file', { path, content, mode: 'append' }, 'ok']],
    ['some lines more', whole, ['insert_lines', { path, line: 3, text: content }, 'ok']],
    ['some lines else', whole, ['replace_lines', { path, start_line: 3, end_line: 5, content }, 'ok']],
    ['what a reviewer says', whole, ['create_review_comment', { path, text: content }, 'ok']],
    ['a write of which the output says that it failed', whole, ['write_file', { path, content }, 'Error: EACCES: permission denied']],
    [
      'a read of which the output says so',
      ['read_file', { path, offset: 1 }],
      ['read_file', { path }, `Error: ENOENT: no such file\n${fileText('trace', 60)}`],
    ],
    ['diagnostics, after a write', ['get_diagnostics', { path }], ['write_file', { path, content }, 'ok']],
  ] as const)('%s', async (_, older, newer) => {
    expect(await replaced(older, newer)).toEqual([])
  })
  it('where the call failed', async () => {
    const source = history(
      user('go'),
      step('read_file', 'a', { path }, fileText('a', 60)),
      [call('write_file', 'b', { path, content }), result('b', 'no', { isError: true })],
      filler,
    )
    const policy = mergePolicy(presets.balanced, { prune: { ladder: [], maintain: ['superseded'] }, cost: { warmGain: 0 } })
    const { report } = await sessionWith(policy, { limits: { contextWindow: 200_000 } }).beforeModelCall(source)
    expect(report.plan.edits).toEqual([])
  })
})

describe('where the policy says that an edit makes a read stale', () => {
  it.each([
    ['a replaced line does', ['edit_file', { path, old: 'a', new: 'b' }, 'ok'], ['older']],
    ['a line at the end does', ['append_to_file', { path, content }, 'ok'], ['older']],
    ['an edit that failed does not', ['edit_file', { path, old: 'a', new: 'b' }, 'Error: old text not found'], []],
    ['a review does not', ['create_review_comment', { path, text: content }, 'ok'], []],
  ] as const)('%s', async (_, newer, expected) => {
    expect(await replaced(whole, newer, 'edited')).toEqual(expected)
  })
})
