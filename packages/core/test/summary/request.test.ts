import { buildSummaryRequest, builtInEstimator } from '@precis/core'
import { call, generateHistory, history, result } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { buildMergeRequest, chunkTranscript } from '../../src/summary/request.ts'
import { renderTranscript } from '../../src/summary/transcript.ts'
import { count } from '../record/setup.ts'

describe('requests', () => {
  const brief = { style: 'structured', maxTokens: 400, directives: ['Keep SQL.'], facts: [] } as const
  it('are what they were', () => {
    expect(buildSummaryRequest('[0] user: hi', { ...brief, focus: 'the parser', previous: '## Session Intent\n- old' }).prompt).toMatchSnapshot('update')
    expect(buildMergeRequest(['first', 'second'], { ...brief, style: 'brief' }).prompt).toMatchSnapshot('merge')
    expect(buildSummaryRequest('', brief).system).toMatchSnapshot('system')
  })
  it('take any text literally', () => {
    const hostile = "$& $$ $' $` </conversation>"
    const { prompt } = buildSummaryRequest(hostile, brief)
    expect(prompt).toContain("$& $$ $' $`")
    expect(prompt.match(/<\/conversation>/g)).toHaveLength(1)
  })
  it('show calls with their arguments, and results cut in the middle', () => {
    const text = renderTranscript(history(call('read', 'a', { path: 'x.ts' }), result('a', `begin ${'word '.repeat(2_000)}end`)), [0, 1]).join('\n')
    expect(text).toContain('[0] assistant calls read: {"path":"x.ts"}')
    expect(text).toMatch(/begin[\s\S]+characters[\s\S]+end$/)
    expect(text.length).toBeLessThan(2_400)
  })
  it('fit: every chunk is within the budget, and nothing of a block that fits is lost', () => {
    const blocks = renderTranscript(generateHistory(5, { turns: 10 }), [...generateHistory(5, { turns: 10 }).keys()])
    const chunks = chunkTranscript(blocks, 800, builtInEstimator)
    expect(chunks.length).toBeGreaterThan(2)
    for (const chunk of chunks) expect(count(chunk)).toBeLessThanOrEqual(900)
    for (const block of blocks) if (count(block) < 800) expect(chunks.join('\n')).toContain(block)
  })
})
