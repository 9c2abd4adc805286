import { describe, expect, it } from 'vitest'
import { builtInEstimator } from '../../src/budget/estimate.ts'
import type { Message } from '../../src/history/message.ts'
import { recordOf } from '../../src/record/record.ts'
import { namesHeading, restOfSummary } from '../../src/record/texts/carried.ts'

/** A session that reads so many files, each with names of its own that nothing else has. */
function reading(files: number): readonly Message[] {
  const messages: Message[] = [{ role: 'user', parts: [{ type: 'text', text: 'Read all of it.' }] }]
  for (let file = 0; file < files; file++) {
    const callId = `c${file}`
    const output = Array.from(
      { length: 40 },
      (_, line) => `  const value${file}x${line} = computeValue${file}x${line}(someInput${file}, anotherInput${line})`,
    ).join('\n')
    messages.push({ role: 'assistant', parts: [{ type: 'tool-call', callId, tool: 'read', input: JSON.stringify({ path: `src/file${file}.ts` }) }] })
    messages.push({ role: 'tool', parts: [{ type: 'tool-result', callId, tool: 'read', output }] })
  }
  return messages
}

const record = (messages: readonly Message[], budget: number, already = ''): string =>
  recordOf(messages, [...messages.keys()], { budget, requests: 200, estimator: builtInEstimator, already }).text

const namesOf = (text: string): readonly (readonly [number, readonly string[]])[] => {
  const lines = text.split('\n')
  const list = lines[lines.indexOf(namesHeading) + 1]?.slice(2).split('; ') ?? []
  return list.map((one) => [Number(/^\[(\d+)\]/.exec(one)?.[1]), one.replace(/^\[\d+\] /, '').split(', ')])
}

describe('names for which no excerpt had room', () => {
  const messages = reading(20)
  const text = record(messages, 3_000)

  it('stand behind the message where they can be looked up', () => {
    const found = namesOf(text)
    expect(found.length).toBeGreaterThan(1)
    for (const [index, names] of found)
      for (const name of names) expect(messages[index]?.parts.map((part) => (part.type === 'tool-result' ? part.output : '')).join('')).toContain(name)
    expect(found.map(([index]) => index)).toEqual([...found.map(([index]) => index)].sort((a, b) => a - b))
  })

  it('are shown nowhere else, and each once', () => {
    const names = namesOf(text).flatMap(([, own]) => own)
    const above = text.slice(0, text.indexOf(namesHeading))
    expect(names.filter((name) => new RegExp(`\\b${name}\\b`).test(above))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  it('take no room that the record does not have', () => {
    for (const budget of [900, 1_500, 3_000, 6_000]) expect(builtInEstimator.count(record(messages, budget))).toBeLessThanOrEqual(budget)
  })

  it('leave a small record to excerpts, and are none where all stands in full', () => {
    expect(record(messages, 500)).not.toContain(namesHeading)
    expect(record(reading(2), 60_000)).not.toContain(namesHeading)
  })

  it('are none that the reader sees elsewhere', () => {
    const [name] = namesOf(text).flatMap(([, own]) => own)
    expect(namesOf(record(messages, 3_000, `We keep ${name}.`)).flatMap(([, own]) => own)).not.toContain(name)
  })

  it('are not read as text of a summary that comes back: its message numbers are others by then', () => {
    expect(restOfSummary(`${namesHeading}\n- [4] retryLimit; [9] maxDelay\nrest`)).not.toMatch(/retryLimit|maxDelay/)
  })
})
