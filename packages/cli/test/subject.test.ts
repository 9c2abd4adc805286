import { describe, expect, it } from 'vitest'
import { usageOf } from '../src/transcripts/recorded-usage.ts'
import { subjectOf } from '../src/transcripts/subject.ts'

describe('what a call was about', () => {
  it.each([
    [{ command: 'npm test' }, 'npm test'],
    [{ command: 'cd /a/b && FOO="x y" npx vitest run --project core 2>&1 | tail -5' }, 'npx vitest run'],
    [{ command: 'timeout 60 git commit -m "a message"' }, 'git commit'],
    [{ command: ['bash', '-lc', 'cat src/main.ts'] }, 'cat src/main.ts'],
    [{ cmd: '/usr/bin/grep -rn "x" .' }, 'grep'],
    [{ file_path: '/a/b.ts', offset: 3 }, '/a/b.ts'],
    [{ pattern: 'needle', path: 'src' }, 'src'],
    [{ query: 'precis\u001b[31m' }, 'precis [31m'],
    [{}, ''],
  ])('%j', (input, expected) => expect(subjectOf(JSON.stringify(input))).toBe(expected))
  it('reads a patch, and survives anything', () => {
    expect(subjectOf('*** Begin Patch\n*** Update File: src/a.ts\n')).toBe('src/a.ts')
    for (const odd of ['', 'null', '[1]', '"ls -l"', '{"command":[null]}', '{"command":""}']) expect(typeof subjectOf(odd)).toBe('string')
  })
})

describe('usage as the log recorded it', () => {
  it('Claude Code: several lines of one reply count once, by list prices', () => {
    const usage = { input_tokens: 10, cache_creation_input_tokens: 1_000, cache_read_input_tokens: 20_000, output_tokens: 1 }
    const line = (id: string, output: number, more = {}) => ({
      type: 'assistant',
      message: { id, model: 'claude-sonnet-4-5-20250929', usage: { ...usage, output_tokens: output } },
      ...more,
    })
    const found = usageOf([line('a', 1), line('a', 300), line('b', 200), line('c', 5, { isSidechain: true })])
    expect(found?.models).toMatchObject([{ model: 'claude-sonnet-4-5-20250929', calls: 3, output: 505, cacheRead: 60_000, cacheWrite: 3_000, input: 30 }])
    expect(found?.models[0]?.dollars).toBeCloseTo((30 * 3 + 60_000 * 0.3 + 3_000 * 3.75 + 505 * 15) / 1e6, 6)
    expect(found).toMatchObject({ lastPrompt: 21_010, largestPrompt: 21_010 })
    expect(found?.pricesOf).toMatch(/^\d{4}-/)
  })
  it('Codex, pi, Gemini CLI, OpenCode', () => {
    const codex = usageOf([
      { type: 'turn_context', payload: { model: 'gpt-5.2' } },
      { type: 'event_msg', payload: { type: 'token_count', info: { last_token_usage: { input_tokens: 900, cached_input_tokens: 400, output_tokens: 5 } } } },
    ])
    expect(codex?.models).toMatchObject([{ model: 'gpt-5.2', calls: 1, input: 500, cacheRead: 400, output: 5 }])
    const pi = usageOf([
      { type: 'message', message: { role: 'assistant', model: 'own', usage: { input: 5, output: 2, cacheRead: 1, cacheWrite: 0, cost: { total: 0.5 } } } },
    ])
    expect(pi).toMatchObject({ models: [{ model: 'own', dollars: 0.5 }] })
    expect(pi).not.toHaveProperty('pricesOf')
    expect(usageOf([{ type: 'gemini', model: 'gemini-2.5-pro', tokens: { input: 10, cached: 4, output: 2, thoughts: 3 } }])?.models[0]).toMatchObject({
      input: 6,
      cacheRead: 4,
      output: 5,
    })
    expect(
      usageOf([{ info: { role: 'assistant', modelID: 'm', tokens: { input: 3, output: 1, reasoning: 1, cache: { read: 2, write: 0 } } } }])?.models[0],
    ).toEqual({
      model: 'm',
      calls: 1,
      input: 3,
      cacheRead: 2,
      cacheWrite: 0,
      output: 2,
    })
    expect(usageOf([{ role: 'user', content: 'hi' }, null, 7])).toBeUndefined()
  })
})
