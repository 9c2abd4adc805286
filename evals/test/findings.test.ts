import { describe, expect, it } from 'vitest'
import { isFinding, statementsOf } from '../measures/findings.ts'
import { isTold, lettersOf, sentencesOf } from '../measures/wording.ts'

describe('findings', () => {
  it('are sentences with a result, a cause or a choice', () => {
    expect(isFinding('The request times out because the pool is never drained.')).toBe(true)
    expect(isFinding('All 212 tests pass after the change to the parser.')).toBe(true)
    expect(isFinding('The issue is a cache that outlives its session.')).toBe(true)
    expect(isFinding('That doesn’t work on Windows paths with a drive letter.')).toBe(true)
  })
  it('are not announcements', () => {
    expect(isFinding('Let me look at the parser and at its tests first.')).toBe(false)
    expect(isFinding('I will read the configuration of the staging cluster now.')).toBe(false)
    expect(isFinding('The passage about failures of the newspaper is long.')).toBe(false)
  })
  it('are the assistant’s own, whole, at least thirty characters long, each once', () => {
    const said = '- The fix is to drain the pool on close. Done.\n2. The fix is to drain the pool on close.'
    const messages = [
      { role: 'user', content: 'It fails because you did not read the error message.' },
      { role: 'assistant', content: said },
    ]
    expect(statementsOf(messages)).toEqual(['The fix is to drain the pool on close.'])
  })
})

describe('wording', () => {
  it('splits at sentence ends and line breaks, not within names', () => {
    expect(sentencesOf('Uses v1.2 of app.ts. Then\nstops')).toEqual(['Uses v1.2 of app.ts.', 'Then', 'stops'])
  })
  it('compares passages by letters and digits', () => {
    expect(lettersOf('{"port": 8080}')).toBe(lettersOf('port: 8080'))
    expect(lettersOf('port 8081')).not.toBe(lettersOf('port: 8080'))
  })
  it('knows a value by two words of its sentence', () => {
    const sentence = 'The staging gateway listens on port 48213 behind the proxy.'
    expect(isTold('staging gateway: 48213', '48213', sentence)).toBe(true)
    expect(isTold('a list of numbers: 48212, 48213, 48214', '48213', sentence)).toBe(false)
    expect(isTold('The staging gateway listens behind the proxy.', '48213', sentence)).toBe(false)
  })
})
