import { describe, expect, it } from 'vitest'
import { worseThan } from '../bounds.ts'
import { figureOf } from '../measures/account.ts'
import { scoreOf } from '../measures/score.ts'
import { isTold } from '../measures/wording.ts'
import { diceOf, noiseOf, stepOf } from '../sessions/generated.ts'
import { type Recorded, type RecordedMessage, tokensOf } from '../sessions/transcripts.ts'
import { statedCuts } from '../stated-facts.ts'
import { stretchOf } from '../user-words.ts'

describe('generated sessions', () => {
  const [cut] = statedCuts(1)
  const outputs = (cut?.prefix ?? []).filter(({ role }) => role === 'tool')

  it('state each fact once, one in an output of a thousand tokens', () => {
    expect(cut?.facts).toHaveLength(outputs.length)
    cut?.facts.forEach(({ value, sentence }, at) => {
      const own = outputs.filter(({ content }) => content.includes(sentence))
      expect(own).toEqual([outputs[at]])
      expect(isTold(own[0]?.content ?? '', value, sentence)).toBe(true)
    })
    for (const { content } of outputs) expect(tokensOf(content)).toBeGreaterThan(900)
    expect(new Set(cut?.facts.map(({ subject }) => subject)).size).toBe(cut?.facts.length)
  })
  it('have noise that tells none of them', () => {
    const noise = Array.from({ length: 40 }, (_, seed) => noiseOf(diceOf(seed)).join('\n')).join('\n')
    expect(cut?.facts.filter(({ value, sentence }) => isTold(noise, value, sentence))).toEqual([])
  })
  it('are the same for the same seed', () => {
    expect(stepOf('a', diceOf(7))).toEqual(stepOf('a', diceOf(7)))
    expect(stepOf('a', diceOf(7))).not.toEqual(stepOf('a', diceOf(8)))
  })
  it('let the user alone state what is looked for after ten compactions', () => {
    const { messages, facts } = stretchOf(3, 1)
    const of = (role: RecordedMessage['role']): string =>
      messages
        .filter((message) => message.role === role)
        .map(({ content }) => content)
        .join('\n')
    for (const { value, sentence } of facts) {
      expect(isTold(of('user'), value, sentence)).toBe(true)
      expect(of('tool')).not.toContain(value)
    }
  })
})

describe('bounds', () => {
  const before = { 'coding at 25 %': { findings: 40, falsehoods: 5 } }
  it('hold within a point, in the direction of each figure', () => {
    expect(worseThan(before, { 'coding at 25 %': { findings: 39.2, falsehoods: 5.9 } })).toEqual([])
    expect(worseThan(before, { 'coding at 25 %': { findings: 90, falsehoods: 0 } })).toEqual([])
  })
  it('are broken by what is worse, and by what is not measured any more', () => {
    expect(worseThan(before, { 'coding at 25 %': { findings: 38.9, falsehoods: 6.1 } })).toEqual([
      'coding at 25 %: findings was 40, is 38.9',
      'coding at 25 %: falsehoods was 5, is 6.1',
    ])
    expect(worseThan(before, {})).toHaveLength(2)
  })
})

describe('figures', () => {
  it('are means over sessions, however many cuts each has; nothing to judge is no zero', () => {
    expect(
      figureOf([
        ['a', 1],
        ['a', 1],
        ['b', 0],
        ['c', undefined],
      ]),
    ).toMatchObject({ mean: 50, sessions: 2 })
    expect(figureOf([['a', undefined]])).toBeUndefined()
  })
})

describe('a passage', () => {
  const prefix: readonly RecordedMessage[] = [{ role: 'tool', content: '{"host": "cobalt", "port": 48213, "user": "mailer", "retries": 5}' }]
  const transcript: Recorded = { id: 'x', set: 'x', domain: 'x', messages: prefix }
  const cut = { transcript, prefix, tokens: 100, needles: [{ text: '48213', kind: 'number' }] }
  const of = (text: string) => scoreOf(cut, { texts: [text] }, 100).outcomes[0]

  it('may be written as fields where letters and digits are compared', () => {
    expect(of('host: cobalt, port: 48213, user: mailer, retries: 5')).toMatchObject({ hit: true, passage: false, letters: true })
  })
  it('is lost with its neighbors', () => {
    expect(of('port: 48213')).toMatchObject({ hit: true, passage: false, letters: false })
  })
})
