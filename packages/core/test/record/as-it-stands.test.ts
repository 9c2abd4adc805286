import { builtInEstimator, extractFacts, type Message, recordOf } from '@precis/core'
import { assistant, history, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { jsonLines } from '../../src/record/excerpts/json-lines.ts'
import { pointersIn } from '../../src/record/facts/pointers.ts'
import { sentencesOf } from '../../src/record/facts/statements.ts'
import { readableInput } from '../../src/record/texts/call-input.ts'
import { cutMiddle } from '../../src/record/texts/truncate.ts'

const recorded = (messages: readonly Message[], indices: readonly number[] = [...messages.keys()]): string =>
  recordOf(messages, indices, { budget: 1_000, requests: 400, estimator: builtInEstimator, already: '' }).text
const linesOf = (text: string): readonly string[] => text.split('\n')

describe('a record says how things stand', () => {
  it('errors of a command count until it is run again, however its output was cut, and stand once', () => {
    const failing = step('bash', 'a', { command: 'cd app && npm test 2>&1 | tail -5' }, 'Error: expected 3 rows, got 2\nexit code 1')
    const other = step('bash', 'b', { command: 'npm run lint' }, 'error: unused variable total\nexit code 1')
    const passing = step('bash', 'c', { command: 'npm test' }, '14 passed')
    const errorsOf = (...steps: readonly (readonly Message[])[]): readonly string[] => {
      const text = recorded(history(user('Fix it.'), ...steps))
      return linesOf(text.slice(0, text.indexOf('### Excerpts'))).flatMap((line) => /\berror: .*/i.exec(line)?.[0] ?? [])
    }
    expect(errorsOf(failing, other)).toEqual(['error: unused variable total', 'Error: expected 3 rows, got 2'])
    expect(errorsOf(failing, other, passing)).toEqual(['error: unused variable total'])
  })
  describe('an error is shown until a later run shows that it is mended', () => {
    const errorsOf = (...runs: readonly (readonly [command: string, output: string])[]): readonly string[] => {
      const messages = history(user('Fix it.'), ...runs.map(([command, output], at) => step('bash', `call-${at}`, { command }, output)))
      return extractFacts(messages, [...messages.keys()]).flatMap(({ kind, text }) => (kind === 'error' ? [text] : []))
    }
    const wrong = 'src/a.ts(3,1): error TS2304: Cannot find name foo.'
    const other = 'src/b.ts(9,1): error TS2304: Cannot find name bar.'
    const failed = '--- FAIL: TestLock (0.1s)\nFAIL\tapp/lock 0.4s'
    it.each([
      ['its command without the filter', ['npm run check 2>&1 | grep -E "error|warning" | head -5', wrong], ['npm run check', '> tsc --noEmit']],
      ['the same filter, which shows nothing', ['npm run check | grep error', wrong], ['npm run check | grep error', '(no output)']],
      [
        'the whole package, by a run that shows no names',
        ['go test ./lock -run TestLock', '--- FAIL: TestLock (0.1s)\n    lock_test.go:31: failed to lock\nFAIL\tapp/lock\t0.4s'],
        ['make test', 'ok  \tapp/lock\t(cached)'],
      ],
      ['the same test by another command', ['go test ./lock -run TestLock -v', failed], ['go test ./... -v', '--- PASS: TestLock (0.1s)\nok  \tapp/lock 0.2s']],
    ] as const)('%s: mended', (_, before, after) => {
      expect(errorsOf(before)).not.toEqual([])
      expect(errorsOf(before, after)).toEqual([])
      expect(errorsOf(after, before)).toEqual(errorsOf(before))
      expect(errorsOf(before, after, before)).toEqual(errorsOf(before))
    })
    it.each([
      ['a filter that shows other things', ['npm run check', wrong], ['npm run check | grep src/c', '(no output)']],
      [
        'an end that speaks of errors and shows none',
        ['npm run check', wrong],
        ['npm run check 2>&1 | tail -2', 'npm error command failed\nWaiting for the debugger'],
      ],
      ['a run that goes on in the background', ['npm run check', wrong], ['npm run check', 'Command running in background with ID: b1']],
      ['a command behind the filter that is not repeated', ['npm run check | grep error ; npm run lint', wrong], ['npm run check', 'clean']],
      ['another check', ['npm run check', wrong], ['npm run lint', '14 files passed']],
      ['another test, or none', ['go test ./lock', failed], ['go test ./b -v', '--- PASS: TestLocks (0.1s)\nok  \tapp/lock 0.2s [no tests to run]']],
      ['a log that is shown', ['go test ./lock', failed], ['cat old.log', '--- PASS: TestLock (0.1s)']],
      ['a run in which others fail', ['go test ./lock', '--- FAIL: TestLock (0.1s)'], ['go test ./b', '--- PASS: TestLock (0.1s)\n--- FAIL: TestPool (0.1s)']],
      ['a name below an "ok" of its own', ['go test ./lock', '--- FAIL: TestLock (0.1s)'], ['make', 'ok\nTestLock was skipped']],
    ] as const)('%s: not mended', (_, before, after) => {
      expect(errorsOf(before, after)).toEqual(expect.arrayContaining([...errorsOf(before)]))
    })
    it.each([
      ['a part of its package', 'go test ./lock', '', 'go test ./lock -run TestPool'],
      ['it without the tags that let the test in', 'go test -tags=e2e ./lock', '', 'go test ./lock'],
      ['one package of two', 'go test ./...', '\nFAIL\tapp/pool\t0.4s', 'go test ./lock'],
    ])('a test that failed stays, whatever passes of %s', (_, before, more, after) => {
      const output = `--- FAIL: TestLock (0.1s)\nFAIL\tapp/lock\t0.4s${more}`
      expect(errorsOf([before, output], [after, 'ok  \tapp/lock\t0.2s'])).toContain('--- FAIL: TestLock (0.1s)')
    })
    describe('an error of a compiler, by another command that reports such errors of the file', () => {
      const tsc = ['npx tsc --noEmit', wrong] as const
      const moved = wrong.replace('(3,1)', '(7,1)')
      const clean = ['cd app && npm run check 2>&1 | tail -3', '> tsc --noEmit'] as const
      it('is mended where that runs and finds none', () => {
        expect(errorsOf(['npm run check', moved], tsc, clean)).toEqual([])
        expect(errorsOf(tsc, ['npm run check | grep "error TS"', moved], clean)).toEqual([])
      })
      it.each([
        ['it never reported one', [tsc, clean]],
        ['it reported one of another file', [['npm run check', other], tsc, clean]],
        ['it reported another', [['npm run check', wrong.replace('TS2304', 'TS7006')], tsc, clean]],
        ['it ran before', [['npm run check', moved], clean, tsc]],
        ['it shows a part', [['npm run check', moved], tsc, ['npm run check | grep src/c', '(no output)']]],
        ['it speaks of errors and shows none', [['npm run check', moved], tsc, ['npm run check | tail -1', 'npm error command failed']]],
        ['it failed', [['npm run check', moved], tsc, ['npm run check', 'Killed\nexit code 137']]],
        ['a file was shown', [['cat old.log', moved], tsc, ['cat old.log', 'nothing here']]],
      ] as const)('is not where %s', (_, runs) => {
        expect(errorsOf(...runs)).toContain(wrong)
      })
    })
    it('what a run still shows stays, and only that', () => {
      expect(errorsOf(['npm run check', `${wrong}\n${other}`], ['npm run check', other])).toEqual([other])
    })
  })
  it('what an edit removed is marked as a diff does', () => {
    const input = { path: 'a.ts', old_string: 'import x\ncall(one)\nend()', new_string: 'import x\ncall(two)\nend()' }
    expect(readableInput(JSON.stringify(input))).toBe('path: a.ts\nold_string: import x\n- call(one)\nend()\nnew_string: import x\ncall(two)\nend()')
  })
  it.each([
    [{ command: ['bash', '-lc', 'cat <<E\none\nE'] }, 'command: bash\ncommand: -lc\ncommand: cat <<E\none\nE'],
    [{ operation: { type: 'update_file', path: 'a.ts', diff: '@@\n+one' } }, 'type: update_file\npath: a.ts\ndiff: @@\n+one'],
    [{ path: 'a.ts', edits: [{ oldText: 'a\nb', newText: 'b' }] }, 'path: a.ts\noldText: - a\nb\nnewText: b'],
    [{ command: ['npm', 'test'], env: { CI: '1' } }, 'command: ["npm","test"]\nenv: {"CI":"1"}'],
  ])('what has several lines is read by its lines, however deep it stands: %j', (input, expected) => {
    expect(readableInput(JSON.stringify(input))).toBe(expected)
  })
  it('an output is labelled with the path that its call names, wherever it stands among the arguments', () => {
    const edit = step(
      'Edit',
      'a',
      { replace_all: false, file_path: 'src/a.ts', old_string: 'x', new_string: 'y' },
      `The file was updated.\n${'const lockHolder = 1\n'.repeat(60)}`,
    )
    expect(recorded(history(user('Go.'), edit, assistant('Done.')))).toContain('[2]> src/a.ts')
  })
  it('an arrow stands below the request that it answers, and only where the work was done', () => {
    const messages = history(
      user('Port the parser to the new format.'),
      assistant('The parser is ported: it reads the new format, because the old one is gone.'),
      user('And the writer, please.'),
      assistant('The writer is ported as well, so that both agree.'),
    )
    expect(recorded(messages)).toContain('→ [3] The writer is ported')
    // The second request stays beside the record.
    const partly = linesOf(recorded(messages, [0, 1, 3]))
    expect(partly.some((line) => line.startsWith('[3] The writer is ported'))).toBe(true)
    const [last] = step('bash', 'a', { command: 'npm test' }, 'ok')
    const calling: Message = { role: 'assistant', parts: [{ type: 'text', text: 'The fix is in, now the tests confirm it.' }, ...(last as Message).parts] }
    expect(linesOf(recorded(history(user('Fix it.'), calling, user('Stop.')))).some((line) => line.startsWith('[1] The fix is in'))).toBe(true)
  })
  it('a task that is under way has the name that it was given', () => {
    const messages = history(
      user('Do all of it.'),
      step('TaskCreate', 'a', { subject: 'Run the tests and the linter' }, 'created'),
      assistant('Tasks are noted.'),
      step('TaskUpdate', 'b', { taskId: '1', status: 'in_progress' }, 'updated'),
    )
    expect(recorded(messages, [0, 1, 2, 3])).toContain('- [ ] Run the tests and the linter')
  })
  it('a request without room is cut where a line or a word ends', () => {
    const text = Array.from({ length: 40 }, (_, at) => `rule ${at} holds for everybody`).join('\n')
    const [head = '', tail = ''] = cutMiddle(text, 300).split(/\n\[… \d+ characters …\]\n/)
    expect(text.startsWith(`${head}\n`)).toBe(true)
    expect(text.endsWith(`\n${tail}`)).toBe(true)
    expect(cutMiddle('word '.repeat(200), 100)).toMatch(/^(?:word ?)+\n\[… \d+ characters …\]\n(?:word ?)+$/)
    expect(cutMiddle('x'.repeat(500), 100)).toContain('[… 400 characters …]')
  })
  it.each([
    'hooks.go:155: Hook stop output: 2026/01/22 20:49:34 INFO stop /tmp/x',
    '32f02e0 Merge pull request #23 from somebody/branch',
    'Task #1 created successfully: Add a helper to hooks.go',
    "import { createOutputKeeper } from './output-keeper.ts'",
    'packages/core/src/policy/presets/output-cache.ts',
  ])('%s: no place', (line) => {
    expect(pointersIn(line)).toEqual([])
  })
  it.each(['Full output saved to: /tmp/results/b2.txt', 'Output file: out/report.html', 'Switched to a new branch "fix/lease"'])('%s: a place', (line) => {
    expect(pointersIn(line)).toEqual([line])
  })
  it('the number of an item stays with it, in bold too', () => {
    expect(sentencesOf('**2. No tests cover the hooks.** They must be written.').map(({ text }) => text)).toEqual([
      '**2. No tests cover the hooks.** They must be written.',
    ])
  })
  it('a short object of a list is one line: what belongs together stays together', () => {
    const flights = Array.from({ length: 4 }, (_, at) => ({ number: `HAT${at}`, from: 'MSP', price: 100 + at }))
    expect(
      jsonLines(JSON.stringify({ flights, note: 'economy'.repeat(10) }))
        .split('\n')
        .slice(0, 2),
    ).toEqual(['.flights:', 'number: HAT0, from: MSP, price: 100'])
  })
})
