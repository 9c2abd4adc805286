import { builtInEstimator, type Message, recordOf } from '@precis/core'
import { assistant, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { finished } from '../../src/history/pieces.ts'
import { jsonLines } from '../../src/record/excerpts/json-lines.ts'
import { showPassages } from '../../src/record/excerpts/show-passages.ts'
import { reportsFailure } from '../../src/record/facts/failure-lines.ts'
import { outlineIn } from '../../src/record/facts/outlines.ts'
import { pointersIn } from '../../src/record/facts/pointers.ts'
import { statedIn, withoutForms } from '../../src/record/facts/stated.ts'
import { sentencesOf, statementsOf } from '../../src/record/facts/statements.ts'
import { isSpoken } from '../../src/record/texts/spoken.ts'

const record = (messages: readonly Message[], budget = 2_000): string =>
  recordOf(messages, [...messages.keys()], { budget, requests: Math.floor(budget / 4), estimator: builtInEstimator, already: '' }).text

describe('an account', () => {
  const messages = history(
    user('The import loses rows. Find out why.'),
    step(
      'read',
      'a',
      { path: 'src/import.ts' },
      '1→import { parse } from "./parse"\n2→export function importRows(text: string): Row[] {\n3→  return parse(text)\n4→}',
    ),
    assistant('Let me look at the parser. The root cause is that `parse` drops the last line when it has no newline.'),
    user('Fix it, then tell me where the report is.'),
    step('bash', 'b', { command: 'npm run report' }, 'Report written to out/report.html\n12 rows'),
    assistant('Fixed: the parser keeps a last line without a newline. All 14 tests pass.'),
    user('Thanks. And the docs?'),
  )
  const text = record(messages)

  it('tells each request with what came of it, in order', () => {
    const told = text.split('\n')
    const at = (line: string): number => told.findIndex((one) => one.startsWith(line))
    expect(at('[0] user: The import loses rows.')).toBeGreaterThanOrEqual(0)
    expect(at('→ [3] The root cause is')).toBeGreaterThan(at('[0] user:'))
    expect(at('[4] user: Fix it')).toBeGreaterThan(at('→ [3]'))
    expect(at('→ [7] Fixed: the parser keeps')).toBeGreaterThan(at('[4] user:'))
  })
  it('says where things are, and what files hold that were not changed since', () => {
    expect(text).toContain('Report written to out/report.html')
    expect(text).toContain('2 export function importRows(text: string): Row[]')
    const edited = history(messages, step('edit', 'c', { path: 'src/import.ts', text: 'x' }, 'ok'))
    expect(record(edited)).not.toContain('### Outlines')
  })
  it('leaves out what only announces the next step, and says nothing twice', () => {
    expect(text.slice(0, text.indexOf('### Excerpts'))).not.toContain('Let me look')
    expect(text.split('The root cause is that').length).toBe(2)
    expect(text.split('Report written to').length).toBe(2)
  })
})

describe('statements', () => {
  it.each([
    ['sentences and lines', 'The cache is never cleared. It must be cleared on exit.\n- The test for it was wrong all along.', 3],
    ['no code', 'This is the reason for it:\n```ts\nconst reason = "because it is so"\n```', 1],
    ['the number of a list with its item', '1. The first of these findings is a race.', 1],
    ['no headings, nothing short', '## Because of this heading here\nDone.', 0],
  ])('are %s', (_, text, count) => {
    expect(sentencesOf(text)).toHaveLength(count)
  })
  it('of the assistant only, outcomes with the request that they answer', () => {
    const said = history(user('The user says that it must work.'), assistant('It works because the lock is gone.'), user('Good, go on then please.'))
    const list = finished(statementsOf(said, [0, 1, 2]))
    expect(list.map(({ index, answers }) => ({ index, answers }))).toEqual([{ index: 1, answers: 0 }])
  })
})

describe('what a user said', () => {
  it.each([
    ['fix the tests', true],
    ['why does <b>this</b> not render?', true],
    ['/home/me/file.ts is wrong', true],
    ['/clear', false],
    ['<command-name>/compact</command-name>\n<command-message>compact</command-message>', false],
    ['<bash-stdout>On branch main</bash-stdout><bash-stderr></bash-stderr>', false],
    ['[Request interrupted by user]', false],
  ])('%s: %s', (text, spoken) => {
    expect(isSpoken(history(user(text))[0] as Message)).toBe(spoken)
  })
})

describe('pointers', () => {
  it.each([
    'Saved to ./out/a.png',
    'Stored in `.cache/index.json`',
    'Report generated), read it at: /tmp/out/report.jsonl',
    'A review is available: .out/REVIEW.md',
    'Server listening on http://localhost:3000',
    'Created src/new.ts',
    'ready on port 8080',
    'Switched to a new branch "fix"',
  ])('%s', (line) => {
    expect(pointersIn(`noise\n  ${line}\nnoise`)).toEqual([line])
  })
  it.each([
    'I wrote a test',
    'it runs in a loop',
    'created by nobody in particular',
    '45→It was saved to ./out/a.png',
    '+ saved to ./out/a.png',
    '// written to src/new.ts',
  ])('not: %s', (line) => {
    expect(pointersIn(line)).toEqual([])
  })
})

describe('what a tool states', () => {
  const log = Array.from({ length: 30 }, (_, at) => `2026-01-0${1 + (at % 9)} INFO worker-${at} took ${at * 7} ms`)
  const among = (...said: readonly string[]): string => [...log.slice(0, 15), ...said, ...log.slice(15)].join('\n')
  it.each([
    'The contract is filed under KX-4711.',
    '- Retries are switched off with --no-retry alone.',
    'Über den Port 8443 antwortet seit dem Umzug die neue Kasse.',
  ])('%s', (line) => {
    expect(statedIn(among(`  ${line}`))).toEqual([line])
  })
  it.each(['Nothing is open in this part of it.', 'const limit = await readLimit(retries).', 'the contract is filed under KX-4711.', 'Filed: KX-4711.'])(
    'not: %s',
    (line) => {
      expect(statedIn(among(line))).toEqual([])
    },
  )
  it('is nothing that stands out in a text made of sentences', () => {
    expect(statedIn(Array.from({ length: 20 }, (_, at) => `The part ${at} of the plan is filed under KX-${4700 + at}.`).join('\n'))).toEqual([])
  })
  it('is not what it says each time, of another name', () => {
    const stated = ['a.ts', 'b.ts', 'c.ts'].map((name) => ({ text: `The file src/${name} has been updated.` }))
    expect(withoutForms([...stated, { text: 'The cache is kept in /srv/pepper.' }])).toEqual([{ text: 'The cache is kept in /srv/pepper.' }])
  })
  it('stands in the record, whatever the output is cut to', () => {
    const said = 'The ledger import stops with RV-4711 when a column is empty.'
    const messages = history(user('Look.'), step('run', 'a', { command: 'npm test' }, among(said)), assistant('ok'))
    const { text } = recordOf(messages, [...messages.keys()], { budget: 160, requests: 40, estimator: builtInEstimator, already: '' })
    expect(text).toContain(`[2]> ${said}`)
  })
})

describe('outlines', () => {
  it('are declarations, imports and headings, with the line numbers that a tool gave', () => {
    const text = ['     1→package main', '     2→', '     3→func main() {', '     4→\tfoo()', '    12→type Store struct {'].join('\n')
    expect(outlineIn(text, 'main.go')).toEqual([
      { line: 1, text: 'package main', kind: 'import' },
      { line: 3, text: 'func main()', kind: 'declaration' },
      { line: 12, text: 'type Store struct', kind: 'declaration' },
    ])
    expect(outlineIn('# Title\n\ntext of it\n## Part', 'README.md').map(({ text: line }) => line)).toEqual(['# Title', '## Part'])
    expect(outlineIn('class A:\n    # says hello\n    def run(self, x):\n        return 1', 'a.py').map(({ text: line }) => line)).toEqual([
      'class A:',
      'def run(self, x):',
    ])
  })
  it('name a function with many parameters without them', () => {
    const text = 'func (s *Store) Condense(ctx context.Context, repo *git.Repository, at time.Time) error {'
    expect(outlineIn(text, 'a.go').map((line) => line.text)).toEqual(['func (s *Store) Condense(…)'])
  })
  it('say once which folder the files lie in', () => {
    const files = ['/home/ann/shop/src/cart.ts', '/home/ann/shop/test/cart.test.ts']
    const read = files.map((path, at) => step('read', `r${at}`, { path }, `export function part${at}(): void {}\n${'x '.repeat(100)}`))
    const text = record(history(user('Read.'), ...read, user('And now?')))
    expect(text).toMatch(/### Outlines\n\[2\]> in \/home\/ann\/shop\/\n\[2\]> src\/cart.ts\nexport function part0\(\): void \{\}\n\[4\]> test\/cart.test.ts\n/)
  })
  it.each([
    ['/a/b.ts', 'c.ts'],
    ['c.ts', '/a/b.ts'],
    ['/b.ts', '/a.ts'],
  ])('have no folder in common: %s and %s', (...paths) => {
    const read = paths.map((path, at) => step('read', `r${at}`, { path }, `export function part${at}(): void {}\n${'x '.repeat(100)}`))
    expect(record(history(user('Read.'), ...read, user('And now?')))).toContain(`### Outlines\n[2]> ${paths[0]}\n`)
  })
  it('list what Go imports', () => {
    const text = ['package main', '', 'import (', '\t"fmt"', '\tcpkg "example.org/cli/checkpoint"', ')', '', '\t"not imported"'].join('\n')
    expect(outlineIn(text, 'main.go').map((line) => line.text)).toEqual(['package main', '"fmt"', 'cpkg "example.org/cli/checkpoint"'])
  })
})

describe('JSON as lines', () => {
  const long = 'x'.repeat(150)
  it('has a field a line, short objects and lists on one, each below the path of what holds it', () => {
    const value = { flights: [{ id: 'HAT1', seats: { economy: 3, business: 1 }, of: { name: long }, stops: ['MSP', 'EWR'] }], note: long, none: [] }
    expect(jsonLines(JSON.stringify(value)).split('\n')).toEqual([
      '.flights[0]:',
      'id: HAT1',
      'seats: {economy: 3, business: 1}',
      '.flights[0].of:',
      `name: ${long}`,
      '.flights[0]:',
      'stops: MSP, EWR',
      '.:',
      `note: ${long}`,
      'none: []',
    ])
    expect(jsonLines(JSON.stringify([value, value])).split('\n')[0]).toBe('.[0].flights[0]:')
  })
  it('is quoted below that path: no value stands under another object', () => {
    const text = jsonLines(JSON.stringify([17, 28].map((id) => ({ id, note: `${id} ${long}`, price: id * 10 }))))
    const passages = ['id: 17', 'price: 280'].map((line) => ({ start: text.indexOf(line), end: text.indexOf(line) + line.length }))
    expect(showPassages({ text, weight: 1, kind: 'output', label: '[3]> ' }, passages)).toBe('[3]> .[0]:\nid: 17…\n.[1]:…\nprice: 280')
  })
  it('leaves JSON alone that stands in lines already', () => {
    const text = JSON.stringify(
      Array.from({ length: 40 }, (_, id) => ({ id, name: `module${id}` })),
      null,
      2,
    )
    expect(jsonLines(text)).toBe(text)
  })
  it.each(['{"short":1}', `{"broken": ${'x'.repeat(200)}`, `{"id":12345678901234567890,"note":"${'x'.repeat(200)}"}`, 'plain text '.repeat(40)])(
    'leaves alone %s',
    (text) => {
      expect(jsonLines(text)).toBe(text)
    },
  )
})

describe('an error is a line that reports one', () => {
  it.each([
    'error TS2304: Cannot find name',
    'src/a.go:12:3: undefined: foo',
    'TypeError: x is not a function',
    '--- FAIL: TestX (0.00s)',
    'state_test.go:186:2: Error return value is not checked',
    'fatal: not a git repository',
    'bash: foo: command not found',
    'E   AssertionError: assert 1 == 2',
  ])('%s', (line) => {
    expect(reportsFailure(line)).toBe(true)
  })
  it.each([
    '-rw-r--r-- error.c x',
    'if(is_typecheck_error(type)) {',
    'return fmt.Errorf("failed to %s")',
    'Error handling is done in foo.ts',
    'const error = foo()',
    'no errors were found',
  ])('not: %s', (line) => {
    expect(reportsFailure(line)).toBe(false)
  })
})
