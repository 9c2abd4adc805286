import { describe, expect, it } from 'vitest'
import { statementsIn } from '../measures/false-statements.ts'
import { pointersOf } from '../measures/pointers.ts'
import { tailTokens } from '../measures/tail.ts'
import { tasksOf } from '../measures/tasks.ts'
import { sourceOf, wholeLinesOf } from '../measures/whole-lines.ts'
import type { RecordedMessage } from '../sessions/transcripts.ts'

const user = (content: string): RecordedMessage => ({ role: 'user', content })
const assistant = (content: string): RecordedMessage => ({ role: 'assistant', content })
const tool = (content: string, more: Partial<RecordedMessage> = {}): RecordedMessage => ({ role: 'tool', content, toolName: 'Bash', ...more })
const todo = (todos: readonly Record<string, string>[]): RecordedMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 't', name: 'TodoWrite', arguments: { todos } }],
})

describe('pointers', () => {
  it('say where something was saved, created or listens', () => {
    const messages = [
      tool('File created successfully at: /home/kim/notes/plan.md'),
      tool('Successfully wrote 48506 bytes to src/core/prompt.ts'),
      assistant('- PR created: https://github.com/acme/shop/pull/190'),
      tool('Server listening on port 8443'),
    ]
    expect(pointersOf(messages)).toEqual([
      'created successfully at: /home/kim/notes/plan.md',
      'wrote 48506 bytes to src/core/prompt.ts',
      'created: https://github.com/acme/shop/pull/190',
      'listening on port 8443',
    ])
  })
  it('are not lines of files, diffs and searches, words of the user, or places that nothing was done to', () => {
    const messages = [
      tool('   12→// the report is saved to /tmp/report.json'),
      tool('+ log("saved to /tmp/report.json")'),
      tool('src/a.ts:12: written to /tmp/report.json'),
      user('It is saved to /tmp/report.json'),
      tool('INFO checkpoint saved component=checkpoint'),
      tool('reads /tmp/report.json'),
    ]
    expect(pointersOf(messages)).toEqual([])
  })
})

describe('whole lines', () => {
  const source = sourceOf(['The pool is never drained on close. It leaks one handle a request.\n  12→  const pool = createPool(options)\nlast line of it'])
  it('and sentences of the source count, whatever number stood in front', () => {
    expect(wholeLinesOf('[4] const pool = createPool(options)', source)).toEqual({ copied: 32, whole: 32 })
    expect(wholeLinesOf('…It leaks one handle a request.…', source)).toEqual({ copied: 30, whole: 30 })
  })
  it('do not where they are cut; the account’s own words are no copy', () => {
    expect(wholeLinesOf('…drained on close. It leaks one handle a request.', source)).toEqual({ copied: 47, whole: 30 })
    expect(wholeLinesOf('### Files that were changed', source)).toEqual({ copied: 0, whole: 0 })
  })
  it('pass over a label of whole words, not one that is cut', () => {
    expect(wholeLinesOf('[7] createPool(options)', source).copied).toBe(0)
    expect(wholeLinesOf('[7] atePool(options)', source)).toEqual({ copied: 16, whole: 0 })
  })
})

describe('false statements', () => {
  const falseIn = (account: string, prefix: readonly RecordedMessage[]): readonly string[] =>
    statementsIn(account, prefix)
      .filter(({ isFalse }) => isFalse)
      .map(({ text }) => text)

  it('an error is a line that is one, or of a call that failed', () => {
    const prefix = [tool('ok\nsrc/a.ts(4,2): error TS2305: no such member'), tool('no match', { isError: true }), tool('t.Fatal(err)\nthis.width = undefined;')]
    expect(falseIn('### Errors\n- src/a.ts(4,2): error TS2305: no such member\n- no match\n- t.Fatal(err)\n- this.width = undefined;', prefix)).toEqual([
      '- t.Fatal(err)',
      '- this.width = undefined;',
    ])
    expect(falseIn('### Failed attempts\n- Bash(make) → exit code 2', [tool('building\nexit code 2')])).toEqual([])
  })
  it('"(none)" is false above a list, and where there is something', () => {
    expect(falseIn('## Errors\n(none)', [tool('all fine')])).toEqual([])
    expect(falseIn('## Errors\n(none)', [tool('no such file', { isError: true })])).toEqual(['Errors: (none)'])
    expect(falseIn('## Decisions\n(none)\n- Keep the old field.', [])).toEqual(['Decisions: (none)'])
  })
  it('a command is no request', () => {
    const prefix = [user('Fix the build.'), user('<bash-input>git status</bash-input>')]
    expect(falseIn('### The user asked\n[0] Fix the build.\n[1] <bash-input>git status</bash-input>\n[2] /clear', prefix)).toEqual([
      '[1] <bash-input>git status</bash-input>',
      '[2] /clear',
    ])
    expect(falseIn('## Session Intent\n- <command-name>/review</command-name>\n## Current Task\n(none)', prefix)).toEqual([
      '- <command-name>/review</command-name>',
    ])
  })
  it('a finished task is not open', () => {
    const prefix = [
      todo([
        { content: 'Write the parser', status: 'completed' },
        { content: 'Write its tests', status: 'pending' },
      ]),
    ]
    expect(falseIn('### To do\n- [ ] Write the parser\n- [ ] Write its tests', prefix)).toEqual(['- [ ] Write the parser'])
  })
  it('headings that were copied, and what is quoted, state nothing', () => {
    const prefix = [tool('### Errors\n- none of them matter')]
    expect(statementsIn('### Errors\n- none of them matter\n### Excerpts, by message\n[0] x\n### To do\n- a', prefix)).toEqual([])
  })
  it('tasks are known by the newest list, or by their numbers', () => {
    const made = (name: string, args: Record<string, unknown>): RecordedMessage => ({
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'x', name, arguments: args }],
    })
    const tasks = tasksOf([
      made('TaskCreate', { subject: 'A' }),
      made('TaskCreate', { subject: 'B' }),
      made('TaskUpdate', { taskId: '1', status: 'completed' }),
    ])
    expect([...tasks]).toEqual([
      ['A', true],
      ['B', false],
    ])
  })
})

describe('the tail', () => {
  const texts = ['one '.repeat(40), 'two '.repeat(40), 'three '.repeat(40)]
  it('is the newest messages that stand whole, up to the first that does not', () => {
    expect(tailTokens(texts, ['an account', ...texts.slice(1)], 1_000)).toBe(44 + 64)
    expect(tailTokens(texts, [texts[0] ?? '', texts[2] ?? ''], 1_000)).toBe(64)
  })
  it('passes over a message that is too large to stay', () => {
    expect(tailTokens(texts, [texts[0] ?? '', texts[1] ?? ''], 200)).toBe(44 + 44)
  })
})
