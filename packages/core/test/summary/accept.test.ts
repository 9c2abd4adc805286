import { acceptSummary, builtInEstimator, parseSummary } from '@precis/core'
import { assistant, history, user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { renderTranscript } from '../../src/summary/transcript.ts'
import { good, sections } from './setup.ts'

const limits = { tokens: 500, replaces: 5_000, source: '' }

describe('parseSummary', () => {
  it('cuts a text into its sections', () => {
    const parsed = parseSummary(good, sections)
    expect(parsed.missing).toEqual([])
    expect(parsed.sections['Failed Approaches']).toBe('- something')
  })
  it.each([
    ['scratch work', `<analysis>hm</analysis>\n${good}`],
    ['thoughts', `<think>hm\n</think>${good}`],
    ['a wrapper', `Here it is: <summary>\n${good}\n</summary> Done.`],
    ['a fence', `\`\`\`markdown\n${good}\n\`\`\``],
    ['numbers and levels', good.replace('## Session Intent', '### 1. Session intent:')],
  ])('removes or reads past %s', (_, raw) => {
    expect(parseSummary(raw, sections).missing).toEqual([])
    expect(parseSummary(raw, sections).text).not.toContain('hm')
  })
  it('a block that never closes is no summary', () => {
    expect(parseSummary(`<think>${good}`, sections).text).toBe('')
  })
})

describe('acceptSummary', () => {
  it.each([
    ['a good one', good, 'stop', undefined],
    ['empty', '', 'stop', 'empty'],
    ['cut off', good, 'length', 'cut-off'],
    ['filtered', good, 'filter', 'refused'],
    ['a refusal', 'I’m sorry, but I cannot.', 'stop', 'refused'],
    ['without sections', 'We talked.', 'stop', 'missing-sections'],
    ['all sections blank', sections.map((title) => `## ${title}\n(none)`).join('\n'), 'stop', 'empty'],
    ['gigantic', `${good}\n${'word '.repeat(9_000)}`, 'stop', 'too-large'],
  ] as const)('%s', (_, text, finish, expected) => {
    expect(acceptSummary(parseSummary(text, sections), finish, limits, builtInEstimator)).toBe(expected)
  })
  it('larger than what it replaces', () => {
    expect(acceptSummary(parseSummary(good, sections), 'stop', { ...limits, replaces: 20 }, builtInEstimator)).toBe('no-gain')
  })
  it('the transcript back again', () => {
    const source = renderTranscript(history(user('one'), assistant('two'), user('three'), assistant('four')), [0, 1, 2, 3]).join('\n')
    expect(acceptSummary(parseSummary(`${good}\n${source}`, sections), 'stop', { ...limits, source }, builtInEstimator)).toBe('echo')
  })
})
