import { builtInEstimator, viewOutput } from '@precis/core'
import { describe, expect, it } from 'vitest'
import { count, log } from '../record/setup.ts'

describe('views', () => {
  it.each([
    ['head-tail', 'line 0 ', 'line 399'],
    ['match-list', 'line 0 ', 'line 1 '],
    ['file-content', 'line 0 ', 'line 399'],
    ['generic', 'line 0 ', 'kappa-9'],
  ] as const)('shows a %s', (shape, first, second) => {
    const text = viewOutput(log, shape, { tokens: 300, lineLength: 2_000 }, builtInEstimator)
    expect(count(text)).toBeLessThanOrEqual(330)
    expect(text).toContain(first)
    expect(text).toContain(second)
    expect(text).toContain('left out')
  })
  it('cuts lines, and one endless line', () => {
    const text = viewOutput(`short\n${'x'.repeat(9_000)}\nend`, 'generic', { tokens: 4_000, lineLength: 100 }, builtInEstimator)
    expect(text.split('\n').every((line) => line.length < 160)).toBe(true)
    expect(count(viewOutput('word '.repeat(9_000), 'head-tail', { tokens: 200, lineLength: 100_000 }, builtInEstimator))).toBeLessThanOrEqual(200)
  })
  const flights = Array.from({ length: 60 }, (_, at) => ({ id: `HAT${100 + at}`, seats: { economy: at, business: 2 }, note: 'words '.repeat(at * 4) }))
  it.each([40, 120, 400, 2_000])('JSON in %d tokens still parses, names its gaps, and keeps its ends', (tokens) => {
    const text = viewOutput(JSON.stringify({ status: 'ok', flights }), 'json', { tokens, lineLength: 100 }, builtInEstimator)
    expect(count(text)).toBeLessThanOrEqual(tokens)
    if (tokens < 100) return
    const value = JSON.parse(text) as { status: string; flights: readonly unknown[] }
    expect(value.status).toBe('ok')
    expect(value.flights[0]).toMatchObject({ id: 'HAT100' })
    expect(value.flights.at(-1)).toMatchObject({ id: 'HAT159' })
    expect(value.flights.at(-2)).toMatch(/^\[… \d+ more\]$/)
  })
  it('JSON is left to the passages where reading it would change it, or it is none', () => {
    const odd = `[${'{"id": 12345678901234567890},'.repeat(200)}{}]`
    const text = viewOutput(odd, 'json', { tokens: 150, lineLength: 10_000 }, builtInEstimator)
    expect(text).toContain('12345678901234567890')
    expect(text).toContain('bytes left out')
    expect(viewOutput(`[cut off ${'word '.repeat(900)}`, 'json', { tokens: 150, lineLength: 10_000 }, builtInEstimator)).toContain('bytes left out')
  })
  it('a diff keeps the headers of all its files and hunks, and changed lines before unchanged ones', () => {
    const hunk = (at: number): string =>
      [
        `@@ -${at * 100},32 +${at * 100},31 @@ function part${at}()`,
        ...Array.from({ length: 30 }, (_, line) => ` same ${line}`),
        '--- a removed line',
        `-old${at}`,
        `+new${at}`,
      ].join('\n')
    const file = (name: string): string => [`diff --git a/${name} b/${name}`, `--- a/${name}`, `+++ b/${name}`, hunk(1), hunk(2), hunk(3)].join('\n')
    const diff = ['src/one.ts', 'src/two.ts'].map(file).join('\n')
    const text = viewOutput(diff, 'diff', { tokens: 360, lineLength: 500 }, builtInEstimator)
    expect(count(text)).toBeLessThanOrEqual(360)
    expect(text.match(/^@@ /gm)).toHaveLength(6)
    for (const header of ['--- a/src/one.ts', '+++ b/src/two.ts', '+new1', '-old3', '[… 30 lines]']) expect(text).toContain(header)
    expect(text).not.toContain('same 1')
    const bare = viewOutput(diff, 'diff', { tokens: 200, lineLength: 500 }, builtInEstimator)
    expect(count(bare)).toBeLessThanOrEqual(200)
    // No diff, and one whose headers alone are too many: the passages.
    expect(viewOutput('word '.repeat(900), 'diff', { tokens: 100, lineLength: 9_000 }, builtInEstimator)).toContain('bytes left out')
    expect(count(viewOutput(file('x.ts').repeat(40), 'diff', { tokens: 100, lineLength: 500 }, builtInEstimator))).toBeLessThanOrEqual(100)
  })
})
