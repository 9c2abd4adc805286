import { user } from '@precis/testkit'
import { describe, expect, it } from 'vitest'
import { lexicalVectors, selectRelated, topicOf } from '../../src/partition/semantic.ts'

describe('semantic keep', () => {
  it('takes what is most like the question, over several topics, within its budget', () => {
    const texts = [
      'invoice font Garamond',
      'invoice font size twelve',
      'database port 5432',
      'weather is fine',
      'login button blue',
      'which font has the invoice, and which port the database?',
    ]
    const vectors = lexicalVectors(texts)
    const topics = texts.slice(0, -1).map((_, index) => ({ index, vector: vectors[index] ?? [], tokens: 10 }))
    expect(selectRelated(topics, vectors.at(-1) ?? [], { clusters: 2, tokens: 20 })).toEqual([expect.any(Number), 2])
    expect(selectRelated(topics, vectors.at(-1) ?? [], { clusters: 2, tokens: 0 })).toEqual([])
    expect(selectRelated(topics, vectors.at(-1) ?? [], { clusters: 3, tokens: 1_000 })).not.toContain(3)
  })
  it('works on dense vectors, and on ten thousand messages', () => {
    const topics = Array.from({ length: 10_000 }, (_, index) => ({ index, vector: [Math.sin(index), Math.cos(index), 1], tokens: 5 }))
    expect(selectRelated(topics, [0, 1, 1], { clusters: 4, tokens: 50 })).toHaveLength(10)
    expect(topicOf(user('hello'))).toBe('hello')
  })
})

it('what is as little like the question as most is not related, whatever the model makes of it', () => {
  // Dense vectors are a little like each other: 0.2 is noise here.
  const noise = (at: number) => ({ index: at, vector: [0.2, Math.cos(at), Math.sin(at)], tokens: 10 })
  const topics = [...Array.from({ length: 20 }, (_, at) => noise(at)), { index: 20, vector: [1, 0.1, 0.1], tokens: 10 }]
  expect(selectRelated(topics, [1, 0, 0], { clusters: 3, tokens: 1_000 })).toEqual([20])
})
