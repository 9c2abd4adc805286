import { generateHistory, toOpenAIChat } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { compactTranscript, diffTranscript, parseTranscripts, renderDiff } from '../src/index.ts'
import { widthOf } from '../src/terminal/text.ts'

const [transcript] = parseTranscripts(
  toOpenAIChat(generateHistory(5, { turns: 30 }))
    .map((message) => JSON.stringify(message))
    .join('\n'),
  'long',
)
if (transcript === undefined) throw new Error('no transcript')
const found = diffTranscript(transcript, await compactTranscript(transcript, { window: 16_000 }))

describe('renderDiff', () => {
  it('side by side: the summary beside what it is of, nothing wider than the terminal', () => {
    const lines = renderDiff(found, { width: 200 }).split('\n')
    expect(lines.filter((line) => widthOf(line) > 200)).toEqual([])
    expect(lines.some((line) => /^- +\d+ .* │ \+ /.test(line))).toBe(true)
    expect(lines.join('\n')).toMatch(/⋯ \d+ messages more summarized \(--all shows them\)/)
  })
  it('below each other where there is no room; --all folds nothing', () => {
    const folded = renderDiff(found, { width: 80 })
    expect(folded).not.toContain('│ +')
    expect(folded).toMatch(/^- +\d+ assistant/m)
    expect(folded).toMatch(/^\+ <context-summary version="1">$/m)
    const whole = renderDiff(found, { width: 80, whole: true })
    expect(whole).not.toContain('⋯')
    for (const { index } of found.entries) expect(whole).toMatch(new RegExp(`^[ ~x-] +${index} `, 'm'))
  })
})
