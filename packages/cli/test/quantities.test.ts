import { parseTokens } from '@precis/config/quantities'
import { describe, expect, it } from 'vitest'
import { plain } from '../src/look/plain.ts'
import { splitTokens } from '../src/quantities.ts'
import { ago, dollars, percent, short } from '../src/terminal/amounts.ts'
import { bar, columns, fit, padded, widthOf, wrapped } from '../src/terminal/text.ts'

describe('tokens as people write them', () => {
  it.each([
    ['64000', 64_000],
    ['64_000', 64_000],
    ['128,000', 128_000],
    ['1,048,576', 1_048_576],
    ['200k', 200_000],
    ['200K', 200_000],
    ['1M', 1_000_000],
    ['1.5m', 1_500_000],
    ['many', undefined],
    ['12,34', undefined],
    ['1.5', undefined],
    ['-5k', undefined],
    ['', undefined],
  ])('%s', (text, value) => expect(parseTokens(text)).toBe(value))
  it.each([
    ['32000,64000', ['32000', '64000']],
    ['32k,64,000', ['32k', '64,000']],
    ['128,000', ['128,000']],
    ['64k,32,000,500k', ['64k', '32,000', '500k']],
    ['16_000,1M', ['16_000', '1M']],
  ])('%s, as a list', (text, list) => expect(splitTokens(text)).toEqual(list))
})

describe('text for a terminal', () => {
  it('counts wide characters twice, and cuts with an ellipsis', () => {
    expect(widthOf('日本')).toBe(4)
    expect(fit('日本語', 5)).toBe('日本…')
    expect(padded('ab', 4, 'right')).toBe('  ab')
    expect(widthOf(padded('a much longer text', 7))).toBe(7)
    expect(wrapped('one two three four', 9)).toEqual(['one two', 'three', 'four'])
    expect(wrapped('aaaaaaaaaaaa', 5, 2)).toEqual(['aaaaa', 'aaaa…'])
  })
  it('lets nothing through that moves a cursor', () => expect(plain('a\u001b[2Jb\r\nc\u202ed\u009b31m')).toBe('a [2Jb c d 31m'))
  it('draws what is more than nothing', () => {
    expect(bar(0, 10)).toBe('')
    expect(bar(0.001, 10)).toBe('▏')
    expect(bar(0.5, 10)).toBe('█████')
    expect(bar(7, 3)).toBe('███')
  })
  it('is as wide as COLUMNS says', () => {
    expect(columns({ COLUMNS: '123' })).toBe(123)
    expect(columns({ COLUMNS: '3' })).toBe(40)
  })
  it('says amounts shortly', () => {
    expect([short(950), short(12_345), short(128_000), short(999_700), short(1_250_000)]).toEqual(['950', '12.3k', '128k', '1M', '1.3M'])
    expect([dollars(0.0001), dollars(0.004), dollars(1.266), dollars(12_040)]).toEqual(['less than $0.001', '$0.004', '$1.27', '$12,040'])
    expect([percent(0), percent(0.004), percent(0.126)]).toEqual(['0 %', '0.4 %', '13 %'])
    expect([ago(5_000), ago(300_000), ago(7_200_000), ago(300_000_000)]).toEqual(['just now', '5 min ago', '2 h ago', '3 days ago'])
  })
})
