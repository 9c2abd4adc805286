import { builtInEstimator, extractFacts, type Message, recordOf } from '@precis/core'
import { assistant, call, history, result, step, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'

const recorded = (messages: readonly Message[], budget = 1_000): string =>
  recordOf(messages, [...messages.keys()], { budget, requests: budget / 3, estimator: builtInEstimator, already: '' }).text
const factsOf = (kind: string, ...steps: readonly (readonly Message[])[]): readonly string[] => {
  const messages = history(user('Go.'), ...steps)
  return extractFacts(messages, [...messages.keys()]).flatMap((fact) => (fact.kind === kind ? [fact.text] : []))
}
const bash = (id: string, command: string, output: string): readonly Message[] => step('bash', id, { command }, output)

describe('how a command ended stands behind it', () => {
  it.each([
    ['npm test', 'src/a.test.ts ok\n Tests  3 failed | 20 passed (23)\n Duration 2 s', 'npm test → Tests 3 failed | 20 passed (23)'],
    ['npm test', 'stderr: Error: logged by a test\n Tests  20 passed (20)\n Duration 2 s', 'npm test → Tests 20 passed (20)'],
    ['go test ./...', 'ok  app/a 0.2s\nFAIL app/b 0.3s\nok  app/c 0.1s', 'go test ./... → FAIL app/b 0.3s'],
    ['git rev-parse HEAD', '49f60d05a6d7\n', 'git rev-parse HEAD → 49f60d05a6d7'],
    ['python run.py', 'start\nTypeError: no such thing\nbye', 'python run.py → TypeError: no such thing'],
    ['git diff', '+ expect(3 passed)\n+ throw new Error("2 failed")\n rest', 'git diff'],
    ['cat log.txt', 'Tests 3 failed\nTests 4 passed\nend', 'cat log.txt'],
    ['mkdir out', '(no output)', 'mkdir out'],
    ['grep -n "console" src/a.ts', 'Command exited with code 1', 'grep -n "console" src/a.ts'],
    ['cd app && rg retryLimit', '(no output)\n\nexit code 1', 'cd app && rg retryLimit'],
    ['task fmt', '[fmt] $ gofmt -s -w .\n[fmt] all 14 files passed', 'task fmt → [fmt] all 14 files passed'],
    ['go test ./... -run Explain', 'ok  app/cli 1.904s\nok  app/b 0.2s [no tests to run]', 'go test ./... -run Explain → ok app/cli 1.904s'],
    ['mise run lint', '[lint] $ golangci-lint run\n[lint] 0 issues.\nFinished in 3 s', 'mise run lint → [lint] 0 issues.'],
    ['npm run fmt', 'Shell cwd was reset to /home/ann/app', 'npm run fmt'],
    ['mise run fmt', '[fmt] $ gofmt -s -w .', 'mise run fmt'],
    ['node due.mjs', 'Balance due: $ 1,204.50', 'node due.mjs → Balance due: $ 1,204.50'],
    ['wc -l src/a.ts', '14 src/a.ts', 'wc -l src/a.ts'],
    ['git log -1 --format=%s', 'All tests passed', 'git log -1 --format=%s'],
    ['git commit -qm "Bound it"', 'All checks passed!\n[main 1a2b3c4] Bound it\n 2 files changed', 'git commit -qm "Bound it" → [main 1a2b3c4] Bound it'],
  ])('%s: %j', (command, output, expected) => {
    expect(factsOf('command', bash('a', command, output))).toEqual([expected])
  })
  it.each([
    [{ command: ['bash', '-lc', 'npm test'] }, 'Tests  20 passed (20)', 'npm test → Tests 20 passed (20)'],
    [{ command: ['cargo', 'test'] }, 'test result: ok. 4 passed', 'cargo test → test result: ok. 4 passed'],
    [{ commands: ['npm run lint', 'npm test'] }, '14 passed', 'npm run lint && npm test → 14 passed'],
    [{ action: { type: 'exec', command: ['zsh', '-c', 'make all'] } }, '2 warnings', 'make all → 2 warnings'],
    [{ action: { commands: ['make all'], timeoutMs: 9 } }, '2 warnings', 'make all → 2 warnings'],
    [{ command: ['bash', { toString: 1 }, 7, null] }, '2 warnings', 'bash {"toString":1} 7 null → 2 warnings'],
    [{ action: 'run', command: 'make all' }, '2 warnings', 'make all → 2 warnings'],
    [{ command: ['bash', '-lc', 'npm test'] }, `Exit code: 1\nWall time: 2 s\nOutput:\n${'.\n'.repeat(300)}`, 'npm test (failed)'],
    [{ command: ['bash', '-lc', 'npm test'] }, '{"output":"2 of 9\\n","metadata":{"exit_code":1,"duration_seconds":2}}', 'npm test (failed)'],
  ])('of a shell that is handed a list: %j', (input, output, expected) => {
    expect(factsOf('command', step('shell', 'a', input, output))).toEqual([expected])
  })
  const log = ` src/a.test.ts:14:3: error: expected 3 rows, got 2\n Tests  3 failed | 20 passed (23)\n${'.\n'.repeat(200)}`
  it.each([
    ['as text', log, 'npm test → Tests 3 failed | 20 passed (23)'],
    ['an object', JSON.stringify({ stdout: log, stderr: '' }), 'npm test → Tests 3 failed | 20 passed (23)'],
    ['blocks', JSON.stringify([{ type: 'text', text: log }]), 'npm test → Tests 3 failed | 20 passed (23)'],
    ['with its exit code', JSON.stringify({ exitCode: 1, stdout: log, stderr: '' }), 'npm test (failed)'],
    ['that did not succeed', JSON.stringify({ success: false, output: log }), 'npm test (failed)'],
  ])('and its errors are seen, whether the output is %s', (_, output, expected) => {
    expect(factsOf('command', bash('a', 'npm test', output))).toEqual([expected])
    expect(factsOf('error', bash('a', 'npm test', output))).toEqual(['src/a.test.ts:14:3: error: expected 3 rows, got 2'])
  })
  it.each([
    ['node count.js', '{"orders":42,"late":7}', 'node count.js → {"orders":42,"late":7}'],
    ['node count.js', '{"stdout":"42 orders\\n","exit_code":0}', 'node count.js → 42 orders'],
    ['kubectl -n prod get pod api -o json', '{"status":{"containers":[{"exitCode":137,"reason":"OOMKilled"}]}}', undefined],
    ['aws ecs describe-tasks --tasks 7', '{"tasks":[{"containers":[{"exitCode":1}]}]}', undefined],
    ['kubectl -n prod describe pod api', 'Last State: Terminated\nExit Code: 137', 'kubectl -n prod describe pod api'],
    ['cat fixtures/refused.json', '{"ok":false,"reason":"card declined"}', 'cat fixtures/refused.json'],
    ['cat gone.json', '{"success":false,"error":"No such file"}', 'cat gone.json (failed)'],
    ['curl -s localhost/health', '{"ok":false,"db":"down"}', 'curl -s localhost/health (failed)'],
  ])('of data, what it says: %s %s', (command, output, expected = `${command} → ${output}`) => {
    expect(factsOf('command', bash('a', command, output))).toEqual([expected])
  })
  it('a file that holds a verdict was read', () => {
    expect(factsOf('file-read', step('read_file', 'a', { path: 'refused.json' }, '{"success":false,"reason":"card declined"}'))).toEqual(['refused.json'])
    expect(factsOf('file-read', step('read_file', 'a', { path: 'gone.json' }, '{"success":false,"error":"No such file"}'))).toEqual([])
  })
  it('what is shown of how something else ended is no failure of the command', () => {
    const pod = 'Name: cart-7\nLast State: Terminated\n  Reason: OOMKilled\n  Exit Code:    137\nReady: False'
    expect(factsOf('failed-attempt', bash('a', 'kubectl describe pod cart-7', pod))).toEqual([])
    expect(factsOf('failed-attempt', bash('a', 'kubectl apply -f cart.yaml', 'nothing to do\nexit code 1'))).toHaveLength(1)
  })
  it('a traceback is known by what it led to', () => {
    const output =
      'MergeError                Traceback (most recent call last)\nCell In[4], line 2\n----> 2 left.merge(right)\nMergeError: Merge keys are not unique in left dataset'
    const cell = [call('run_cell', 'a', { code: 'left.merge(right)' }), result('a', output, { tool: 'run_cell', isError: true })]
    expect(factsOf('failed-attempt', history(...cell))).toEqual([
      'run_cell(command: left.merge(right)) → MergeError: Merge keys are not unique in left dataset',
    ])
  })
  it.each([
    [{ success: false, error: 'no such order' }, ['cancel_order(id: 7) → error: no such order']],
    [{ error: 'ECONNREFUSED 10.0.0.7' }, ['cancel_order(id: 7) → error: ECONNREFUSED 10.0.0.7']],
    [{ content: [{ type: 'text', text: 'order 7 is gone' }], isError: true }, ['cancel_order(id: 7) → order 7 is gone']],
    [{ id: 7, status: 'cancelled', error: null }, []],
    [{ success: true, message: 'Order 7 is cancelled.' }, []],
  ])('a call that answers %j', (output, failed) => {
    expect(factsOf('failed-attempt', step('cancel_order', 'a', { id: 7 }, JSON.stringify(output)))).toEqual(failed)
  })
  it('only of the last run, and those that say it stand first', () => {
    const steps = [bash('a', 'cd app && npm test | tail -3', '2 failed\n.'), bash('b', 'npm test', '9 passed\n.'), bash('c', 'ls', 'a\nb')]
    expect(factsOf('command', ...steps)).toEqual(['ls', 'npm test → 9 passed'])
    const lines = recorded(history(user('Go.'), ...steps)).split('\n')
    expect(lines[lines.indexOf('### Commands') + 1]).toBe('- npm test → 9 passed')
  })
  it('what an editor of files is told to do is no command, and to look is no change', () => {
    const view = step('str_replace_editor', 'a', { command: 'view', path: 'src/a.ts' }, 'const a = 1')
    const edit = step('str_replace_editor', 'b', { command: 'str_replace', path: 'src/b.ts', old_str: 'x', new_str: 'y' }, 'The file was edited.')
    expect(factsOf('command', view, edit)).toEqual([])
    expect(factsOf('file-changed', view, edit)).toEqual(['src/b.ts: str_replace_editor'])
    expect(factsOf('file-read', view, edit)).toEqual(['src/a.ts'])
  })
  it('what is open, and errors, stand in their order, whatever arrows are in them', () => {
    const todos = ['Write the schema', 'Rename old → new', 'Ship'].map((content) => ({ content, status: 'pending' }))
    const text = recorded(history(user('Go.'), step('TodoWrite', 'a', { todos }, 'ok')))
    expect(text).toContain('### To do\n- [ ] Write the schema\n- [ ] Rename old → new\n- [ ] Ship')
  })
  it('a tool that reads does so whatever its server or its name holds beside that', () => {
    const reads = ['mcp__search__read_file', 'view_search_result', 'open_list'].map((tool, at) => step(tool, `${at}`, { path: `src/${at}.ts` }, 'const a = 1'))
    expect(factsOf('file-read', ...reads).toSorted()).toEqual(['src/0.ts', 'src/1.ts', 'src/2.ts'])
  })
  it('to look through a folder reads no file', () => {
    const searches = ['Grep', 'glob', 'search_files', 'LS', 'list_dir'].map((tool, at) => step(tool, `${at}`, { path: 'src', pattern: 'lock' }, 'src/b.ts'))
    expect(factsOf('file-read', step('Read', 'a', { path: 'src/a.ts' }, 'const a = 1'), ...searches)).toEqual(['src/a.ts'])
  })
})

describe('what failed and works since is no failed attempt', () => {
  const failing = bash('a', 'npm run build 2>&1 | tail -5', 'error: unused variable\nexit code 1')
  it('the same call', () => {
    expect(factsOf('failed-attempt', failing)).toHaveLength(1)
    expect(factsOf('failed-attempt', failing, bash('b', 'npm run build', 'built'))).toEqual([])
  })
  it('the same call behind the recorded span, where it is still shown', () => {
    const messages = history(user('Go.'), bash('a', 'npm test', '1 failed\nexit code 1'), bash('b', 'npm test', '9 passed\n.'))
    const kinds = extractFacts(messages, [0, 1, 2]).map(({ kind }) => kind)
    expect(kinds).not.toContain('failed-attempt')
    expect(kinds).not.toContain('command')
  })
  it('commands that are joined, by one and by one, or with another', () => {
    expect(factsOf('failed-attempt', failing, bash('b', 'npm run build && npm run lint', 'clean'))).toEqual([])
    const both = bash('a', 'npm run build && npm run lint', 'error: unused variable\nexit code 1')
    expect(factsOf('failed-attempt', both, bash('b', 'npm run build', 'built'))).toHaveLength(1)
    expect(factsOf('failed-attempt', both, bash('b', 'npm run build', 'built'), bash('c', 'npm run lint', 'clean'))).toEqual([])
  })
  it('an edit of the same file', () => {
    const edit = (id: string, from: string, output: string): readonly Message[] => step('edit', id, { path: 'src/a.ts', old: from, new: 'y' }, output)
    expect(factsOf('file-changed', edit('a', 'x', 'Error: the text was not found'))).toEqual([])
    const failed = history(call('edit', 'a', { path: 'src/a.ts', old: 'x', new: 'y' }), result('a', 'Error: not found', { tool: 'edit', isError: true }))
    expect(factsOf('failed-attempt', failed)).toHaveLength(1)
    expect(factsOf('failed-attempt', failed, edit('b', 'z', 'Edited.'))).toEqual([])
  })
  it('what an earlier summary lists, by the command that is run again', () => {
    const lines = [
      'bash(command: npm run build description: Build it) → error: unused',
      'bash(command: npm run build:web) → error: unused',
      'edit(path: a.ts) → not found',
    ]
    const summary: Message = { ...user(`### Failed attempts\n${lines.map((line) => `- ${line}`).join('\n')}`), summary: { version: 1 } }
    const listed = (...steps: readonly (readonly Message[])[]): readonly string[] => {
      const messages = history(summary, ...steps)
      return extractFacts(messages, [...messages.keys()]).flatMap(({ kind, text }) => (kind === 'failed-attempt' ? [text] : []))
    }
    expect(listed()).toEqual(lines)
    expect(listed(bash('a', 'npm run lint', 'clean'))).toEqual(lines)
    expect(listed(bash('a', 'cd app && npm run build 2>&1', 'built'))).toEqual(lines.slice(1))
    expect(listed(bash('a', 'npm run build', 'error: still unused\nexit code 1'))).toEqual([
      'bash(command: npm run build) → error: still unused',
      ...lines.slice(1),
    ])
  })
  it('another call, or an earlier one, changes nothing', () => {
    expect(factsOf('failed-attempt', bash('b', 'npm run build', 'built'), failing)).toHaveLength(1)
    expect(factsOf('failed-attempt', failing, bash('c', 'npm run lint', 'clean'))).toHaveLength(1)
  })
})

describe('what is a failure', () => {
  it.each([
    ['a code that the command itself asks for is its output', bash('a', 'tool --x 2>&1; echo "exit: $?"', 'usage: tool\nexit: 1'), 0],
    ['a search that finds nothing', bash('a', 'ls | grep -c lock', 'Command exited with code 1'), 0],
    ['a search for one of several that finds nothing', bash('a', 'grep -nE "foo|bar;" a.ts', '(no output)\n\nCommand exited with code 1'), 0],
    ['a search between other commands', bash('a', "grep 'a|b' a.ts; make", 'Command exited with code 1'), 1],
    ['a search that cannot be made', bash('a', 'grep -c lock', 'grep: no such file or directory\nexit code 2'), 1],
    ['a call that was never made', history(call('bash', 'a', { command: 'ls' }), result('a', 'Sibling tool call errored', { tool: 'bash', isError: true })), 0],
    ['an answer that is a message of failure', step('book', 'a', { flight: 'HAT1' }, 'Error: payment amount does not add up, total price is 4875'), 1],
    ['an answer that begins with one', step('log', 'a', { day: 1 }, `Error: it stood in the log\n${'a line of the log\n'.repeat(40)}`), 0],
  ] as const)('%s', (_, steps, count) => {
    expect(factsOf('failed-attempt', steps)).toHaveLength(count)
  })
  it('what somebody said when they refused a call stands at its end, and stays', () => {
    const refusal = `It was refused. ${'The new text was not written to the file. '.repeat(8)}The user said:\nI want the formula to be called tab instead.`
    const refused = (id: string, plan: string): readonly Message[] =>
      history(call('propose', id, { plan }), result(id, refusal.replace('tab', plan), { tool: 'propose', isError: true }))
    const text = recorded(history(user('Go.'), refused('a', 'first'), refused('b', 'second')))
    expect(text).toContain('I want the formula to be called first instead.')
    expect(text).toContain('I want the formula to be called second instead.')
  })
  it('a numbered line of a file is none', () => {
    expect(factsOf('error', bash('a', 'show_lines', '261: AttributeError\n262: is raised'))).toEqual([])
  })
})

describe('what is quoted can be read as it was meant', () => {
  it('an item of a list stands below the line that introduces it', () => {
    const said =
      'Looked through it all.\n\n## Findings\n- The lock is never released, because the callback throws.\n\nThe plan:\n1. The retry must be bounded.\n   - It should stop after five tries.'
    expect(recorded(history(user('Review it.'), assistant(said), user('Thanks.')))).toContain(
      'Findings\n- The lock is never released, because the callback throws.\nThe plan:\n1. The retry must be bounded.\n- It should stop after five tries.',
    )
  })
  it('a request that is cut is not excerpted again where it is quoted', () => {
    const rules = Array.from({ length: 400 }, (_, at) => `keep src/part${at}.ts`)
    const text = recorded(history(user(rules.join('\n')), assistant('Understood.'), user('Go on with src/part3.ts, please.')), 4_500)
    expect(text).toMatch(/\n\[… \d+ characters …\]\n/)
    for (const rule of rules) expect(text.split(rule).length, rule).toBeLessThan(3)
  })
  it('what was read of a file says that it was changed since', () => {
    const code = Array.from({ length: 40 }, (_, at) => `${at + 1}\tconst value_${at} = loadValue(${at * 1_000})`).join('\n')
    const read = (id: string, path: string): readonly Message[] => step('read', id, { path }, code.replaceAll('value_', `${id}_value_`))
    const messages = history(user('Go.'), read('a', 'src/a.ts'), read('b', 'src/b.ts'), step('edit', 'c', { path: 'src/a.ts' }, 'Edited.'))
    const text = recorded(messages)
    expect(text).toContain('> src/a.ts (changed since)\n')
    expect(text).toContain('> src/b.ts\n')
  })
})
