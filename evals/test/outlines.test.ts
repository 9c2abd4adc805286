import { describe, expect, it } from 'vitest'
import { filesOf } from '../measures/file-reads.ts'
import { outlineOf, outlinesOf } from '../measures/outlines.ts'
import type { RecordedMessage } from '../sessions/transcripts.ts'

const call = (id: string, name: string, args: Record<string, unknown>): RecordedMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: [{ id, name, arguments: args }],
})
const answer = (id: string, content: string, more: Partial<RecordedMessage> = {}): RecordedMessage => ({ role: 'tool', content, toolCallId: id, ...more })

describe('an outline', () => {
  it('holds declarations up to their names, and imports', () => {
    const text = [
      '     1→import { readFile } from "node:fs/promises"',
      '     2→',
      '     3→export const limit = 40',
      '     4→export async function load(path: string): Promise<string> {',
      '     5→  const text = await readFile(path)',
      '     6→  return text',
      '     7→}',
      '     8→export interface Options {',
    ].join('\n')
    expect(outlineOf('src/load.ts', text)).toEqual([
      'import { readFile } from "node:fs/promises"',
      'export const limit',
      'export async function load',
      'export interface Options',
    ])
  })
  it('knows import blocks, receivers and classes of other languages', () => {
    expect(outlineOf('a.go', 'package main\nimport (\n\t"fmt"\n\tcli "example.org/cli"\n)\nfunc (s *State) Normalize() {\n\tfunc inner\n')).toEqual([
      'package main',
      'cli "example.org/cli"',
      'func (s *State) Normalize',
      'func inner',
    ])
    expect(outlineOf('a.py', 'from os import path\nclass Walker:\n    def step(self):\n        total = 0\n')).toEqual([
      'from os import path',
      'class Walker',
      'def step',
    ])
  })
  it('of prose is its headings; comments of code are none', () => {
    expect(outlineOf('docs/a.md', '# Install it\nimport something good\n## Use it')).toEqual(['# Install it', '## Use it'])
    expect(outlineOf('run.sh', '# builds all of it\necho done')).toEqual([])
  })
})

describe('files', () => {
  it('that were read and not edited since count, others do not', () => {
    const messages = [
      call('1', 'Read', { file_path: 'a.ts' }),
      answer('1', '1→export function kept() {'),
      call('2', 'Read', { file_path: 'b.ts' }),
      answer('2', '1→export function edited() {'),
      call('3', 'Edit', { file_path: 'b.ts', old_string: 'x', new_string: 'y' }),
      answer('3', 'updated'),
    ]
    expect(outlinesOf(messages)).toEqual([{ path: 'a.ts', heads: ['export function kept'] }])
  })
  it('are not what a search found, nor a read that failed; one tool may view and replace', () => {
    const messages = [
      call('1', 'Grep', { path: 'src', pattern: 'class' }),
      answer('1', 'src/a.ts:1:export class Found {'),
      call('2', 'Read', { file_path: 'gone.ts' }),
      answer('2', 'export class Gone {', { isError: true }),
      call('3', 'str_replace_editor', { command: 'view', path: 'c.ts' }),
      answer('3', '1\texport class Seen {'),
      call('4', 'str_replace_editor', { command: 'str_replace', path: 'd.ts' }),
    ]
    const { reads, edits } = filesOf(messages)
    expect(reads.map(({ path }) => path)).toEqual(['c.ts'])
    expect([...edits.keys()]).toEqual(['d.ts'])
  })
})
