import { extractFacts, type Message } from '@precis/core'
import { assistant, call, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { openTasks } from '../../src/record/facts/tasks.ts'

const list = (id: string, ...tasks: readonly (readonly [content: string, status: string])[]) =>
  call('TodoWrite', id, { todos: tasks.map(([content, status]) => ({ content, status })) })
const texts = (messages: readonly Message[]): readonly string[] => openTasks(messages).map(({ text }) => text)

describe('open tasks', () => {
  it('are those of the newest list', () => {
    const messages = history(user('Go.'), list('1', ['a', 'pending'], ['b', 'pending']), list('2', ['a', 'completed'], ['b', 'in_progress']))
    expect(texts(messages)).toEqual(['b'])
  })

  it.each([
    [
      'TodoWrite',
      {
        todos: [
          { content: 'a', status: 'completed' },
          { content: 'b', status: 'pending', activeForm: 'Doing b' },
        ],
      },
    ],
    [
      'update_plan',
      {
        explanation: 'why',
        plan: [
          { step: 'a', status: 'completed' },
          { step: 'b', status: 'in_progress' },
        ],
      },
    ],
    [
      'write_todos',
      {
        todos: [
          { description: 'a', status: 'completed' },
          { description: 'b', status: 'pending' },
        ],
      },
    ],
    [
      'manage_todo_list',
      {
        todoList: [
          { id: 1, title: 'a', status: 'completed' },
          { id: 2, title: 'b', description: 'more of b', status: 'not-started' },
        ],
      },
    ],
    [
      'task_tracker',
      {
        command: 'plan',
        task_list: [
          { id: '1', title: 'a', status: 'done' },
          { id: '2', title: 'b', notes: '', status: 'todo' },
        ],
      },
    ],
    [
      'set_tasks',
      {
        tasks: [
          { text: 'a', done: true },
          { text: 'b', done: false },
        ],
      },
    ],
    [
      'update_tasks',
      {
        tasks: [
          { title: 'a', status: 'finished' },
          { title: 'c', status: 'skipped' },
          { title: 'b', status: 'open' },
        ],
      },
    ],
    ['update_todo_list', { todos: '[x] a\n[-] b' }],
    ['write_plan', { text: '# Plan\n1. [X] a\n2. [ ] b\n\nThen we see [1].' }],
  ])('are read as %s writes them', (tool, input) => {
    expect(texts(history(user('Go.'), call(tool, '1', input)))).toEqual(['b'])
  })

  it('are those created one by one and not finished since', () => {
    const messages = history(
      user('Go.'),
      call('TaskCreate', '1', { subject: 'read', description: 'x' }),
      call('TaskCreate', '2', { subject: 'write', description: 'y' }),
      call('TaskUpdate', '3', { taskId: '1', status: 'completed' }),
      call('TaskUpdate', '4', { taskId: '2', status: 'in_progress' }),
      call('TaskUpdate', '5', { taskId: '9', status: 'in_progress' }),
    )
    expect(texts(messages)).toEqual(['write'])
  })

  it('do not stand in a record when a newer list is shown beside it', () => {
    const messages = history(user('Go.'), list('1', ['a', 'pending']), assistant('ok'), list('2', ['a', 'completed']))
    const upTo = (end: number): readonly string[] =>
      extractFacts(messages, [...messages.keys()].slice(0, end)).flatMap(({ kind, text }) => (kind === 'open' ? [text] : []))
    expect(upTo(2)).toEqual([])
    expect(extractFacts(messages.slice(0, 2), [0, 1]).some(({ text }) => text === '[ ] a')).toBe(true)
  })

  it('are none in a file with boxes', () => {
    expect(texts(history(user('Go.'), call('write_file', '1', { path: 'README.md', content: '- [ ] Tests pass' })))).toEqual([])
  })

  it('stay what they are where another tool says how something stands', () => {
    const created = ['read', 'write'].map((subject, at) => call('TaskCreate', `${at}`, { subject }))
    const others = [call('get_job', '3', { taskId: '1', status: 'done' }), call('list_items', '4', { filters: [{ field: 'x', completed: false }] })]
    expect(texts(history(user('Go.'), ...created, ...others))).toEqual(['read', 'write'])
  })

  it('are none in what is no list', () => {
    const odd = [call('x', '1', { todos: [null, 1, { status: 3 }] }), { ...call('TaskCreate', '2', {}), parts: [] }]
    expect(texts(history(user('Go.'), ...odd))).toEqual([])
  })
})
