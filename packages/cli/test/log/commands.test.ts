import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { inspectLogs } from '../../src/index.ts'
import { compactctl, file, lines } from './setup.ts'

describe('inspect', () => {
  it('tells the repeated outputs, the regions, and what a compaction would do', async () => {
    const output = Array.from({ length: 40 }, (_, at) => `line ${at} of the same file`).join('\n')
    const step = (id: string) => [
      { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: output },
    ]
    const path = await file('again.jsonl', lines([{ role: 'user', content: 'go' }, ...step('a'), ...step('b'), ...step('c')]))
    const [found] = await inspectLogs(path)
    expect(found?.duplicates).toMatchObject({ outputs: 2, most: [{ tool: 'read', times: 3 }] })
    expect(found?.duplicates.tokens).toBeGreaterThan(300)
    const { out } = await compactctl(['inspect', path, '--window', '1000'])
    expect(out).toMatch(/Repeated outputs[\s\S]*read.* × 3[\s\S]*By region[\s\S]*request[\s\S]*at most \d+ tokens/)
    const json = JSON.parse((await compactctl(['inspect', path, '--window', '1000', '--json'])).out)
    expect(json[0].plan.decision.action).toBe('compact')
  })
})

describe('the window that was meant', () => {
  it('is said beside the result where no flag names it', async () => {
    const path = await file('meant.jsonl', lines([{ role: 'user', content: 'go' }]))
    const config = await file('meant.yaml', 'model: { contextWindow: 16000 }')
    const said = async (...more: readonly string[]): Promise<string> => (await compactctl(['plan', path, ...more])).err
    expect(await said('-w', '8k')).toBe('')
    expect(await said('-c', config)).toBe(`note: window: 16,000 tokens (${config})\n`)
    expect(await said()).toBe("note: window: 200,000 tokens (nobody names the model's: --window does, or model.contextWindow of --config)\n")
  })
})

describe('complete', () => {
  const offered = async (...words: readonly string[]): Promise<string> => (await compactctl(['complete', '--', ...words])).out
  it('commands, options and choices; files where none of these fits', async () => {
    expect(await offered('ins')).toMatch(/^inspect\t/)
    expect(await offered('compact', '--in')).toMatch(/^--in-place\t/)
    expect(await offered('eval', '--preset', '')).toMatch(/^balanced\t?\n/m)
    expect(await offered('config', '')).toMatch(/^validate\t/m)
    for (const words of [
      ['inspect', ''],
      ['compact', 'x.jsonl', '--out', ''],
    ])
      expect(await offered(...words)).toBe(':0\n')
  })
  it.each(['bash', 'zsh', 'fish', 'powershell'])('a script for %s', async (shell) => {
    const { out, code } = await compactctl(['complete', shell])
    expect(code).toBe(0)
    expect(out).toMatch(/compactctl complete '?--/)
  })
  it('bash reads its own, and offers files', async () => {
    const { out } = await compactctl(['complete', 'bash'])
    const path = await file('completion.bash', out)
    const printed = await new Promise<string>((resolve, reject) =>
      execFile('bash', ['-c', `. ${path}; complete -p compactctl`], (error, text) => (error === null ? resolve(text) : reject(error))),
    )
    expect(printed).toContain('-o default')
  })
  it('an unknown shell is a wrong call', async () => {
    expect(await compactctl(['complete', 'tcsh'])).toMatchObject({ code: 2 })
  })
})
