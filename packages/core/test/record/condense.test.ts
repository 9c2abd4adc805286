import { condense, textOf } from '@precis/core'
import { generateHistory } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { joinPassages } from '../../src/record/excerpts/join-passages.ts'
import { selectPassages } from '../../src/record/excerpts/passages.ts'
import { scanErrorLines } from '../../src/record/names/names.ts'
import { clip } from '../../src/record/texts/truncate.ts'
import { count, log } from './setup.ts'

describe('condense and passages', () => {
  it('keeps both ends and what stands out, within the budget', () => {
    const text = condense(log, 200)
    expect(count(text)).toBeLessThanOrEqual(200)
    expect(text).toContain('line 0 ')
    expect(text).toContain('line 399')
    expect(text).toContain('kappa-9')
    expect(text).toContain('characters left out')
  })
  it.each([0, 1, 2, 5])('cuts at %d without cutting a character in two, whatever it begins with', (length) => {
    for (const text of ['\ude00abcdefgh', '😀😀😀😀', 'ab😀cdefgh']) {
      expect(clip(text, length).length).toBeLessThanOrEqual(length + 1)
      if (text !== '\ude00abcdefgh') expect(clip(text, length)).not.toMatch(/\p{Cs}/u)
    }
  })
  it('returns what fits as it is, and survives odd texts', () => {
    expect(condense('short', 50)).toBe('short')
    for (const odd of ['😀'.repeat(3_000), '\ud800'.repeat(2_000), 'a'.repeat(20_000), ' '.repeat(50_000), '中'.repeat(3_000)]) {
      const text = condense(odd, 100)
      expect(count(text)).toBeLessThanOrEqual(100)
      expect(text.includes('\ufffd')).toBe(false)
    }
  })
  it('selects disjoint, sorted passages', () => {
    const sources = [
      { text: log, weight: 1 },
      { text: 'see src/a/b.ts and fooBarBaz', weight: 2 },
    ]
    for (const list of selectPassages(sources, 120)) {
      list.forEach((passage, at) => {
        expect(passage.start).toBeLessThan(passage.end)
        if (at > 0) expect(list[at - 1]?.end).toBeLessThan(passage.start)
      })
    }
    expect(selectPassages([], 100)).toEqual([])
  })
  it('uses its budget up, never more, and cuts no character in two', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const sources = generateHistory(seed, { turns: 8 }).map((message) => ({
        text: `${textOf(message).replace(/\p{Cs}/gu, '?')} 🙂🙂 é`,
        weight: 1,
        label: '[1] ',
      }))
      const whole = sources.reduce((sum, { text }) => sum + count(text) + 4, 0)
      for (const budget of [20, 200, Math.floor(whole / 3)]) {
        const chosen = selectPassages(sources, budget)
        const used = chosen.reduce((sum, list, at) => sum + (list.length === 0 ? 0 : count(`[1] ${joinPassages(sources[at]?.text ?? '', list)}\n`)), 0)
        expect(used).toBeLessThanOrEqual(budget)
        if (budget >= 200 && whole > 2_000) expect(used).toBeGreaterThan(budget * 0.95)
        chosen.forEach((list, at) => {
          for (const { start, end } of list) expect(sources[at]?.text.slice(start, end)).not.toMatch(/\p{Cs}/u)
        })
        expect(selectPassages(sources, budget)).toEqual(chosen)
      }
    }
  })
  it('knows a line that speaks of a failure, whatever number a tool put before it', () => {
    const line = 'return fmt.Errorf("shard %s is gone: %w", name, err)'
    for (const shown of [`   123→\t${line}`, `42: ${line}`, `${line}`, `  7\t${line}`, `1234| ${line}`]) {
      const found: string[] = []
      scanErrorLines(`before\n${shown}\nafter`, (text, start, end) => {
        expect(`before\n${shown}\nafter`.slice(start, end)).toBe(text)
        found.push(text)
      })
      expect(found).toEqual([line])
    }
  })
  it('shows more of a name that was asked about, and less of one that is shown elsewhere', () => {
    const text = Array.from({ length: 60 }, (_, at) => `the setting retryLimit${at} was read from config/part${at}.yaml`).join('\n')
    const shown = (options: Parameters<typeof selectPassages>[2]): string => joinPassages(text, selectPassages([{ text, weight: 1 }], 150, options)[0] ?? [])
    const names = (part: string): readonly string[] => part.match(/retryLimit\d+/g) ?? []
    const first = names(shown({}))
    expect(first.length).toBeGreaterThan(3)
    const others = names(shown({ present: new Set([...first, ...first.map((name) => name.replace('retryLimit', 'config/part').concat('.yaml'))]) }))
    expect(others.filter((name) => first.includes(name)).length).toBeLessThan(first.length / 2)
    const hidden = names(text).find((name) => !first.includes(name)) ?? 'all are shown'
    expect(names(shown({ asked: new Set([hidden]) }))).toContain(hidden)
    // What was asked about it is not said by its name.
    expect(names(shown({ asked: new Set([hidden]), present: new Set([hidden]) }))).toContain(hidden)
  })
})
